#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

/// \file
/// How every kernel is launched: light-weight, on the caller's instance, without allocation or
/// fence.
namespace kvcanary::detail {

/// Whether an execution space runs on the host, where one thread walks many entries instead of one
/// each.
template <class ExecSpace>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible &&
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible;

/// Lanes that execute in step: a warp of NVIDIA's, a wavefront of AMD's Instinct GPUs.
template <class ExecSpace>
inline constexpr int warp_size = is_host_space<ExecSpace> ? 1 : 32;
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr int warp_size<Kokkos::HIP> = 64;
#endif

/// A functor and its policy travel as kernel arguments only when they are small and the policy is
/// light-weight. Otherwise Kokkos copies them through constant memory behind an event, which a CUDA
/// graph can't capture.
template <class Functor>
constexpr void check_functor_size() {
  static_assert(sizeof(Functor) <= 1024, "kernel functor is too large to be captured in a graph");
}

template <class Policy>
auto light_weight(const Policy& policy) {
  return Kokkos::Experimental::require(policy,
                                       Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Entries that a worker takes at a time: neighbours on a host core, so that it can carry state
/// from one to the next; one on a device, where neighbouring threads then read neighbouring
/// entries.
template <class ExecSpace>
inline constexpr std::int64_t chunk_size = is_host_space<ExecSpace> ? 1024 : 1;

/// Workers for up to `max_entries` entries, whose number only the device knows. Enough to fill
/// `space` and, on a host, to balance chunks of uneven cost.
template <class ExecSpace>
std::int64_t num_workers(const ExecSpace& space, std::int64_t max_entries) {
  const std::int64_t chunks = (max_entries + chunk_size<ExecSpace> - 1) / chunk_size<ExecSpace>;
  const std::int64_t fill = std::int64_t{space.concurrency()} * (is_host_space<ExecSpace> ? 16 : 1);
  return std::max<std::int64_t>(1, std::min(chunks, fill));
}

/// Calls `body(begin, end)` for every chunk of [0, num_entries) that is the turn of `worker`.
template <class ExecSpace, class Body>
KOKKOS_FUNCTION void for_each_chunk(std::int64_t worker, std::int64_t num_workers,
                                    std::int64_t num_entries, const Body& body) {
  constexpr std::int64_t size = chunk_size<ExecSpace>;
  for (std::int64_t begin = worker * size; begin < num_entries; begin += num_workers * size) {
    body(begin, begin + size < num_entries ? begin + size : num_entries);
  }
}

/// Runs `functor(worker)` for every worker in [0, count).
template <class ExecSpace, class Functor>
void launch_workers(const char* label, const ExecSpace& space, std::int64_t count,
                    const Functor& functor) {
  check_functor_size<Functor>();
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, light_weight(Policy(space, 0, count)), functor);
}

/// Runs `functor(member)` for every team of a league, with `scratch_bytes` of fast memory a team.
/// The compiler spares registers so that `min_teams` teams fit on a multiprocessor.
template <int device_team_size, int min_teams = 1, class ExecSpace, class Functor>
void launch_teams(const char* label, const ExecSpace& space, std::int64_t league_size,
                  std::size_t scratch_bytes, const Functor& functor) {
  check_functor_size<Functor>();
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                    Kokkos::LaunchBounds<device_team_size, min_teams>>;
  auto policy = light_weight(Policy(space, static_cast<int>(league_size),
                                    is_host_space<ExecSpace> ? 1 : device_team_size));
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for(label, policy, functor);
}

/// The next `bytes` of a team's scratch memory. Called by all lanes of the team, or by none.
template <class T, class Member>
KOKKOS_FUNCTION T& in_scratch(const Member& team, std::size_t bytes = sizeof(T)) {
  return *static_cast<T*>(team.team_shmem().get_shmem_aligned(bytes, alignof(T)));
}

}  // namespace kvcanary::detail
