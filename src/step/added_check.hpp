#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "backends/shared_tuning.hpp"
#include "src/seldom.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// A check of what a step has added, by one team, when all of it is stamped.
namespace kvcanary::detail {

/// Verifies the positions that requests add, of those that the table reaches. In team scratch.
template <KVWork kv_work, int team_size>
class AddedCheck {
 public:
  /// For all lanes of the team. A lane has a request and an endpoint, of which it verifies the
  /// first few positions. Where there are more than the caller said, all lanes share them.
  template <class Member, class Jobs>
  KOKKOS_FUNCTION void check(const Member& team, const Jobs& jobs, const ViolationSink& sink) {
    if (team.team_rank() == 0) any_long_ = 0;
    team.team_barrier();
    const Walk own{team.team_rank(), team_size, 0, 1, few},
        shared{0, 1, few + team.team_rank(), team_size, max_tokens};
    KVCANARY_SELDOM_LOOP
    for (int pass = 0; pass < 2; ++pass) {
      const Walk& walk = pass == 0 ? own : shared;
      for (int j = 0; j < jobs.num_jobs(); ++j) check_job(jobs, j, walk, sink);
      team.team_barrier();
      if (any_long_ == 0) break;
    }
  }

 private:
  static constexpr std::int64_t few = tuning::Shared::few_added;

  /// Which pairs of request and endpoint a lane takes, and which of a request's added positions.
  struct Walk {
    std::int64_t first_pair, pair_step;
    std::int64_t first, step, end;
  };

  template <class Jobs>
  KOKKOS_FUNCTION void check_job(const Jobs& jobs, int j, const Walk& walk,
                                 const ViolationSink& sink) {
    const VerifyJobArgs& job = jobs.at(j);
    const int n = job.batch.num_counted(), first_endpoint = jobs.first_endpoint(j);
    const std::int64_t pairs = std::int64_t{n} * (jobs.endpoint_end(j) - first_endpoint);
    KVCANARY_SELDOM_LOOP
    for (std::int64_t i = walk.first_pair; i < pairs; i += walk.pair_step) {
      const auto e = static_cast<int>(i / n), r = static_cast<int>(i - std::int64_t{e} * n);
      const RequestArgs::Request request = job.batch.request(r);
      const VerifiedRange range = job.range(request, true);
      const std::int64_t count = range.stop - request.prefix;
      if (count > few) Kokkos::atomic_store(&any_long_, 1);
      KVCANARY_SELDOM_LOOP
      for (std::int64_t a = walk.first; a < Kokkos::min(count, walk.end); a += walk.step) {
        verify_entry<kv_work>(jobs.endpoint(first_endpoint + e),
                              job.entry(r, range, request.prefix + a), r, sink);
      }
    }
  }

  int any_long_;  ///< 1: some request adds more than a few positions
};

}  // namespace kvcanary::detail
