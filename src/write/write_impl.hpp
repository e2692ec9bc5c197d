#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/write.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/write/write_args.hpp"
#include "src/write/write_lanes.hpp"
#include "src/write/write_teams.hpp"
#include "src/write/write_threads.hpp"

/// \file
/// write: which launch shape does it. All of them write and report the same.
namespace kvcanary::detail {

/// Up to so many entries a request, its chain takes no longer than setting up a team.
inline constexpr std::int64_t few_entries = 8;
/// Whether the host knows of a job that its requests have few entries with few KV bytes.
template <class MemorySpace>
bool is_small(const WriteJob<MemorySpace>& job) {
  const std::int64_t most = job.batch.max_entries_per_request;
  if (most < 1 || most > few_entries) return false;
  for (const Endpoint& endpoint : job.endpoints) {
    if (to_args(endpoint).kv_work() > KVWork::few) return false;
  }
  return true;
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void write(const ExecSpace& space, std::span<const WriteJob<typename ExecSpace::memory_space>> jobs,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_write<typename ExecSpace::memory_space>(jobs,
                                                        detail::unreachable_memory<ExecSpace>());
  detail::check_sink("write", log.capacity(), counters.counts());
  if constexpr (detail::is_host_space<ExecSpace>) {
    detail::launch_write_lanes(space, detail::WriteArgs(jobs, log, counters));
  } else {
    bool small = true;
    for (const auto& job : jobs) small = small && detail::is_small(job);
    small ? detail::write_threads(space, jobs, log, counters)
          : detail::launch_write_teams(space, detail::WriteArgs(jobs, log, counters));
  }
}

}  // namespace kvcanary
