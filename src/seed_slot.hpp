#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

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

}  // namespace kvcanary::detail
