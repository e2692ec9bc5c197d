#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/divisor.hpp>
#include <kvcanary/slot_table.hpp>
#include <limits>

#include "src/int_array.hpp"

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
        row_stride_(table.row_stride),
        num_columns_(static_cast<std::int32_t>(
            std::min<std::int64_t>(table.num_columns, std::numeric_limits<std::int32_t>::max()))),
        page_size_(static_cast<std::int32_t>(table.page_size)),
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
      const int end = i + std::min(count - i, page_size_.divisor() - place.offset);
      const std::int32_t page = entries[place.column];
      if (page >= 0 && !full_to_swa_.given()) {
        std::int64_t full = std::int64_t{page} * page_size_.divisor() + place.offset;
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
  std::int64_t page_size() const { return page_size_.divisor(); }
  KOKKOS_FUNCTION const std::int32_t* entries_of(std::int64_t row) const {
    return entries_ + row * row_stride_;
  }

  /// Where the table entry of a position is in its row, and the position in the page.
  struct Place {
    std::int32_t column, offset;
  };
  KOKKOS_FUNCTION Place place_of(std::int64_t position) const {
    const auto narrow = static_cast<std::int32_t>(position);  // they all are: length_limit
    const std::int32_t column = page_size_.quotient(narrow);
    return {column, narrow - column * page_size_.divisor()};
  }

  /// The slot, or evicted_slot, or invalid_slot, of a table entry and a place in its page.
  KOKKOS_FUNCTION std::int64_t in_page(std::int32_t page, std::int32_t offset) const {
    return page < 0 ? invalid_slot : slot_in_page(page, offset);
  }

  /// The same where what is no slot may be any negative number.
  KOKKOS_FUNCTION std::int64_t slot_in_page(std::int32_t page, std::int32_t offset) const {
    const std::int64_t full = std::int64_t{page} * page_size_.divisor() + offset;
    return full_to_swa_.given() ? translated(full) : full;
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
  std::int64_t num_rows_, row_stride_;
  std::int32_t num_columns_;
  Divisor page_size_;
  IntArray full_to_swa_;
  std::int64_t num_translated_;
};

}  // namespace kvcanary::detail
