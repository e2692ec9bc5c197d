#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <limits>

#include "src/divisor.hpp"
#include "src/int_array.hpp"
#include "src/request_args.hpp"

/// \file
/// From (row, position) to a slot, through the slot table and the translation.
namespace kvcanary::detail {

/// The table or the translation has no slot for a token any more: right for a predecessor outside
/// the window, wrong elsewhere.
inline constexpr std::int64_t gone_slot = -4;

/// What was found, in a plan: invalid_slot for whatever is no slot.
KOKKOS_INLINE_FUNCTION std::int64_t slot_or_invalid(std::int64_t found) {
  return found < 0 ? invalid_slot : found;
}

class SlotFinder {
 public:
  SlotFinder() = default;
  explicit SlotFinder(const RequestBatch& batch)
      : entries_(batch.table.entries),
        num_rows_(batch.table.num_rows),
        row_stride_(batch.table.row_stride),
        num_columns_(static_cast<std::int32_t>(std::min<std::int64_t>(
            batch.table.num_columns, std::numeric_limits<std::int32_t>::max()))),
        page_size_(static_cast<std::int32_t>(batch.table.page_size)),
        full_to_swa_(batch.full_to_swa),
        num_translated_(batch.full_to_swa.size()) {}

  /// The slot, or invalid_slot, or gone_slot. `row` and `position` may be any. Reads nothing
  /// outside the table and the translation.
  KOKKOS_FUNCTION std::int64_t find(std::int64_t row, std::int64_t position) const {
    if (!has_row(row) || !is_length(position)) return invalid_slot;
    const Place place = place_of(static_cast<std::int32_t>(position));
    if (place.column >= num_columns_) return invalid_slot;
    return slot_at(entries_of(row)[place.column], place.offset);
  }

  /// The slot before a position of a request that is verified from `first` on, as plans hold it.
  KOKKOS_FUNCTION std::int64_t find_predecessor(std::int64_t row, std::int64_t position,
                                                std::int64_t first) const {
    if (position == 0) return no_slot;
    const std::int64_t found = find(row, position - 1);
    return found == gone_slot && position == first ? unchecked_slot : slot_or_invalid(found);
  }

  /// The slots, as plans hold them, of `count` positions of a row from `begin` on, whose columns
  /// the table has: walks along the pages, so that no position costs a division. For the host.
  void find_many(std::int64_t row, std::int32_t begin, int count, std::int64_t* slots) const {
    const std::int32_t* const entries = entries_of(row);
    Place place = place_of(begin);
    for (int i = 0; i < count; ++place.column, place.offset = 0) {
      const int end = i + std::min(count - i, page_size_.divisor() - place.offset);
      const std::int32_t page = entries[place.column];
      if (page >= 0 && !full_to_swa_.given()) {
        std::int64_t full = std::int64_t{page} * page_size_.divisor() + place.offset;
        for (; i < end; ++i) slots[i] = full++;
      } else {
        for (; i < end; ++i) slots[i] = slot_or_invalid(slot_at(page, place.offset++));
      }
    }
  }

  // The steps of `find`, for kernels that take them apart.

  KOKKOS_FUNCTION bool has_row(std::int64_t row) const { return row >= 0 && row < num_rows_; }
  KOKKOS_FUNCTION const std::int32_t* entries_of(std::int64_t row) const {
    if (!has_row(row)) return nullptr;
    return entries_ + row * row_stride_;
  }
  std::int64_t page_size() const { return page_size_.divisor(); }

  /// Where the table entry of a position is in its row, and the position in the page.
  struct Place {
    std::int32_t column, offset;
  };
  KOKKOS_FUNCTION Place place_of(std::int32_t position) const {
    const std::int32_t column = page_size_.quotient(position);
    return {column, position - column * page_size_.divisor()};
  }

  /// Whether the table has an entry there.
  KOKKOS_FUNCTION bool has(std::int64_t row, const Place& place) const {
    return has_row(row) && place.column < num_columns_;
  }

  /// The slot, or invalid_slot, or gone_slot, of a table entry and a place in its page.
  KOKKOS_FUNCTION std::int64_t slot_at(std::int32_t entry, std::int32_t offset) const {
    if (entry < 0) return gone_slot;
    const std::int64_t full = std::int64_t{entry} * page_size_.divisor() + offset;
    if (!full_to_swa_.given()) return full;
    if (full >= num_translated_) return invalid_slot;
    const std::int64_t slot = full_to_swa_[full];
    return slot < 0 ? gone_slot : slot;
  }

  /// Positions from 0 on for which a row has columns.
  static std::int32_t reach_of(const SlotTable& table) {
    const std::int64_t columns = std::min(table.num_columns, max_tokens / table.page_size + 1);
    return static_cast<std::int32_t>(std::min(columns * table.page_size, max_tokens));
  }

 private:
  const std::int32_t* entries_;
  std::int64_t num_rows_, row_stride_;
  std::int32_t num_columns_;
  Divisor page_size_;
  IntArray full_to_swa_;
  std::int64_t num_translated_;
};

}  // namespace kvcanary::detail
