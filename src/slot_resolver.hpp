#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

/// \file
/// From (row, position) to a slot, through the slot table and the SWA translation.
namespace kvcanary::detail {

/// The translation has no slot for a token any more: right outside the window, wrong inside it.
inline constexpr std::int64_t evicted_slot = no_slot;

class SlotResolver {
 public:
  SlotResolver(const SlotTable& table, const IntSpan& full_to_swa)
      : table_(table),
        full_to_swa_(full_to_swa),
        page_shift_(std::has_single_bit(static_cast<std::uint64_t>(table.page_size))
                        ? std::countr_zero(static_cast<std::uint64_t>(table.page_size))
                        : -1) {}

  /// The slot, or evicted_slot, or invalid_slot. `position` >= 0. Reads nothing outside the table
  /// and the translation.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t position) const {
    // A 64-bit division costs as much as everything else here, and page sizes are mostly powers
    // of 2.
    const std::int64_t column =
        page_shift_ >= 0 ? position >> page_shift_ : position / table_.page_size;
    if (row < 0 || row >= table_.num_rows || column >= table_.num_columns) return invalid_slot;
    const std::int64_t page = table_.entries[row * table_.row_stride + column];
    if (page < 0) return invalid_slot;
    const std::int64_t full = page * table_.page_size + (position - column * table_.page_size);
    if (!full_to_swa_.given()) return full;
    if (full >= full_to_swa_.size()) return invalid_slot;
    const std::int64_t translated = full_to_swa_[full];
    return translated < 0 ? evicted_slot : translated;
  }

  /// The same where an evicted slot is wrong.
  KOKKOS_FUNCTION std::int64_t present(std::int64_t row, std::int64_t position) const {
    const std::int64_t slot = (*this)(row, position);
    return slot == evicted_slot ? invalid_slot : slot;
  }

 private:
  SlotTable table_;
  IntSpan full_to_swa_;
  int page_shift_;  // log2 of the page size, or -1
};

}  // namespace kvcanary::detail
