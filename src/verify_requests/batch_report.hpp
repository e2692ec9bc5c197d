#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/team.hpp"
#include "src/verify_requests/report_beyond.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// What one team of a device says of the batches as a whole.
namespace kvcanary::detail {

/// Counts launches and entries, and reports malformed batches and positions that a table or a list
/// does not reach. In team scratch.
template <int team_size, int warp_width>
class BatchReport {
 public:
  /// For all lanes of the team. \param with_added as VerifyRequestsOnDevice::run has it
  template <class Member, class Jobs>
  KOKKOS_FUNCTION void report(const Member& team, const Jobs& jobs, const ViolationSink& sink,
                              bool with_added) {
    if (team.team_rank() < max_endpoints) {
      of_job_[team.team_rank()].malformed = 0;
      of_job_[team.team_rank()].beyond = 0;
    }
    team.team_barrier();
    for (int j = 0; j < jobs.num_jobs(); ++j) look_at(team, jobs, j, sink, with_added);
    team.team_barrier();
    for (int j = 0; j < jobs.num_jobs(); ++j) {
      const int e = jobs.first_endpoint(j) + team.team_rank();
      if (of_job_[j].malformed != 0 && e < jobs.endpoint_end(j)) {
        sink.push_plan(jobs.endpoint(e).tag, static_cast<std::int64_t>(of_job_[j].num_entries()));
      }
      if (of_job_[j].beyond != 0) report_all_beyond(team, jobs, jobs.at(j), sink, with_added);
    }
  }

 private:
  static constexpr int num_warps = team_size / warp_width;

  struct Findings {
    Count entries[num_warps];  ///< of each warp's requests
    int malformed, beyond;     ///< 1: there is some

    KOKKOS_FUNCTION Count num_entries() const {
      Count sum = 0;
      for (const Count count : entries) sum += count;
      return sum;
    }
  };

  template <class Member, class Jobs>
  KOKKOS_FUNCTION void look_at(const Member& team, const Jobs& jobs, int j,
                               const ViolationSink& sink, bool with_added) {
    const VerifyJobArgs& job = jobs.at(j);
    Findings& findings = of_job_[j];
    const std::int64_t wanted = job.batch.wanted();
    const int n = job.batch.num_counted(wanted);
    Count entries = 0;
    bool malformed = wanted != n, beyond = false;
    for (int r = team.team_rank(); r < n; r += team_size) {
      const SlotFinder::List list = job.finder.list(r);  // on its way together with the lengths
      const RequestArgs::Request request = job.batch.request(r);
      const VerifiedRange range = job.range(list, request, with_added);
      entries += static_cast<Count>(range.num_entries());
      malformed = malformed || request.is_malformed;
      beyond = beyond || range.has_beyond();
    }
    if (malformed) Kokkos::atomic_store(&findings.malformed, 1);
    if (beyond) Kokkos::atomic_store(&findings.beyond, 1);
    entries = Warp<warp_width>::combine(team, entries, [](Count a, Count b) { return a + b; });
    const int lane = Warp<warp_width>::lane_in_warp(team);
    if (lane == 0) findings.entries[team.team_rank() / warp_width] = entries;
    // A short launch ends with this: nothing waits for a barrier first.
    const int e = jobs.first_endpoint(j) + lane;
    if (e >= jobs.endpoint_end(j)) return;
    sink.count_entries(jobs.endpoint(e).tag, entries);
    if (team.team_rank() < warp_width) sink.count_launch(jobs.endpoint(e).tag);
  }

  template <class Member, class Jobs>
  KOKKOS_FUNCTION static void report_all_beyond(const Member& team, const Jobs& jobs,
                                                const VerifyJobArgs& job, const ViolationSink& sink,
                                                bool with_added) {
    for (int r = 0, n = job.batch.num_counted(); r < n; ++r) {
      const VerifiedRange range = job.range(job.finder.list(r), job.batch.request(r), with_added);
      for (int side = 0; side < 2; ++side) {
        const std::int64_t from = side == 0 ? range.first : range.stop;
        const std::int64_t count = (side == 0 ? range.start : range.end) - from;
        const std::int64_t part = (count + team_size - 1) / team_size;
        const std::int64_t begin = Kokkos::min(count, part * team.team_rank());
        const std::int64_t end = Kokkos::min(count, begin + part);
        if (begin == end) continue;
        report_beyond(jobs.endpoints, job, r, range.row, from + begin, from + end, sink);
      }
    }
  }

  Findings of_job_[max_endpoints];
};

}  // namespace kvcanary::detail
