#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/seldom.hpp"
#include "src/team.hpp"
#include "src/write/write_args.hpp"

/// \file
/// What a team has to know of the requests of a job: a plan says it; of a batch, each team sums up
/// the lengths. In team scratch.
namespace kvcanary::detail {

template <class Job, int team_size, int warp_width>
class TeamRequests;

/// A request that a team has found, with what it takes to say whether it counts.
template <class Job>
struct FoundRequest {
  typename Job::Request request;
  typename Job::Requests::Totals totals;
  EntryBounds bounds;
};

template <int team_size, int warp_width>
class TeamRequests<WriteJobArgs<PlannedRequests>, team_size, warp_width> {
  using Job = WriteJobArgs<PlannedRequests>;

 public:
  template <class Member>
  KOKKOS_FUNCTION FoundRequest<Job> find(const Member&, const Job& job, std::int64_t r) {
    const PlannedRequest request = job.requests.request(r);
    const WritePlanState totals = job.requests.totals();
    return {request, totals, job.bounds(job.requests.num_requests(totals))};
  }

  /// Of the entries that any request has. For all lanes, which may see different ones: plans
  /// change.
  template <class Member>
  KOKKOS_FUNCTION EntryBounds entries(const Member&, const Job& job) {
    return job.bounds(job.requests.num_requests(job.requests.totals()));
  }
};

template <int team_size, int warp_width>
class TeamRequests<WriteJobArgs<BatchRequests>, team_size, warp_width> {
  using Job = WriteJobArgs<BatchRequests>;

 public:
  /// For all lanes of the team, and again behind a barrier.
  template <class Member>
  KOKKOS_FUNCTION FoundRequest<Job> find(const Member& team, const Job& job, std::int64_t r) {
    const RequestArgs& batch = job.requests.batch;
    RequestArgs::Request mine{};
    if (r < batch.num_given()) mine = batch.request(static_cast<int>(r));
    const auto [wanted, sums] = sum(team, job, r);
    const int n = batch.num_counted(wanted);
    return {BatchRequests::request(mine, sums.before), {n, wanted != n, sums.all}, job.bounds()};
  }

  template <class Member>
  KOKKOS_FUNCTION EntryBounds entries(const Member& team, const Job& job) {
    const EntryBounds all = job.bounds();
    return {all.first, Kokkos::min(all.last, sum(team, job, 0).sums.all.tokens)};
  }

 private:
  struct Sums {
    std::int64_t before = 0;  ///< tokens of the requests before one
    ExtendSums all;

    KOKKOS_FUNCTION Sums& operator+=(const Sums& other) {
      before += other.before;
      all += other.all;
      return *this;
    }
    KOKKOS_FUNCTION Sums& operator-=(const Sums& other) {
      before -= other.before;
      all -= other.all;
      return *this;
    }
  };
  struct WantedSums {
    std::int64_t wanted;
    Sums sums;
  };

  template <class Member>
  KOKKOS_FUNCTION WantedSums sum(const Member& team, const Job& job, std::int64_t r) {
    const RequestArgs& batch = job.requests.batch;
    const std::int64_t wanted = batch.wanted();
    const int n = batch.num_counted(wanted);
    Sums own;
    KVCANARY_SELDOM_LOOP
    for (int q = team.team_rank(); q < batch.num_given(); q += team_size) {
      const RequestArgs::Request request = batch.request(q);  // on its way together with n
      if (q >= n) continue;
      own.all.add(request);
      if (q < r) own.before += request.extend;
    }
    return {wanted, scan_.scan(team, own).total};
  }

  TeamScan<Sums, team_size, warp_width> scan_;
};

}  // namespace kvcanary::detail
