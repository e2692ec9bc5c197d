#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

/// \file
/// Arrays of inputs.
namespace kvcanary::perf {

template <class View>
View uninitialized(const std::string& label, auto... sizes) {
  return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
              static_cast<std::size_t>(sizes)...);
}

/// A copy in the memory of an execution space.
template <class Memory, class T>
Kokkos::View<T*, Memory> upload(const std::vector<T>& host) {
  const auto device = uninitialized<Kokkos::View<T*, Memory>>(
      "perf::upload", static_cast<std::int64_t>(host.size()));
  Kokkos::deep_copy(device, host_view(host.data(), host.size()));
  return device;
}

/// Numbers [first, first + count) in an order that is random and always the same.
inline std::vector<std::int32_t> shuffled(std::int64_t first, std::int64_t count,
                                          std::uint64_t seed) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first));
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(seed));
  return numbers;
}

}  // namespace kvcanary::perf
