#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/request_batch.hpp>

#include "src/clamp.hpp"
#include "src/divisor.hpp"
#include "src/int_array.hpp"
#include "src/page_entry.hpp"
#include "src/request_args.hpp"

/// \file
/// From a request and a position to a slot: through the slot table or the request's list, and the
/// translation.
namespace kvcanary::detail {

/// The table, the list or the translation has no slot for a token any more: right for a predecessor
/// outside the window, wrong elsewhere.
inline constexpr std::int64_t gone_slot = -4;

/// What was found, in a plan: invalid_slot for whatever is no slot.
KOKKOS_INLINE_FUNCTION std::int64_t slot_or_invalid(std::int64_t found) {
  return found < 0 ? invalid_slot : found;
}

/// A table's row and a list are the same to all who look for slots: a SlotRow.
class SlotFinder {
 public:
  SlotFinder() = default;
  explicit SlotFinder(const RequestBatch& batch)
      : first_positions_(batch.lists.first_positions),
        full_to_swa_(batch.full_to_swa),
        num_translated_(batch.full_to_swa.size()),
        has_lists_(batch.lists.given() ? 1 : 0) {
    const SlotTable& table = batch.table;
    const SlotLists& lists = batch.lists;
    IntType type = table.type;
    if (has_lists_ != 0) {
      entries_ = lists.pages.data();
      size_ = lists.pages.size();
      type = lists.pages.type();
      offsets_ = IntArray(lists.offsets);
      reach_ = lists.first_positions.given() ? max_reach
                                             : positions_of(lists.pages.size(), lists.page_size);
    } else {
      entries_ = table.entries;
      size_ = table.num_rows;
      row_stride_ = table.row_stride;
      reach_ = positions_of(table.num_columns, table.page_size);
    }
    is_wide_ = type == IntType::int64 ? 1 : 0;
    page_size_ =
        Divisor(static_cast<std::int32_t>(has_lists_ != 0 ? lists.page_size : table.page_size));
  }

  // ---- the row of a request --------------------------------------------------------------------

  /// What the lists say of a request: nothing where there is a table.
  struct List {
    std::int64_t begin = 0, end = 0;  ///< entries, which may be any
    std::int64_t first = 0;           ///< position, which may be any
  };
  /// Only looks: what it takes can come from memory together with what else is asked of a request.
  KOKKOS_FUNCTION List list(int request) const {
    if (has_lists_ == 0) return {};
    const auto [begin, end] = offsets_.pair(request);
    return {begin, end, first_positions_.given() ? first_positions_[request] : 0};
  }

  /// The entries of a request, whatever array they are in.
  struct SlotRow {
    std::int64_t begin;  ///< index of the first, if there is any
    std::int32_t first;  ///< position: those before are gone
    std::int32_t count;  ///< positions from there on for which there are entries

    KOKKOS_FUNCTION bool has(std::int32_t position) const {
      return static_cast<std::uint32_t>(position - first) < static_cast<std::uint32_t>(count);
    }
    /// The position behind the last.
    KOKKOS_FUNCTION std::int32_t end() const { return first + count; }
  };
  KOKKOS_FUNCTION SlotRow row(const List& list, std::int64_t row) const {
    if (has_lists_ != 0) return row_of(list);
    const bool is_there = row >= 0 && row < size_;
    return {is_there ? row * row_stride_ : 0, 0, is_there ? reach() : 0};
  }
  KOKKOS_FUNCTION SlotRow row(int request, std::int64_t row) const {
    return this->row(list(request), row);
  }

  // ---- the slot of a position ------------------------------------------------------------------

  /// The slot, or invalid_slot, or gone_slot. Reads nothing outside the arrays.
  /// \param position a length
  KOKKOS_FUNCTION std::int64_t find(const SlotRow& row, std::int32_t position) const {
    if (position < row.first) return gone_slot;
    if (!row.has(position)) return invalid_slot;
    return slot_at(look(row, position), place_of(row, position).offset);
  }

  /// The slot before a position of a request that is verified from `first` on, as plans hold it.
  KOKKOS_FUNCTION std::int64_t find_predecessor(const SlotRow& row, std::int32_t position,
                                                std::int32_t first) const {
    if (position == 0) return no_slot;
    const std::int64_t found = find(row, position - 1);
    return found == gone_slot && position == first ? unchecked_slot : slot_or_invalid(found);
  }

  /// The slots, as plans hold them, of `count` positions from `begin` on, all of which the row has:
  /// walks along the pages, so that no position costs a division. For the host.
  void find_many(const SlotRow& row, std::int32_t begin, int count, std::int64_t* slots) const {
    if (is_wide_ != 0) {
      find_many(static_cast<const std::int64_t*>(entries_) + row.begin, place_of(row, begin), count,
                slots);
    } else {
      find_many(static_cast<const std::int32_t*>(entries_) + row.begin, place_of(row, begin), count,
                slots);
    }
  }

  // ---- the steps of `find`, for kernels that take them apart -----------------------------------

