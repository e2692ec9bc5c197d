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
KOKKOS_INLINE_FUNCTION std::int64_t seed_slot(const SlotFinder& finder,
                                              const SlotFinder::SlotRow& row, std::int32_t prefix,
                                              std::int64_t extend) {
  if (prefix == 0 || extend == 0) return no_slot;
  return slot_or_invalid(finder.find(row, prefix - 1));
}

/// The same in two steps, between which other loads can be started: the first loads the entry of
/// the table or the list, the second needs it.
class SeedPlace {
 public:
  /// \param list of the request \param counts whether there is such a request at all
  KOKKOS_FUNCTION SeedPlace(const SlotFinder& finder, const SlotFinder::List& list,
                            const RequestArgs::Request& request, bool counts)
      : is_none_(!counts || request.prefix == 0 || request.extend == 0) {
    if (is_none_) return;
    const SlotFinder::SlotRow row = finder.row(list, request.row);
    if (!row.has(request.prefix - 1)) return;
    offset_ = finder.place_of(row, request.prefix - 1).offset;
    entry_ = finder.look(row, request.prefix - 1);
  }

  KOKKOS_FUNCTION std::int64_t slot(const SlotFinder& finder) const {
    return is_none_ ? no_slot : slot_or_invalid(finder.slot_at(entry_, offset_));
  }

 private:
  PageEntry entry_;  ///< none where the request has no entry for it
  std::int32_t offset_ = 0;
  bool is_none_;
};

}  // namespace kvcanary::detail
