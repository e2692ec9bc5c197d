#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

#include "int_array.hpp"

/// \file
/// From (row, position) to a slot, through the slot table and the SWA translation.
namespace kvcanary::detail {

/// The translation has no slot for a token any more: right outside the window, wrong inside it.
inline constexpr std::int64_t evicted_slot = no_slot;

class SlotResolver {
 public:
  SlotResolver() = default;
  SlotResolver(const SlotTable& table, const IntSpan& full_to_swa)
      : entries_(table.entries),
        num_rows_(table.num_rows),
        num_columns_(table.num_columns),
        row_stride_(table.row_stride),
        page_size_(static_cast<std::int32_t>(table.page_size)),
        page_shift_(std::has_single_bit(static_cast<std::uint64_t>(table.page_size))
                        ? std::countr_zero(static_cast<std::uint64_t>(table.page_size))
                        : -1),
        full_to_swa_(full_to_swa),
        num_translated_(full_to_swa.size()) {}

  /// The slot, or evicted_slot, or invalid_slot. `position` >= 0. Reads nothing outside the table
  /// and the translation.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t position) const {
    if (!has_row(row)) return invalid_slot;
    const Place place = place_of(position);
    if (place.column >= num_columns_) return invalid_slot;
    return in_page(entries_of(row)[place.column], place.offset);
  }

  /// The same where an evicted slot is wrong.
  KOKKOS_FUNCTION std::int64_t present(std::int64_t row, std::int64_t position) const {
    return present_or_invalid((*this)(row, position));
  }

  /// The same for `count` positions of a row from `begin` on, whose columns the table has: walks
  /// along the pages, so that no position costs a division. For the host.
  void present(std::int64_t row, std::int64_t begin, int count, std::int64_t* slots) const {
    const std::int32_t* const entries = entries_of(row);
    Place place = place_of(begin);
    for (int i = 0; i < count; ++place.column, place.offset = 0) {
      const int end = i + std::min(count - i, page_size_ - place.offset);
      const std::int32_t page = entries[place.column];
      if (page >= 0 && !full_to_swa_.given()) {
        std::int64_t full = std::int64_t{page} * page_size_ + place.offset;
        for (; i < end; ++i) slots[i] = full++;
      } else {
        for (; i < end; ++i) slots[i] = present_or_invalid(in_page(page, place.offset++));
      }
    }
  }

  /// The slot before a position of a request that is verified from position `first` on.
  KOKKOS_FUNCTION std::int64_t predecessor(std::int64_t row, std::int64_t position,
                                           std::int64_t first) const {
    if (position == 0) return no_slot;
    if (position > first) return present(row, position - 1);
    // The token before the window may be gone from a sliding-window pool: nothing to chain from.
    const std::int64_t slot = (*this)(row, position - 1);
    return slot == evicted_slot ? padding_slot : slot;
  }

  KOKKOS_FUNCTION bool has_row(std::int64_t row) const { return row >= 0 && row < num_rows_; }
  std::int64_t page_size() const { return page_size_; }
  KOKKOS_FUNCTION const std::int32_t* entries_of(std::int64_t row) const {
    return entries_ + row * row_stride_;
  }

  /// Where the table entry of a position is in its row, and the position in the page. A 64-bit
  /// division costs as much as everything else here, and page sizes are mostly powers of 2.
  struct Place {
    std::int64_t column;
    std::int32_t offset;
  };
  KOKKOS_FUNCTION Place place_of(std::int64_t position) const {
    if (page_shift_ >= 0) {
      return {position >> page_shift_, static_cast<std::int32_t>(position) & (page_size_ - 1)};
    }
    const std::int64_t column = position / page_size_;
    return {column, static_cast<std::int32_t>(position - column * page_size_)};
  }

  /// The slot, or evicted_slot, or invalid_slot, of a table entry and a place in its page.
  KOKKOS_FUNCTION std::int64_t in_page(std::int32_t page, std::int32_t offset) const {
    const std::int64_t full = page < 0 ? invalid_slot : std::int64_t{page} * page_size_ + offset;
    return full_to_swa_.given() ? translated(full) : full;
  }

  /// Slots of a position and of another, whose columns the table has. Both entries are on their way
  /// before either is looked at.
  struct Pair {
    std::int64_t first, second;
  };
  KOKKOS_FUNCTION Pair present_pair(const std::int32_t* entries, std::int64_t position,
                                    std::int64_t other) const {
    const Place place = place_of(position), other_place = place_of(other);
    const std::int32_t page = entries[place.column], other_page = entries[other_place.column];
    return {present_or_invalid(in_page(page, place.offset)),
            present_or_invalid(in_page(other_page, other_place.offset))};
  }

  KOKKOS_FUNCTION static std::int64_t present_or_invalid(std::int64_t slot) {
    return slot == evicted_slot ? invalid_slot : slot;
  }

 private:
  KOKKOS_FUNCTION std::int64_t translated(std::int64_t full) const {
    if (full < 0 || full >= num_translated_) return invalid_slot;
    const std::int64_t slot = full_to_swa_[full];
    return slot < 0 ? evicted_slot : slot;
  }

  const std::int32_t* entries_;
  std::int64_t num_rows_, num_columns_, row_stride_;
  std::int32_t page_size_, page_shift_;  // log2 of the page size, or -1
  IntArray full_to_swa_;
  std::int64_t num_translated_;
};

}  // namespace kvcanary::detail
