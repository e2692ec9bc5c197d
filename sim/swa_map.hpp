#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/page_pool.hpp"

namespace kvcanary::sim {

/// The SWA pool and the translation from full slots to its slots. Sliding-window layers need the KV
/// of the last `window` tokens only, so their pool is smaller: a full page has an SWA page for as
/// long as somebody's window needs it.
class SwaMap {
 public:
  /// `full_pages` and `swa_pages` include the padding pages; both pools have one page size.
  SwaMap(std::int64_t full_pages, std::int64_t swa_pages, std::int64_t page_size)
      : page_size_(page_size),
        pool_(swa_pages),
        full_to_swa_(static_cast<std::size_t>(full_pages * page_size), -1) {
    // Padding stays padding.
    for (std::int64_t i = 0; i < page_size && full_pages > 0; ++i) full_to_swa_[std::size_t(i)] = i;
  }

  const PagePool& pool() const { return pool_; }
  /// SWA slot of each full slot, -1 for none, [full_pages * page_size].
  std::span<const std::int64_t> full_to_swa() const { return full_to_swa_; }
  bool is_mapped(std::int32_t full_page) const { return first(full_page) >= 0; }
  /// SWA slot of a full slot, or -1.
  std::int64_t translate(std::int64_t full_slot) const {
    return full_to_swa_[static_cast<std::size_t>(full_slot)];
  }

  /// Gives a full page an SWA page, if it has none. Throws std::logic_error if none is free.
  void map(std::int32_t full_page) {
    if (!is_mapped(full_page)) set(full_page, pool_.allocate() * page_size_);
  }
  /// Frees the SWA page of a full page, if it has one.
  void unmap(std::int32_t full_page) {
    if (!is_mapped(full_page)) return;
    pool_.release(static_cast<std::int32_t>(first(full_page) / page_size_));
    clear(full_page);
  }
  /// Hands the SWA page of `from` over to `to`, which must have none.
  void move(std::int32_t from, std::int32_t to) {
    set(to, first(from));
    clear(from);
  }

 private:
  std::int64_t first(std::int32_t full_page) const {
    return full_to_swa_[static_cast<std::size_t>(full_page * page_size_)];
  }
  std::span<std::int64_t> entries(std::int32_t full_page) {
    return std::span(full_to_swa_)
        .subspan(static_cast<std::size_t>(full_page * page_size_),
                 static_cast<std::size_t>(page_size_));
  }
  void set(std::int32_t full_page, std::int64_t first_slot) {
    for (std::int64_t& slot : entries(full_page)) slot = first_slot++;
  }
  void clear(std::int32_t full_page) { std::ranges::fill(entries(full_page), -1); }

  std::int64_t page_size_;
  PagePool pool_;
  std::vector<std::int64_t> full_to_swa_;
};

}  // namespace kvcanary::sim
