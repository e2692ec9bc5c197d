#pragma once

#include <cstdint>

/// \file
/// Hints to a host core, which would otherwise wait for one cache line after the other.
namespace kvcanary::detail {

inline constexpr std::uintptr_t cache_line = 64;

/// Starts to fetch the line of an address, which may be any: nothing is read or written.
inline void prefetch_line([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace kvcanary::detail
