#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <string>
#include <vector>

/// \file
/// Arrays of inputs in the memory of an execution space.
namespace kvcanary::perf {

template <class View>
View uninitialized(const std::string& label, auto... sizes) {
  return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
              static_cast<std::size_t>(sizes)...);
}

template <class Memory, class T>
Kokkos::View<T*, Memory> upload(const std::vector<T>& host) {
  const auto device = uninitialized<Kokkos::View<T*, Memory>>(
      "perf::upload", static_cast<std::int64_t>(host.size()));
  Kokkos::deep_copy(device, host_view(host.data(), host.size()));
  return device;
}

/// Runs `functor(i)` for every i in [0, count), and waits for it.
template <class Space, class Functor>
void fill(const char* label, std::int64_t count, const Functor& functor) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, Policy(0, count), functor);
  Kokkos::fence(label);
}

}  // namespace kvcanary::perf
