#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>

#include "src/argument_room.hpp"
#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/verify_requests/verify_requests_on_device.hpp"
#include "src/verify_requests/verify_requests_on_host.hpp"

/// \file
/// verify_requests: a kernel for hosts and one for devices.
namespace kvcanary::detail {

template <ChainMix chains, KVWork kv_work, class ExecSpace, class Jobs>
void launch_on_device(const ExecSpace& space, Jobs jobs, const ViolationSink& sink) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = VerifyRequestsOnDevice<Member, chains, kv_work, Jobs, Tuning<ExecSpace>>;
  using Split = typename Kernel::Split;
  // All but the team that does what is to be done once.
  const std::int64_t teams = teams_that_fill(space, Kernel::teams_at_once) - 1;
  Split::prepare(jobs, teams * Split::groups_per_team);
  const Kernel kernel(jobs, sink);
  launch_teams<Kernel::team_size, Kernel::teams_at_once>(
      "kvc::verify_req", space, kernel.league_size(), Kernel::scratch_bytes, kernel);
}

template <ChainMix chains, class ExecSpace, class Jobs>
void launch_on_device(const ExecSpace& space, const Jobs& jobs, const ViolationSink& sink) {
  switch (kv_work_of(jobs.endpoints.span())) {
    case KVWork::none:
      return launch_on_device<chains, KVWork::none>(space, jobs, sink);
    case KVWork::few:
      return launch_on_device<chains, KVWork::few>(space, jobs, sink);
    case KVWork::one:
      return launch_on_device<chains, KVWork::one>(space, jobs, sink);
    case KVWork::many:
      return launch_on_device<chains, KVWork::many>(space, jobs, sink);
  }
}

/// Launches of both chains, and of lists, are seldom: their kernels are compiled with room for any
/// number alone.
template <class Jobs, class ExecSpace>
void launch_on_device_with(const ExecSpace& space, std::span<const VerifyJob> jobs,
                           const ViolationSink& sink) {
  const Jobs args(jobs);
  switch (chain_mix_of(args.endpoints.span())) {
    case ChainMix::splitmix:
      return launch_on_device<ChainMix::splitmix>(space, args, sink);
    case ChainMix::polynomial:
      return launch_on_device<ChainMix::polynomial>(space, args, sink);
    case ChainMix::both:
      return launch_on_device<ChainMix::both>(space, VerifyJobArray<>(jobs), sink);
  }
}

template <class ExecSpace>
void verify_requests_on_device(const ExecSpace& space, std::span<const VerifyJob> jobs,
                               const ViolationSink& sink) {
  const bool only_tables =
      std::ranges::all_of(jobs, [](const VerifyJob& job) { return has_narrow_table(job.batch); });
  if (!only_tables) return launch_on_device_with<VerifyJobArray<>>(space, jobs, sink);
  with_room_for(jobs.size(), jobs[0].endpoints.size(), [&]<int num_jobs, int num_endpoints> {
    launch_on_device_with<VerifyJobArray<num_jobs, num_endpoints, true>>(space, jobs, sink);
  });
}

template <class ExecSpace>
void verify_requests_on_host(const ExecSpace& space, std::span<const VerifyJob> jobs,
                             const ViolationSink& sink) {
  const std::int64_t workers = tuning::Host::VerifyRequests::workers_per_core * space.concurrency();
  launch_workers("kvc::verify_req", space, workers,
                 VerifyRequestsOnHost(VerifyJobArray<>(jobs), sink, workers));
}

template <class ExecSpace>
void launch_verify_requests(const ExecSpace& space, std::span<const VerifyJob> jobs,
                            const ViolationSink& sink) {
  if constexpr (is_host_space<ExecSpace>) {
    verify_requests_on_host(space, jobs, sink);
  } else {
    verify_requests_on_device(space, jobs, sink);
  }
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void verify_requests(const ExecSpace& space, std::span<const VerifyJob> jobs,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_verify_requests(jobs, log, counters, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("verify_requests", space);
  detail::launch_verify_requests(space, jobs, detail::ViolationSink(log, counters));
}

}  // namespace kvcanary
