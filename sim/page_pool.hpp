#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace kvcanary::sim {

/// Allocator of the pages of one pool. Page 0 is the padding page and never handed out. The page
/// freed last is handed out first, so runs are reproducible and pages are reused soon.
///
/// A page has one owner. Only `free_early`, a fault, lets it get a second one; the pool then counts
/// owners, so that the later releases do no harm: the page is free once nobody owns it, and is on
/// the free list at most once.
class PagePool {
 public:
  /// `num_pages` >= 1 pages, the padding page included.
  explicit PagePool(std::int64_t num_pages)
      : owners_(static_cast<std::size_t>(num_pages), 0),
        listed_(static_cast<std::size_t>(num_pages), true) {
    listed_[0] = false;
    free_.reserve(static_cast<std::size_t>(num_pages));
    for (std::int64_t page = num_pages - 1; page >= 1; --page) {
      free_.push_back(static_cast<std::int32_t>(page));
    }
  }

  /// Pages, the padding page included.
  std::int64_t num_pages() const { return static_cast<std::int64_t>(owners_.size()); }
  std::int64_t free_pages() const { return static_cast<std::int64_t>(free_.size()); }
  std::int64_t used_pages() const { return num_pages() - 1 - free_pages(); }
  /// 0 for a page that is free; 1 for a page in use; more only after `free_early`.
  std::int32_t owners(std::int32_t page) const { return owners_[index(page)]; }
  /// Whether the page will be handed out again; with owners() > 0 only after `free_early`.
  bool is_listed(std::int32_t page) const { return listed_[index(page)]; }

  /// Hands out a page. Throws std::logic_error if none is free.
  std::int32_t allocate() {
    if (free_.empty()) throw std::logic_error("PagePool::allocate: no free page");
    const std::int32_t page = free_.back();
    free_.pop_back();
    listed_[index(page)] = false;
    ++owners_[index(page)];
    return page;
  }

  /// Gives up one ownership of a page. Throws std::logic_error if it has no owner.
  void release(std::int32_t page) {
    if (owners_[index(page)] == 0) throw std::logic_error("PagePool::release: the page is free");
    if (--owners_[index(page)] == 0) list(page);
  }

  /// Puts a page on the free list although it is in use: the fault.
  void free_early(std::int32_t page) {
    if (owners_[index(page)] == 0) throw std::logic_error("PagePool::free_early: the page is free");
    list(page);
  }

 private:
  static std::size_t index(std::int32_t page) { return static_cast<std::size_t>(page); }

  void list(std::int32_t page) {
    if (listed_[index(page)]) return;
    listed_[index(page)] = true;
    free_.push_back(page);
  }

  std::vector<std::int32_t> owners_;  // [pages]
  std::vector<bool> listed_;          // [pages]: on the free list
  std::vector<std::int32_t> free_;    // stack
};

}  // namespace kvcanary::sim
