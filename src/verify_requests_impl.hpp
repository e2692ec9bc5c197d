#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>

#include "arguments.hpp"
#include "launch.hpp"
#include "verify_requests_device.hpp"
#include "verify_requests_host.hpp"

/// \file
/// verify_requests: a kernel for hosts and one for devices.
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

/// Teams for each request, so that all that fit on the device at once have some work, and no more
/// than the longest request has grains.
template <class Kernel, class ExecSpace, class Jobs>
VerifyShares shares_on(const ExecSpace& space, const Jobs& jobs, std::int32_t grain) {
  constexpr std::int64_t most = 1024, threads_of_a_multiprocessor = 2048;
  const std::int64_t teams =
      space.concurrency() / (threads_of_a_multiprocessor / Kernel::teams_at_once);
  std::int64_t requests = 1;
  for (int j = 0; j < jobs.count; ++j) requests += jobs.items[j].batch.given;
  VerifyShares shares{.teams_per_request = {}, .grain = grain, .most = most};
  for (int j = 0; j < jobs.count; ++j) {
    const std::int64_t grains = (jobs.items[j].longest + grain - 1) / grain;
    shares.teams_per_request[j] =
        static_cast<std::int32_t>(std::max<std::int64_t>(1, std::min(grains, teams / requests)));
  }
  return shares;
}

template <KVWork kv_work, class Jobs, class ExecSpace>
void launch_on_device(const ExecSpace& space, std::span<const VerifyJob> jobs,
                      const ViolationSink& sink) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = VerifyRequestsDevice<Member, SplitmixChain, kv_work, Jobs>;
  // Few positions keep a team busy when each of them has many bytes to hash.
  constexpr std::int32_t grain = kv_work == KVWork::none ? 64 : kv_work == KVWork::one ? 32 : 4;
  const Jobs args(jobs, 0);
  const VerifyShares shares = shares_on<Kernel>(space, args, grain);
  launch_teams<Kernel::team_size, Kernel::teams_at_once>(
      "kvcanary::verify_requests", space, Kernel::league_size(args, shares), Kernel::scratch_bytes,
      Kernel(args, sink, shares));
}

template <class Jobs, class ExecSpace>
void launch_on_device(const ExecSpace& space, std::span<const VerifyJob> jobs,
                      const ViolationSink& sink) {
  const int sources = most_sources(jobs);
  if (sources == 0) launch_on_device<KVWork::none, Jobs>(space, jobs, sink);
  if (sources == 1) launch_on_device<KVWork::one, Jobs>(space, jobs, sink);
  if (sources > 1) launch_on_device<KVWork::many, Jobs>(space, jobs, sink);
}

template <class ExecSpace>
void launch_on_host(const ExecSpace& space, std::span<const VerifyJob> jobs,
                    const ViolationSink& sink) {
  using Kernel = VerifyRequestsHost<SplitmixChain>;
  constexpr int unit_shift = 10;
  const JobArray<> args(jobs, unit_shift);
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
    if (jobs.size() == 1 && jobs[0].endpoints.size() <= 4) {
      detail::launch_on_device<detail::JobArray<1, 4>>(space, jobs, sink);
    } else {
      detail::launch_on_device<detail::JobArray<>>(space, jobs, sink);
    }
  }
}

}  // namespace kvcanary
