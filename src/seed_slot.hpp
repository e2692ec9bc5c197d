#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

#include "src/request_args.hpp"
#include "src/slot_finder.hpp"

/// \file
/// Which record the tokens that a request adds follow.
namespace kvcanary::detail {

/// The slot of the token before those that a request adds: no_slot where there is none before, and
/// where it adds none.
KOKKOS_INLINE_FUNCTION std::int64_t seed_slot(const SlotFinder& finder, std::int64_t row,
                                              std::int64_t prefix, std::int64_t extend) {
  if (prefix == 0 || extend == 0) return no_slot;
  return slot_or_invalid(finder.find(row, prefix - 1));
}

/// The same in two steps, between which other loads can be started: the first loads the table's
/// entry, the second needs it.
class SeedPlace {
 public:
  /// \param counts whether there is such a request at all
  KOKKOS_FUNCTION SeedPlace(const SlotFinder& finder, const RequestArgs::Request& request,
                            bool counts)
      : is_none_(!counts || request.prefix == 0 || request.extend == 0) {
    if (is_none_) return;
    const SlotFinder::Place place = finder.place_of(request.prefix - 1);
    offset_ = place.offset;
    is_in_table_ = finder.has(request.row, place);
    if (is_in_table_) entry_ = finder.entries_of(request.row)[place.column];
  }

  KOKKOS_FUNCTION std::int64_t slot(const SlotFinder& finder) const {
    if (is_none_) return no_slot;
    return is_in_table_ ? slot_or_invalid(finder.slot_at(entry_, offset_)) : invalid_slot;
  }

 private:
  std::int32_t entry_ = 0, offset_ = 0;
  bool is_none_, is_in_table_ = false;
};

}  // namespace kvcanary::detail
