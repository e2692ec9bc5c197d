#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

/// \file
/// The order in which pages are handed out.
namespace kvcanary::perf {

/// Numbers [first, first + count) in an order that is random and always the same.
inline std::vector<std::int32_t> shuffled(std::int64_t first, std::int64_t count,
                                          std::uint64_t seed) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first));
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(seed));
  return numbers;
}

}  // namespace kvcanary::perf
