#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

/// \file
/// The hash that links the records of one request into a chain, like a block chain.
namespace kvcanary {

/// One output of Vigna's SplitMix64 generator for state `x` (https://prng.di.unimi.it/splitmix64.c,
/// without the increment): a bijection of 64-bit words. All arithmetic wraps.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Hash of three words. Order matters: the serial dependency is through `a`, then `b`, then `c`.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t mix3(std::uint64_t a, std::uint64_t b,
                                                    std::uint64_t c) {
  return splitmix64(splitmix64(splitmix64(a) ^ b) ^ c);
}

/// Chain policy: where a chain starts and how one token extends it. Bit-compatible with SGLang's KV
/// canary (its pull requests 26805 and 26806).
struct SplitmixChain {
  /// Hash before the first token of a request, the *anchor*: 0xDE7FAE23A9A1B716.
  KOKKOS_INLINE_FUNCTION static constexpr std::uint64_t start() {
    return splitmix64(0xC0FFEE1234567890ULL);
  }

  /// Hash after a token at a position, given the hash before it.
  KOKKOS_INLINE_FUNCTION static constexpr std::uint64_t step(std::uint64_t hash, std::int64_t token,
                                                             std::int64_t position) {
    return mix3(hash, static_cast<std::uint64_t>(token), static_cast<std::uint64_t>(position));
  }
};

}  // namespace kvcanary
