#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// Lanes of a team that see each other's registers.
namespace kvcanary::detail {

/// Neighbouring lanes that exchange values: a warp of NVIDIA's, half a wavefront of AMD's.
inline constexpr int warp_lanes = 32;

template <class Member>
KOKKOS_FUNCTION int lane_in_warp(const Member& team) {
  return team.team_rank() % warp_lanes;
}

/// What the lane `distance` before this one in the warp has for `value`; what it has itself where
/// there is none. For all lanes of a warp at once.
template <class Member, class T>
KOKKOS_FUNCTION T from_lane_before(const Member&, const T& value, [[maybe_unused]] int distance) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::shfl_up(value, distance, int{warp_lanes});))
  KOKKOS_IF_ON_HOST((return value;))
}

/// What lane `lane` of the warp has for `value`. For all lanes of a warp at once.
template <class Member, class T>
KOKKOS_FUNCTION T from_lane(const Member&, const T& value, [[maybe_unused]] int lane) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(value, lane, int{warp_lanes});))
  KOKKOS_IF_ON_HOST((return value;))
}

/// The values of a warp combined, in any order. For all its lanes.
template <class Member, class T, class Combine>
KOKKOS_FUNCTION T over_warp(const Member& team, T value, const Combine& combine) {
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    value = combine(value, from_lane(team, value, lane_in_warp(team) ^ distance));
  }
  return value;
}

/// Sums over the lanes of a team. In team scratch.
template <int team_size>
class TeamScan {
 public:
  struct Sum {
    int before;  ///< of the lanes before this one
    int total;
  };

  /// For all lanes. The scratch may be used again after a barrier.
  template <class Member>
  KOKKOS_FUNCTION Sum operator()(const Member& team, int value) {
    const int lane = lane_in_warp(team), warp = team.team_rank() / warp_lanes;
    const int sum = scan_warp(team, value);
    if (lane == warp_lanes - 1) sum_of_warp_[warp] = sum;
    team.team_barrier();
    // Each warp sums up the warps.
    const int own = lane < num_warps ? sum_of_warp_[lane] : 0;
    const int sums = scan_warp(team, own);
    const int before = from_lane(team, sums - own, warp);
    return {before + sum - value, from_lane(team, sums, num_warps - 1)};
  }

 private:
  static constexpr int num_warps = team_size / warp_lanes;
  static_assert(num_warps <= warp_lanes);

  /// The sum up to and including this lane, in its warp.
  template <class Member>
  KOKKOS_FUNCTION static int scan_warp(const Member& team, int sum) {
    const int lane = lane_in_warp(team);
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const int before = from_lane_before(team, sum, distance);
      if (lane >= distance) sum += before;
    }
    return sum;
  }

  int sum_of_warp_[num_warps];
};

}  // namespace kvcanary::detail
