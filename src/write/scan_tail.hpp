#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>

#include "src/write/write_args.hpp"

/// \file
/// What consecutive entries of a polynomial chain make of any state before them.
namespace kvcanary::detail {

/// What `count` entries multiply the hash before them with.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t polynomial_power(int count) {
  std::uint64_t power = 1, square = polynomial_multiplier;
  for (; count > 0; count /= 2, square *= square) power *= count % 2 != 0 ? square : 1;
  return power;
}

/// Of entries of one request, the hash: after them it is multiplier * hash + offset. Such functions
/// compose associatively, so that any split of a chain can be computed in parallel.
struct ChainMap {
  std::uint64_t multiplier = 1, offset = 0;

  KOKKOS_FUNCTION void add(const WriteEntry& entry) {
    if (entry.slot < 0) return;
    multiplier *= polynomial_multiplier;
    offset = polynomial_multiplier * offset + polynomial_term(entry.token, entry.position);
  }

  /// Of these entries and those that follow them.
  KOKKOS_FUNCTION ChainMap then(const ChainMap& next) const {
    return {next.multiplier * multiplier, next.multiplier * offset + next.offset};
  }

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t hash) const {
    return multiplier * hash + offset;
  }
  KOKKOS_FUNCTION ChainState after(const ChainState& before) const {
    return {(*this)(before.hash), before.position, before.checks_position};
  }
};

/// Of entries of any requests, those that belong to the same request as the last of them: the hash,
/// the position, and whether the request's first entry is one of them.
struct ScanTail {
  ChainMap map = {};
  std::int64_t position = 0;      ///< of the last entry that is not skipped
  std::int32_t has_position = 0;  ///< 1: there is one
  std::int32_t start_index = -1;  ///< where the request's start is kept, if its first entry is one

  KOKKOS_FUNCTION bool has_start() const { return start_index >= 0; }

  KOKKOS_FUNCTION void add(const WriteEntry& entry) {
    map.add(entry);
    if (entry.slot < 0) return;
    position = entry.position;
    has_position = 1;
  }

  KOKKOS_FUNCTION ScanTail then(const ScanTail& next) const {
    if (next.has_start()) return next;
    return {map.then(next.map), next.has_position != 0 ? next.position : position,
            has_position | next.has_position, start_index};
  }

  KOKKOS_FUNCTION ChainState after(const ChainState& before) const {
    return {map(before.hash), has_position != 0 ? position : before.position,
            before.checks_position};
  }
};

}  // namespace kvcanary::detail
