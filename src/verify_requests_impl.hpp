#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>

#include "arguments.hpp"
#include "launch.hpp"
#include "verify_requests_device.hpp"
#include "verify_requests_host.hpp"

/// \file
/// verify_requests: a kernel for hosts and one for devices, which cut the work in the same way.
namespace kvcanary::detail {

/// Sources of the endpoint that has the most to hash of each slot.
inline int most_sources(std::span<const VerifyJob> jobs) {
  int sources = 0;
  for (const VerifyJob& job : jobs) {
    for (const Endpoint& endpoint : job.endpoints) {
      if (endpoint.kv_hash_mode == KVHashMode::none) continue;
      sources = std::max(sources, static_cast<int>(endpoint.sources.count));
    }
  }
  return sources;
}

inline bool hashes_all(std::span<const VerifyJob> jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const VerifyJob& job) {
    return std::any_of(job.endpoints.begin(), job.endpoints.end(), [](const Endpoint& endpoint) {
      return endpoint.kv_hash_mode == KVHashMode::all;
    });
  });
}

/// log2 of the positions in a unit: a tile, or fewer when each has so much to hash that a small
/// batch would otherwise keep only a few teams busy.
template <class Kernel>
int device_unit_shift(std::span<const VerifyJob> jobs) {
  constexpr int smallest = 4;
  const int hashes = hashes_all(jobs) ? Kernel::team_size : Kernel::tile_size;
  const int unit = hashes / std::max(1, most_sources(jobs));
  return std::countr_zero(std::bit_floor(static_cast<unsigned>(std::max(smallest, unit))));
}

template <KVWork kv_work, class ExecSpace>
void launch_on_device(const ExecSpace& space, std::span<const VerifyJob> jobs,
                      const ViolationSink& sink) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = VerifyRequestsDevice<Member, SplitmixChain, kv_work>;
  const JobArray args(jobs, device_unit_shift<Kernel>(jobs));
  std::int64_t units = 1;
  for (const JobArgs& job : args.items) units += job.max_units();
  // As many as run at once: each team works out its share on its own, which costs the same for a
  // small share as for a large one.
  constexpr std::int64_t threads_for_each =
      Kernel::threads_of_a_multiprocessor / Kernel::teams_at_once;
  const std::int64_t teams = std::min(units, space.concurrency() / threads_for_each);
  launch_teams<Kernel::team_size, Kernel::teams_at_once>("kvcanary::verify_requests", space,
                                                         std::max<std::int64_t>(2, teams),
                                                         Kernel::scratch_bytes, Kernel(args, sink));
}

template <class ExecSpace>
void launch_on_host(const ExecSpace& space, std::span<const VerifyJob> jobs,
                    const ViolationSink& sink) {
  using Kernel = VerifyRequestsHost<SplitmixChain>;
  constexpr int unit_shift = 10;
  const JobArray args(jobs, unit_shift);
  // Some to spare, for cores that have other work too; each walks through all lengths, though.
  const std::int64_t workers = std::int64_t{4} * space.concurrency();
  launch_workers("kvcanary::verify_requests", space, workers, Kernel(args, sink, workers));
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void verify_requests(const ExecSpace& space, std::span<const VerifyJob> jobs,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_verify_requests(jobs, detail::unreachable_memory<ExecSpace>());
  detail::check_sink("verify_requests", log.capacity(), counters.counts());
  const detail::ViolationSink sink(log, counters);
  if constexpr (detail::is_host_space<ExecSpace>) {
    detail::launch_on_host(space, jobs, sink);
  } else {
    const int sources = detail::most_sources(jobs);
    if (sources == 0) detail::launch_on_device<detail::KVWork::none>(space, jobs, sink);
    if (sources == 1) detail::launch_on_device<detail::KVWork::one>(space, jobs, sink);
    if (sources > 1) detail::launch_on_device<detail::KVWork::many>(space, jobs, sink);
  }
}

}  // namespace kvcanary
