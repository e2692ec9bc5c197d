#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/write.hpp>
#include <kvcanary/write_requests.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/write/write_args.hpp"
#include "src/write/write_by_lane.hpp"
#include "src/write/write_by_scan.hpp"
#include "src/write/write_by_team.hpp"
#include "src/write/write_by_thread.hpp"
#include "src/write/write_on_host.hpp"

/// \file
/// write and write_requests: which launch shape does it. All of them write and report the same.
namespace kvcanary::detail {

/// Whether the host knows of a job that its requests have at most `max_entries` with few KV bytes.
template <class Job>
bool is_small(const Job& job, std::int64_t max_entries) {
  const std::int64_t entries = tokens_of(job).max_entries_per_request;
  if (entries < 1 || entries > max_entries) return false;
  for (const Endpoint& endpoint : job.endpoints) {
    if (to_args(endpoint).kv_work() > KVWork::few) return false;
  }
  return true;
}

/// Whether that is so of all jobs.
template <class ExecSpace, class Job>
bool are_small(std::span<const Job> jobs) {
  constexpr std::int64_t max_entries = Tuning<ExecSpace>::WriteByThread::max_entries;
  return std::ranges::all_of(jobs, [](const Job& job) { return is_small(job, max_entries); });
}

/// A launch for each chain.
template <class Requests, class ExecSpace, class Job, class MemorySpace>
void write_long(const ExecSpace& space, std::span<const Job> jobs,
                const WriteScratch<MemorySpace>& scratch, const ViolationLog<MemorySpace>& log,
                const LaunchCounters<MemorySpace>& counters) {
  const auto have = [&](Chain chain) {
    return std::ranges::any_of(jobs, [=](const Job& job) { return has_chain(job, chain); });
  };
  if (have(Chain::splitmix)) write_by_team<Requests>(space, jobs, log, counters);
  if (have(Chain::polynomial)) write_by_scan<Requests>(space, jobs, scratch, log, counters);
}

/// That of a plan whose job has a polynomial chain.
template <class MemorySpace>
WriteScratch<MemorySpace> scratch_of(std::span<const WriteJob<MemorySpace>> jobs) {
  const auto job =
      std::ranges::find_if(jobs, [](const auto& job) { return has_chain(job, Chain::polynomial); });
  return job != jobs.end() ? job->plan.scratch : WriteScratch<MemorySpace>{};
}

template <class ExecSpace, class MemorySpace>
void launch_write_requests(const ExecSpace& space, std::span<const StepJob> jobs,
                           const WriteScratch<MemorySpace>& scratch,
                           const ViolationLog<MemorySpace>& log,
                           const LaunchCounters<MemorySpace>& counters) {
  if constexpr (is_host_space<ExecSpace>) {
    write_on_host(space, WriteArgs<BatchRequests>(jobs, log, counters));
  } else if (are_small<ExecSpace>(jobs)) {
    write_by_lane(space, jobs, log, counters);
  } else {
    write_long<BatchRequests>(space, jobs, scratch, log, counters);
  }
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void write(const ExecSpace& space, std::span<const WriteJob<typename ExecSpace::memory_space>> jobs,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_write(jobs, log, counters, detail::unreachable_memory<ExecSpace>(),
                      detail::write_scratch_bytes(space));
  detail::require_warm("write", space);
  if constexpr (is_host_space<ExecSpace>) {
    detail::write_on_host(space, detail::WriteArgs<detail::PlannedRequests>(jobs, log, counters));
  } else if (detail::are_small<ExecSpace>(jobs)) {
    detail::write_by_thread(space, jobs, log, counters);
  } else {
    detail::write_long<detail::PlannedRequests>(space, jobs, detail::scratch_of(jobs), log,
                                                counters);
  }
}

template <class ExecSpace>
void write_requests(const ExecSpace& space, std::span<const StepJob> jobs,
                    const WriteScratch<typename ExecSpace::memory_space>& scratch,
                    const ViolationLog<typename ExecSpace::memory_space>& log,
                    const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_write_requests(jobs, scratch, log, counters,
                               detail::unreachable_memory<ExecSpace>(),
                               detail::write_scratch_bytes(space));
  detail::require_warm("write_requests", space);
  detail::launch_write_requests(space, jobs, scratch, log, counters);
}

}  // namespace kvcanary
