#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/write.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/write/write_args.hpp"
#include "src/write/write_by_scan.hpp"
#include "src/write/write_by_team.hpp"
#include "src/write/write_by_thread.hpp"
#include "src/write/write_on_host.hpp"

/// \file
/// write: which launch shape does it. All of them write and report the same.
namespace kvcanary::detail {

/// Whether the host knows of a job that its requests have at most `max_entries` with few KV bytes.
template <class MemorySpace>
bool is_small(const WriteJob<MemorySpace>& job, std::int64_t max_entries) {
  const std::int64_t entries = job.batch.max_entries_per_request;
  if (entries < 1 || entries > max_entries) return false;
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
  detail::check_write(jobs, log, counters, detail::unreachable_memory<ExecSpace>(),
                      detail::write_scratch_bytes(space));
  detail::require_warm("write", space);
  if constexpr (is_host_space<ExecSpace>) {
    detail::write_on_host(space, detail::WriteArgs(jobs, log, counters));
  } else {
    constexpr std::int64_t max_entries = Tuning<ExecSpace>::WriteByThread::max_entries;
    bool small = true;
    for (const auto& job : jobs) small = small && detail::is_small(job, max_entries);
    if (small) return detail::write_by_thread(space, jobs, log, counters);
    const auto have = [&](Chain chain) {
      return std::ranges::any_of(jobs,
                                 [=](const auto& job) { return detail::has_chain(job, chain); });
    };
    if (have(Chain::splitmix)) detail::write_by_team(space, jobs, log, counters);
    if (have(Chain::polynomial)) detail::write_by_scan(space, jobs, log, counters);
  }
}

}  // namespace kvcanary
