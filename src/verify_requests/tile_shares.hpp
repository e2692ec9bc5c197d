#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/warp.hpp"

/// \file
/// Even shares of what is left of requests of any lengths, for all groups of lanes of a league.
namespace kvcanary::detail {

/// Consecutive tiles of consecutive requests.
struct TileShare {
  std::int32_t request;  ///< where to count from
  std::int32_t skip;     ///< tiles from there to the first
  std::int32_t count;    ///< none when it is not positive
};

/// Nobody but the device knows lengths: each team sums them all up. In team scratch.
template <int team_size, int group_size>
class TileShares {
 public:
  /// The tiles of the caller's group, when team `rank` of `num_teams` asks. `tiles(r)` is how many
  /// request `r` of `num_requests` has, at most 2^25 together. For all lanes of the team.
  template <class Member, class Tiles>
  KOKKOS_FUNCTION TileShare operator()(const Member& team, int rank, int num_teams,
                                       int num_requests, const Tiles& tiles) {
    const int lane = team.team_rank();
    const int requests = (num_requests + team_size - 1) / team_size;  // of a lane
    int count = 0;
    for (int i = 0; i < requests && lane * requests + i < num_requests; ++i) {
      count += tiles(lane * requests + i);
    }
    if (lane < num_groups) lane_of_group_[lane] = 0;
    const auto sum = scan_(team, count);
    if (sum.total == 0) return {0, 0, 0};
    tiles_before_[lane] = sum.before;

    const int of_team = ceil_div(sum.total, num_teams), begin = of_team * rank;
    const int end = Kokkos::min(begin + of_team, sum.total);
    if (count > 0 && sum.before < end && sum.before + count > begin) {
      // The first group that begins among this lane's tiles, or behind them.
      const int group = ceil_div(Kokkos::max(sum.before - begin, 0) * num_groups, of_team);
      if (group < num_groups) Kokkos::atomic_max(&lane_of_group_[group], lane);
    }
    team.team_barrier();
    const int group = lane / group_size, candidate = lane_in_warp(team);
    const int found = over_warp(team, candidate <= group ? lane_of_group_[candidate] : 0,
                                [](int a, int b) { return a > b ? a : b; });
    const int first = begin + of_team * group / num_groups;
    const int last = Kokkos::min(begin + of_team * (group + 1) / num_groups, end);
    return {found * requests, first - tiles_before_[found], last - first};
  }

 private:
  static constexpr int num_groups = team_size / group_size;
  static_assert(num_groups <= warp_lanes);

  KOKKOS_FUNCTION static int ceil_div(int a, int b) {
    return static_cast<int>((static_cast<unsigned>(a) + static_cast<unsigned>(b) - 1U) /
                            static_cast<unsigned>(b));
  }

  TeamScan<team_size> scan_;
  int tiles_before_[team_size];    ///< before those of each lane's requests
  int lane_of_group_[num_groups];  ///< the last lane whose tiles begin no later than the group's
};

}  // namespace kvcanary::detail
