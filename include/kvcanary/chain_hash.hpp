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

/// Hash of two words. Order matters.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t mix2(std::uint64_t a, std::uint64_t b) {
  return splitmix64(splitmix64(a) ^ b);
}

/// Hash of three words. Order matters: the serial dependency is through `a`, then `b`, then `c`.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t mix3(std::uint64_t a, std::uint64_t b,
                                                    std::uint64_t c) {
  return splitmix64(mix2(a, b) ^ c);
}

/// How the records of a buffer are linked. All of them by the same chain: a record of one, read as
/// one of the other, is a wrong record.
enum class Chain : std::uint8_t {
  /// mix3(hash before, token, position): bit-compatible with SGLang's KV canary (its pull
  /// requests 26805 and 26806). Serial: a request's tokens can only be stamped one after the other.
  splitmix,
  /// polynomial_multiplier * hash before + mix2(token, position): as strict, and a scan can compute
  /// it, so
  /// that long requests are stamped as fast as memory allows. One changed token changes every later
  /// hash for sure, two changes cancel with a probability of 2^-64.
  polynomial
};

/// What a polynomial chain multiplies the hash before a token with: a multiplier of Steele and
/// Vigna's tables (Computationally easy, spectrally good multipliers for congruential pseudorandom
/// number generators, 2022). It is odd, so that no power of it loses a difference.
inline constexpr std::uint64_t polynomial_multiplier = 0xD1342543DE82EF95ULL;

/// What a polynomial chain adds for a token at a position.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t polynomial_term(std::int64_t token,
                                                               std::int64_t position) {
  return mix2(static_cast<std::uint64_t>(token), static_cast<std::uint64_t>(position));
}

/// Hash before the first token of a request, the *anchor* of any chain: 0xDE7FAE23A9A1B716.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t chain_start() {
  return splitmix64(0xC0FFEE1234567890ULL);
}

/// Hash after a token at a position, given the hash before it.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t chain_step(Chain chain, std::uint64_t hash,
                                                          std::int64_t token,
                                                          std::int64_t position) {
  // The same but for what they make of the hash: without a branch, so that kernels compute several
  // records side by side.
  const bool is_linear = chain == Chain::polynomial;
  const std::uint64_t mixed_in = is_linear ? 0 : splitmix64(hash);
  const std::uint64_t added = is_linear ? polynomial_multiplier * hash : 0;
  return mix2(mixed_in ^ static_cast<std::uint64_t>(token), static_cast<std::uint64_t>(position)) +
         added;
}

}  // namespace kvcanary
