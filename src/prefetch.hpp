#pragma once

#include <cstdint>

#include "backends/host/tuning.hpp"

/// \file
/// Hints to a host core, which would otherwise wait for one cache line after the other.
namespace kvcanary::detail {

inline constexpr std::uintptr_t cache_line = tuning::Host::cache_line;

/// Starts to fetch the line of an address, which may be any, to read it.
inline void prefetch_read([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 0, tuning::Host::prefetch_level);
#endif
}

/// The same to write it.
inline void prefetch_write([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1, tuning::Host::prefetch_level);
#endif
}

}  // namespace kvcanary::detail
