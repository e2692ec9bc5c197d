#pragma once

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

/// \file
/// What tests do differently under the address sanitizer.
namespace sanitizer {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool is_on = true;
#else
inline constexpr bool is_on = false;
#endif

/// Makes every access to host memory an error. The sanitizer knows of each 8 bytes how many from
/// their first on may be accessed: up to 7 bytes before a `data + size` that is no multiple of 8
/// stay accessible.
inline void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t size) {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(data, size);
#endif
}

inline void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t size) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(data, size);
#endif
}

/// Whether an access to a byte would be an error.
inline bool is_poisoned([[maybe_unused]] const void* byte) {
#ifdef __SANITIZE_ADDRESS__
  return __asan_address_is_poisoned(byte) != 0;
#else
  return false;
#endif
}

}  // namespace sanitizer