  /// Where the entry of a position is in its row, and the position in the page.
  struct Place {
    std::int32_t column, offset;
  };
  KOKKOS_FUNCTION Place place_of(const SlotRow& row, std::int32_t position) const {
    const std::int32_t distance = position - row.first;
    const std::int32_t column = page_size_.quotient(distance);
    return {column, distance - column * page_size_.divisor()};
  }

  KOKKOS_FUNCTION bool is_wide() const { return is_wide_ != 0; }
  KOKKOS_FUNCTION bool is_narrow_table() const { return has_lists_ == 0 && is_wide_ == 0; }

  /// The entry of a position that the row has. Only looks, and doesn't wait for what it sees.
  KOKKOS_FUNCTION PageEntry look(const SlotRow& row, std::int32_t position) const {
    const std::int64_t i = row.begin + place_of(row, position).column;
    return is_wide_ != 0 ? PageEntry(static_cast<const std::int64_t*>(entries_)[i])
                         : PageEntry(static_cast<const std::int32_t*>(entries_)[i]);
  }
  /// The same where it is known whether entries are wide.
  template <class Int>
  KOKKOS_FUNCTION PageEntry look_as(const SlotRow& row, std::int32_t position) const {
    return PageEntry(static_cast<const Int*>(entries_)[row.begin + place_of(row, position).column]);
  }

  /// The slot, or invalid_slot, or gone_slot, of such an entry and a place in its page.
  KOKKOS_FUNCTION std::int64_t slot_at(const PageEntry& entry, std::int32_t offset) const {
    return slot_at(entry.value(is_wide_ != 0), offset);
  }
  /// The same if it is a slot below those of page 2^31; else gone_slot, and `find` knows more.
  KOKKOS_FUNCTION std::int64_t sure_slot_at(const PageEntry& entry, std::int32_t offset) const {
    return entry.is_page() ? translated(entry.page() * page_size_.divisor() + offset) : gone_slot;
  }

  /// Positions for which any row has entries, at the most.
  KOKKOS_FUNCTION std::int32_t reach() const { return static_cast<std::int32_t>(reach_); }
  std::int64_t page_size() const { return page_size_.divisor(); }

 private:
  /// A length is below 2^30, and its positions are below that.
  static constexpr std::int64_t max_reach = max_tokens - 1;

  /// Positions for which there are so many entries.
  static std::uint32_t positions_of(std::int64_t entries, std::int64_t page_size) {
    const std::int64_t bounded = std::min(entries, max_reach / page_size + 1);
    return static_cast<std::uint32_t>(std::min(bounded * page_size, max_reach));
  }

  /// The part of a list that is in the array: nothing else bounds what is read.
  KOKKOS_FUNCTION SlotRow row_of(const List& list) const {
    const std::int64_t begin = clamp(list.begin, std::int64_t{0}, size_);
    const std::int64_t entries = clamp(list.end, begin, size_) - begin;
    if (!is_length(list.first)) return {0, 0, 0};
    const std::int64_t positions =
        Kokkos::min(entries, std::int64_t{max_reach}) * page_size_.divisor();
    return {begin, static_cast<std::int32_t>(list.first),
            static_cast<std::int32_t>(Kokkos::min(positions, std::int64_t{max_reach}))};
  }

  KOKKOS_FUNCTION std::int64_t slot_at(std::int64_t entry, std::int32_t offset) const {
    if (entry < 0) return gone_slot;
    if (entry >= max_pages) return invalid_slot;
    return translated(entry * page_size_.divisor() + offset);
  }
  KOKKOS_FUNCTION std::int64_t translated(std::int64_t full) const {
    if (!full_to_swa_.given()) return full;
    if (full >= num_translated_) return invalid_slot;
    const std::int64_t slot = full_to_swa_[full];
    return slot < 0 ? gone_slot : slot;
  }

  template <class Int>
  void find_many(const Int* entries, Place place, int count, std::int64_t* slots) const {
    for (int i = 0; i < count; ++place.column, place.offset = 0) {
      const int end = i + std::min(count - i, page_size_.divisor() - place.offset);
      const std::int64_t page = entries[place.column];
      if (page >= 0 && page < max_pages && !full_to_swa_.given()) {
        std::int64_t full = page * page_size_.divisor() + place.offset;
        for (; i < end; ++i) slots[i] = full++;
      } else {
        for (; i < end; ++i) slots[i] = slot_or_invalid(slot_at(page, place.offset++));
      }
    }
  }

  /// No pool has as many; times a page size, they fit 64 bits.
  static constexpr std::int64_t max_pages = std::int64_t{1} << 32;

  // As small as it was before there were lists: a launch has twelve of them in its arguments.
  const void* entries_;  ///< a pointer: compilers know that it is one to global memory
  std::int64_t size_;    ///< rows of the table, or entries of all lists
  union {
    std::int64_t row_stride_;  ///< of the table
    IntArray offsets_;         ///< of the lists
  };
  IntArray first_positions_;
  IntArray full_to_swa_;
  std::int64_t num_translated_;
  std::uint32_t reach_ : 30, has_lists_ : 1, is_wide_ : 1;
  Divisor page_size_;
};

}  // namespace kvcanary::detail
