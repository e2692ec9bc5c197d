#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/plan/plan_args.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"

/// \file
/// plan on a device: the write plan, by some teams.
namespace kvcanary::detail {

/// Consecutive requests, of which each lane of a team has as many as any other. How many there are
/// rules no barrier: that is by the requests given, which the host knows.
struct LaneRequests {
  int of_lane, begin, end;

  KOKKOS_FUNCTION LaneRequests(int given, int team_size, int rank)
      : of_lane((given + team_size - 1) / team_size),
        begin(Kokkos::min(rank * of_lane, given)),
        end(Kokkos::min(begin + of_lane, given)) {}
};

/// Each team sums up all requests. Of those of a lane, it then does every num_teams-th: all at once
/// where there are as many teams as requests a lane.
template <class Member, class Tuning>
class PlanRequests {
  static constexpr int team_size = Tuning::Plan::team_size;

 public:
  using Scratch = TeamScan<PlanSums, team_size, Tuning::warp_width>;

  KOKKOS_FUNCTION PlanRequests(const PlanArgs& args, const Member& team)
      : args_(args), team_(team) {}

  KOKKOS_FUNCTION void plan(Scratch& scratch, int team_index, int num_teams) const {
    const int rank = team_.team_rank(), given = args_.batch.num_given();
    const LaneRequests requests(given, team_size, rank);
    const std::int64_t wanted = args_.batch.wanted();
    const int n = args_.batch.num_counted(wanted);
    PlanSums own;
    // Loops that stay loops: few requests a lane are usual, and a short kernel waits for its code.
    KVCANARY_SELDOM_LOOP
    for (int r = requests.begin; r < requests.end; ++r) {
      const RequestArgs::Request request = args_.batch.request(r);  // on its way together with n
      if (r < n) own += args_.sums_of(request);
    }
    const auto sum = scratch.scan(team_, own);
    PlanSums sums = sum.before;
    int turn = requests.begin + team_index;
    KVCANARY_SELDOM_LOOP
    for (int r = requests.begin; r < requests.end; ++r) {
      SlotFinder::List list;
      if (r == turn) list = args_.finder.list(r);
      const RequestArgs::Request request = args_.batch.request(r);
      if (r < n) sums += args_.sums_of(request);
      if (r != turn) continue;
      turn += num_teams;
      args_.offsets[r + 1] = sums.extend;  // that of all requests, where r does not count
      if (r < n) args_.store_request(r, list, request);
    }
    const int lane = team_index * team_size + rank, lanes = num_teams * team_size;
    for (std::int64_t r = given + lane; r < args_.write_capacity; r += lanes) {
      args_.offsets[r + 1] = sum.total.extend;
    }
    if (lane > 0) return;
    args_.offsets[0] = 0;
    args_.store_states(n, wanted, sum.total);
  }

 private:
  const PlanArgs& args_;
  const Member& team_;
};

}  // namespace kvcanary::detail
