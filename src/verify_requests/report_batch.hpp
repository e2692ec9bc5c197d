#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/verify_requests/report_beyond.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"
#include "src/warp.hpp"

/// \file
/// What one team of a device says of the batches as a whole.
namespace kvcanary::detail {

/// Index of the first entry of a request in its job's plan. Serial: only reports ask for it.
KOKKOS_INLINE_FUNCTION std::int64_t first_entry(const PlanArgs& batch, int request) {
  std::int64_t entries = 0;
  for (int r = 0; r < request; ++r) entries += batch.num_entries(r);
  return entries;
}

/// Counts launches and entries, and reports malformed batches and positions that a table does not
/// reach. In team scratch.
template <int team_size>
class BatchReport {
 public:
  /// For all lanes of the team.
  template <class Member, class Jobs>
  KOKKOS_FUNCTION void operator()(const Member& team, const Jobs& jobs, const ViolationSink& sink) {
    if (team.team_rank() < max_jobs) malformed_[team.team_rank()] = 0;
    if (team.team_rank() == 0) any_beyond_ = 0;
    team.team_barrier();
    for (int j = 0; j < jobs.num_jobs(); ++j) count(team, jobs, j, sink);
    team.team_barrier();
    for (int j = 0; j < jobs.num_jobs(); ++j) {
      const int e = jobs.first_endpoint(j) + team.team_rank();
      if (malformed_[j] != 0 && e < jobs.endpoint_end(j)) {
        const PlanArgs& batch = jobs.at(j).batch;
        sink.push(plan_violation(jobs.endpoint(e).tag, first_entry(batch, batch.count())));
      }
      if (any_beyond_ != 0) report_all_beyond(team, jobs, j, sink);
    }
  }

 private:
  template <class Member, class Jobs>
  KOKKOS_FUNCTION void count(const Member& team, const Jobs& jobs, int j,
                             const ViolationSink& sink) {
    const JobArgs& job = jobs.at(j);
    const int n = job.batch.count();
    std::int64_t entries = 0;
    bool malformed = job.batch.wanted() != n, beyond = false;
    for (int r = team.team_rank(); r < n; r += team_size) {
      const RequestRange range = job.range(r);
      entries += range.num_entries();
      malformed = malformed || job.batch.is_malformed(r);
      beyond = beyond || range.stop < range.end;
    }
    if (malformed) Kokkos::atomic_store(&malformed_[j], 1);
    if (beyond) Kokkos::atomic_store(&any_beyond_, 1);
    entries = over_warp(team, entries, [](std::int64_t a, std::int64_t b) { return a + b; });
    const int e = jobs.first_endpoint(j) + lane_in_warp(team);
    if (e >= jobs.endpoint_end(j)) return;
    sink.count_entries(jobs.endpoint(e).tag, static_cast<Count>(entries));
    if (team.team_rank() < warp_lanes) sink.count_launch(jobs.endpoint(e).tag);
  }

  template <class Member, class Jobs>
  KOKKOS_FUNCTION static void report_all_beyond(const Member& team, const Jobs& jobs, int j,
                                                const ViolationSink& sink) {
    const JobArgs& job = jobs.at(j);
    for (int r = 0, n = job.batch.count(); r < n; ++r) {
      const RequestRange range = job.range(r);
      if (range.stop == range.end) continue;
      const std::int64_t count = range.end - range.stop;
      const std::int64_t share = (count + team_size - 1) / team_size;
      const std::int64_t begin = Kokkos::min(count, share * team.team_rank());
      const std::int64_t end = Kokkos::min(count, begin + share);
      report_beyond(jobs.endpoints, job, range.row, first_entry(job.batch, r) - range.first,
                    range.stop + begin, range.stop + end, sink);
    }
  }

  int malformed_[max_jobs];
  int any_beyond_;
};

}  // namespace kvcanary::detail
