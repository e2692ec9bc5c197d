#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <kvcanary/step.hpp>
#include <span>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/step/step_on_device.hpp"
#include "src/verify_requests/verify_requests_impl.hpp"
#include "src/write/scratch_layout.hpp"
#include "src/write/write_impl.hpp"

/// \file
/// step: one launch for decode on a device, and those of verify_requests and write_requests for all
/// else.
namespace kvcanary::detail {

/// What a step verifies, as the jobs of a verify_requests.
class VerifyJobsOfStep {
 public:
  VerifyJobsOfStep(std::span<const StepJob> jobs, VerifyEnd end) : count_(jobs.size()) {
    std::ranges::transform(jobs, items_.begin(), [=](const StepJob& job) {
      VerifyJob result{job.requests, job.endpoints};
      result.batch.verify_end = end;
      return result;
    });
  }

  std::span<const VerifyJob> span() const { return {items_.data(), count_}; }

 private:
  std::array<VerifyJob, max_endpoints> items_;
  std::size_t count_;
};

/// The endpoints of all jobs.
inline EndpointArray<> endpoints_of(std::span<const StepJob> jobs) {
  EndpointArray<> endpoints;
  for (const StepJob& job : jobs) endpoints.add(job.endpoints);
  return endpoints;
}

/// The most that a request of any job adds, as far as the host knows.
inline std::int64_t most_added(std::span<const StepJob> jobs) {
  std::int64_t most = 0;
  for (const StepJob& job : jobs) most = std::max(most, job.tokens.max_entries_per_request);
  return most;
}

/// Whether there is a kernel that does all of a step at once.
template <class ExecSpace>
bool is_one_launch(std::span<const StepJob> jobs) {
  const bool only_tables =
      std::ranges::all_of(jobs, [](const StepJob& job) { return has_narrow_table(job.requests); });
  if (!only_tables || jobs.size() > tuning::Shared::few_jobs || !are_small<ExecSpace>(jobs)) {
    return false;
  }
  const EndpointArray<> endpoints = endpoints_of(jobs);
  return endpoints.count <= tuning::Shared::few_endpoints &&
         chain_mix_of(endpoints.span()) != ChainMix::both;
}

template <ChainMix chains, KVWork kv_work, int job_room, class ExecSpace, class MemorySpace>
void launch_step(const ExecSpace& space, StepSide side, std::span<const StepJob> jobs,
                 const WriteScratch<MemorySpace>& scratch, const ViolationLog<MemorySpace>& log,
                 const LaunchCounters<MemorySpace>& counters) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  constexpr int endpoint_room = tuning::Shared::few_endpoints;
  using Jobs = VerifyJobArray<job_room, endpoint_room, true>;
  using Args = WriteArgs<BatchRequests, job_room, endpoint_room>;
  using Kernel = StepOnDevice<Member, chains, kv_work, Jobs, Args, Tuning<ExecSpace>>;
  const Args args(jobs, log, counters);
  const std::int64_t others = 1 + Kernel::num_writing(args);
  const Kernel kernel(side, Jobs(VerifyJobsOfStep(jobs, VerifyEnd::prefix).span()), args,
                      ScratchLayout::last_team(scratch.bytes.data()), most_added(jobs),
                      teams_that_fill(space, Kernel::teams_at_once) - others);
  launch_teams<Kernel::team_size, Kernel::teams_at_once>("kvc::step", space, kernel.league_size(),
                                                         Kernel::scratch_bytes, kernel);
}

template <ChainMix chains, class ExecSpace, class... Arguments>
void launch_step(const ExecSpace& space, StepSide side, std::span<const StepJob> jobs,
                 const Arguments&... arguments) {
  const auto launch = [&]<KVWork kv_work> {
    if (jobs.size() == 1) {
      launch_step<chains, kv_work, 1>(space, side, jobs, arguments...);
    } else {
      launch_step<chains, kv_work, tuning::Shared::few_jobs>(space, side, jobs, arguments...);
    }
  };
  kv_work_of(endpoints_of(jobs).span()) == KVWork::none ? launch.template operator()<KVWork::none>()
                                                        : launch.template operator()<KVWork::few>();
}

template <class ExecSpace, class MemorySpace>
void step_at_once(const ExecSpace& space, StepSide side, std::span<const StepJob> jobs,
                  const WriteScratch<MemorySpace>& scratch, const ViolationLog<MemorySpace>& log,
                  const LaunchCounters<MemorySpace>& counters) {
  if (jobs[0].endpoints[0].buffer.chain == Chain::splitmix) {
    launch_step<ChainMix::splitmix>(space, side, jobs, scratch, log, counters);
  } else {
    launch_step<ChainMix::polynomial>(space, side, jobs, scratch, log, counters);
  }
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void step(const ExecSpace& space, StepSide side, std::span<const StepJob> jobs,
          const WriteScratch<typename ExecSpace::memory_space>& scratch,
          const ViolationLog<typename ExecSpace::memory_space>& log,
          const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_step(side, jobs, scratch, log, counters, detail::unreachable_memory<ExecSpace>(),
                     detail::write_scratch_bytes(space));
  detail::require_warm("step", space);
  if constexpr (!is_host_space<ExecSpace>) {
    if (detail::is_one_launch<ExecSpace>(jobs)) {
      return detail::step_at_once(space, side, jobs, scratch, log, counters);
    }
  }
  const bool is_head = side == StepSide::head;
  const detail::VerifyJobsOfStep verified(jobs,
                                          is_head ? VerifyEnd::prefix : VerifyEnd::whole_step);
  const detail::ViolationSink sink(log, counters);
  if (is_head) detail::launch_verify_requests(space, verified.span(), sink);
  detail::launch_write_requests(space, jobs, scratch, log, counters);
  if (!is_head) detail::launch_verify_requests(space, verified.span(), sink);
}

}  // namespace kvcanary
