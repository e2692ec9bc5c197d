#pragma once

#include <cstdint>

namespace kvcanary::sim {

/// Bijective 64-bit mixer (the finaliser of Vigna's splitmix64).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// The splitmix64 generator. Unlike the distributions of <random>, its draws are the same on every
/// platform.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  /// The next 64 bits.
  constexpr std::uint64_t next() { return mix64(state_ += 0x9E3779B97F4A7C15u); }

  /// A number in [0, count), count in [1, 2^32]. The bias of count / 2^32 does not matter here.
  constexpr std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }

  /// A number in [low, high], both included.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + below(high - low + 1);
  }

 private:
  std::uint64_t state_;
};

}  // namespace kvcanary::sim
