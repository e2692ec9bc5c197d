#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TESTS_ARE_SANITIZED
#elif defined(__has_feature)  // Clang's way to say so
#if __has_feature(address_sanitizer)
#define TESTS_ARE_SANITIZED
#endif
#endif

#ifdef TESTS_ARE_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

/// \file
/// What tests do differently under the address sanitizer.
namespace sanitizer {

#ifdef TESTS_ARE_SANITIZED
inline constexpr bool is_on = true;
#else
inline constexpr bool is_on = false;
#endif

/// Makes every access to host memory an error. The sanitizer knows of each 8 bytes how many from
/// their first on may be accessed: up to 7 bytes before a `data + size` that is no multiple of 8
/// stay accessible.
inline void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t size) {
#ifdef TESTS_ARE_SANITIZED
  __asan_poison_memory_region(data, size);
#endif
}

inline void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t size) {
#ifdef TESTS_ARE_SANITIZED
  __asan_unpoison_memory_region(data, size);
#endif
}

/// Whether an access to a byte would be an error.
inline bool is_poisoned([[maybe_unused]] const void* byte) {
#ifdef TESTS_ARE_SANITIZED
  return __asan_address_is_poisoned(byte) != 0;
#else
  return false;
#endif
}

}  // namespace sanitizer
