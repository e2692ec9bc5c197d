#pragma once

#include <cstdint>
#include <vector>

namespace kvcanary::sim {

/// Pages in order of last use: a doubly linked list over page indices without allocation per entry.
/// All operations take constant time.
class LruList {
 public:
  /// For pages in [0, num_pages).
  explicit LruList(std::int64_t num_pages) : links_(static_cast<std::size_t>(num_pages) + 1) {
    links_.back() = {end(), end()};
  }

  bool empty() const { return size_ == 0; }
  std::int64_t size() const { return size_; }
  bool contains(std::int32_t page) const { return at(page).next != absent; }
  /// Least recently used page. The list must not be empty.
  std::int32_t front() const { return links_.back().next; }

  /// Makes `page` the most recently used one; it may be in the list or not.
  void touch(std::int32_t page) {
    remove(page);
    const std::int32_t last = links_.back().previous;
    at(page) = {last, end()};
    at(last).next = page;
    links_.back().previous = page;
    ++size_;
  }

  /// Takes `page` out, if it is in.
  void remove(std::int32_t page) {
    if (!contains(page)) return;
    const Link link = at(page);
    at(link.previous).next = link.next;
    at(link.next).previous = link.previous;
    at(page) = {};
    --size_;
  }

 private:
  static constexpr std::int32_t absent = -1;
  struct Link {
    std::int32_t previous = absent;
    std::int32_t next = absent;
  };

  // The entry after the last page is both ends of the list.
  std::int32_t end() const { return static_cast<std::int32_t>(links_.size() - 1); }
  Link& at(std::int32_t page) { return links_[static_cast<std::size_t>(page)]; }
  const Link& at(std::int32_t page) const { return links_[static_cast<std::size_t>(page)]; }

  std::vector<Link> links_;
  std::int64_t size_ = 0;
};

}  // namespace kvcanary::sim
