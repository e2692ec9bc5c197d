#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/violation_log.hpp>

#include "src/seldom.hpp"

/// \file
/// The seal of a row, for kernels.
namespace kvcanary::detail {

/// See seal_of. Reads the fields from memory one by one: a kernel that has just stored them would
/// else keep all of them in registers.
KOKKOS_INLINE_FUNCTION std::uint64_t seal(const Violation& violation, Count index) {
  constexpr int fields = sizeof(Violation) / sizeof(std::int64_t);
  const auto* const words = reinterpret_cast<const volatile std::int64_t*>(&violation);
  std::uint64_t hash = splitmix64(index + 1);
  KVCANARY_SELDOM_LOOP
  for (int i = 0; i < fields; ++i) hash = splitmix64(hash ^ static_cast<std::uint64_t>(words[i]));
  return hash;
}

}  // namespace kvcanary::detail
