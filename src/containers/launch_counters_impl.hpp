#pragma once

#include <Kokkos_Core.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/memory.hpp>

/// \file
/// The members of LaunchCounters.
namespace kvcanary {

template <class MemorySpace>
template <class ExecSpace>
LaunchCounters<MemorySpace> LaunchCounters<MemorySpace>::allocate(const ExecSpace& space) {
  LaunchCounters counters;
  counters.counts_ =
      decltype(counters.counts_)(Kokkos::view_alloc(space, "kvcanary::launch_counters"));
  return counters;
}

template <class MemorySpace>
template <class ExecSpace>
void LaunchCounters<MemorySpace>::reset(const ExecSpace& space) const {
  Kokkos::deep_copy(space, counts_, TagCounts{});
}

template <class MemorySpace>
template <class ExecSpace>
TagCountsTable LaunchCounters<MemorySpace>::fetch(const ExecSpace& space) const {
  TagCountsTable table;
  Kokkos::deep_copy(space, host_view(table.data(), table.size()), counts_);
  space.fence("kvcanary::LaunchCounters::fetch");
  return table;
}

}  // namespace kvcanary
