#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/verify_requests/verify_requests_device.hpp"
#include "src/verify_requests/verify_requests_host.hpp"

/// \file
/// verify_requests: a kernel for hosts and one for devices.
namespace kvcanary::detail {

template <KVWork kv_work, class Jobs, class ExecSpace>
void launch_on_device(const ExecSpace& space, const Jobs& jobs, const ViolationSink& sink) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Shape = VerifyRequestsShape<kv_work>;
  using Kernel = VerifyRequestsDevice<Member, SplitmixChain, kv_work, Jobs, Shape>;
  constexpr std::int64_t threads_of_a_multiprocessor = 2048;
  const std::int64_t teams =
      space.concurrency() / threads_of_a_multiprocessor * Shape::teams_at_once - 1;
  const Kernel kernel(jobs, sink, shares_of(jobs, teams * Shape::groups_per_team, Shape::grain));
  launch_teams<Shape::team_size, Shape::teams_at_once>(
      "kvcanary::verify_requests", space, kernel.league_size(), Kernel::scratch_bytes, kernel);
}

template <class Jobs, class ExecSpace>
void launch_on_device_with(const ExecSpace& space, std::span<const VerifyJob> jobs,
                           const ViolationSink& sink) {
  const Jobs args(jobs);
  switch (kv_work_of({args.endpoints.items, static_cast<std::size_t>(args.endpoints.count)})) {
    case KVWork::none:
      return launch_on_device<KVWork::none>(space, args, sink);
    case KVWork::few:
      return launch_on_device<KVWork::few>(space, args, sink);
    case KVWork::one:
      return launch_on_device<KVWork::one>(space, args, sink);
    case KVWork::many:
      return launch_on_device<KVWork::many>(space, args, sink);
  }
}

template <class ExecSpace>
void launch_on_host(const ExecSpace& space, std::span<const VerifyJob> jobs,
                    const ViolationSink& sink) {
  using Kernel = VerifyRequestsHost<SplitmixChain>;
  const JobArray<> args(jobs);
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
    if (jobs.size() == 1 && jobs[0].endpoints.size() == 1) {
      detail::launch_on_device_with<detail::JobArray<1, 1>>(space, jobs, sink);
    } else if (jobs.size() == 1 && jobs[0].endpoints.size() <= 4) {
      detail::launch_on_device_with<detail::JobArray<1, 4>>(space, jobs, sink);
    } else {
      detail::launch_on_device_with<detail::JobArray<>>(space, jobs, sink);
    }
  }
}

}  // namespace kvcanary
