#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "backends/cuda/stream.hpp"
#include "backends/execution_spaces.hpp"
#include "backends/hip/stream.hpp"
#include "backends/tuning.hpp"

/// \file
/// How every kernel is launched: light-weight, on the caller's instance, without allocation or
/// fence.
namespace kvcanary::detail {

/// A functor and its policy travel as kernel arguments only when they are small and the policy is
/// light-weight. Otherwise Kokkos copies them through constant memory behind an event, which a
/// graph can't capture. The limit of CUDA and HIP is 4096 bytes, some of which are the policy's.
template <class Functor>
constexpr void check_functor_size() {
  static_assert(sizeof(Functor) <= 3584, "kernel functor is too large to be captured in a graph");
}

template <class Policy>
auto light_weight(const Policy& policy) {
  return Kokkos::Experimental::require(policy,
                                       Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Devices by index whose first launch is behind them, see warm_up. One set for each backend, whose
/// operations are all in one translation unit: Kokkos copies its locks' addresses once for each.
template <class ExecSpace>
inline std::atomic<std::uint64_t> warm_devices{0};

/// Before a launch: refuses to make the first one of a device part of a graph.
template <class ExecSpace>
void require_warm(const char* operation, const ExecSpace& space) {
  if constexpr (!is_host_space<ExecSpace>) {
    const std::uint64_t bit = std::uint64_t{1} << (device_of(space) % 64);
    if ((warm_devices<ExecSpace>.load(std::memory_order_relaxed) & bit) != 0) return;
    if (is_captured(space)) {
      throw std::logic_error(std::string(operation) +
                             ": the stream is being captured, and nothing has run on its device "
                             "yet; call kvcanary::warm_up before the capture");
    }
    warm_devices<ExecSpace>.fetch_or(bit, std::memory_order_relaxed);
  }
}

/// Workers of a host for up to `max_entries` entries, whose number only the kernel knows: enough to
/// fill `space`, and to balance chunks of uneven cost.
template <class ExecSpace>
std::int64_t num_workers(const ExecSpace& space, std::int64_t max_entries) {
  using Shape = tuning::Host::Workers;
  const std::int64_t chunks = (max_entries + Shape::chunk_size - 1) / Shape::chunk_size;
  return std::max<std::int64_t>(1, std::min(chunks, space.concurrency() * Shape::per_core));
}

/// Runs `functor(worker)` for every worker in [0, count).
/// \param label at most 15 characters: Kokkos makes a std::string of it, which then takes no heap
template <class ExecSpace, class Functor>
void launch_workers(const char* label, const ExecSpace& space, std::int64_t count,
                    const Functor& functor) {
  check_functor_size<Functor>();
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, light_weight(Policy(space, 0, count)), functor);
}

/// Runs `functor(member)` for every team of a league on a device, with `scratch_bytes` of fast
/// memory a team. The compiler spares registers so that `teams_at_once` fit on a multiprocessor.
template <int team_size, int teams_at_once = 1, class ExecSpace, class Functor>
void launch_teams(const char* label, const ExecSpace& space, std::int64_t league_size,
                  std::size_t scratch_bytes, const Functor& functor) {
  check_functor_size<Functor>();
  constexpr int bound = Tuning<ExecSpace>::min_launch_bound(team_size, teams_at_once);
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                    Kokkos::LaunchBounds<team_size, bound>>;
  auto policy = light_weight(Policy(space, static_cast<int>(league_size), team_size));
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for(label, policy, functor);
}

/// Teams of a kernel that fill a device.
template <class ExecSpace>
std::int64_t teams_that_fill(const ExecSpace& space, int teams_at_once) {
  return std::int64_t{space.concurrency()} / Tuning<ExecSpace>::threads_per_multiprocessor *
         teams_at_once;
}

}  // namespace kvcanary::detail
