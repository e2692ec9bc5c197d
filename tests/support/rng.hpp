#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

/// \file
/// Random numbers that are the same with every standard library (its distributions are not).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  /// One of low, low + 1, ..., high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }

  bool chance(int percent) { return between(1, 100) <= percent; }

  template <class T>
  T pick(const std::vector<T>& values) {
    return values[index(values)];
  }

  /// Of an element of a container that is not empty.
  template <class Container>
  std::size_t index(const Container& values) {
    return static_cast<std::size_t>(between(0, static_cast<std::int64_t>(values.size()) - 1));
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[bits() % i]);
    }
  }

  /// first, ..., first + count - 1 in random order.
  std::vector<std::int64_t> permutation(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> values(count);
    std::iota(values.begin(), values.end(), first);
    shuffle(values);
    return values;
  }

  std::vector<std::byte> bytes(std::int64_t count) {
    std::vector<std::byte> values(count);
    for (std::int64_t i = 0; i < count; i += 8) {
      const std::uint64_t word = bits();
      std::memcpy(&values[i], &word, std::min<std::int64_t>(8, count - i));
    }
    return values;
  }

 private:
  std::mt19937_64 engine_;
};
