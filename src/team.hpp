#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

/// \file
/// What the lanes of a team do together on a device. `Member` is Kokkos's team member, or that of
/// the tests, whose lanes take turns on a host.
namespace kvcanary::detail {

/// The next `bytes` of a team's scratch memory. Called by all lanes of the team, or by none.
template <class T, class Member>
KOKKOS_FUNCTION T& in_scratch(const Member& team, std::size_t bytes = sizeof(T)) {
  return *static_cast<T*>(team.team_shmem().get_shmem_aligned(bytes, alignof(T)));
}

/// Neighbouring lanes that see each other's registers: a warp of NVIDIA's, a wavefront of AMD's.
/// All lanes of a warp call each function at once.
template <int width>
struct Warp {
  template <class Member>
  KOKKOS_FUNCTION static int lane_in_warp(const Member& team) {
    return team.team_rank() % width;
  }

  /// What lane `lane` of the warp has for `value`.
  template <class Member, class T>
  KOKKOS_FUNCTION static T from_lane(const Member& team, const T& value, int lane) {
    if constexpr (requires { team.from_lane(value, lane); }) {
      return team.from_lane(value, lane);
    } else {
      KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(value, lane, int{width});))
      KOKKOS_IF_ON_HOST((return value;))
    }
  }

  /// What the lane `distance` before this one has for `value`; what it has itself where there is
  /// none.
  template <class Member, class T>
  KOKKOS_FUNCTION static T from_lane_before(const Member& team, const T& value, int distance) {
    if constexpr (requires { team.from_lane_before(value, distance); }) {
      return team.from_lane_before(value, distance);
    } else {
      KOKKOS_IF_ON_DEVICE((return Kokkos::shfl_up(value, distance, int{width});))
      KOKKOS_IF_ON_HOST((return value;))
    }
  }

  /// Whether it is so for any lane of the warp.
  template <class Member>
  KOKKOS_FUNCTION static bool any(const Member& team, bool value) {
    if constexpr (requires { team.ballot(value); }) {
      return team.ballot(value) != 0;
    } else {
#if defined(__CUDA_ARCH__)
      return __any_sync(0xFFFFFFFFU, value) != 0;
#elif defined(__HIP_DEVICE_COMPILE__)
      return __any(value) != 0;
#else
      return value;
#endif
    }
  }

  /// What any lane has stored in team scratch before, all see behind it.
  template <class Member>
  KOKKOS_FUNCTION static void barrier([[maybe_unused]] const Member& team) {
    if constexpr (requires { team.warp_barrier(); }) {
      team.warp_barrier();
    } else {
#if defined(__CUDA_ARCH__)
      __syncwarp();
#elif defined(__HIP_DEVICE_COMPILE__)
      // Lanes of a wavefront are in step: only the compiler may change the order.
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
      __builtin_amdgcn_wave_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
    }
  }

  /// The values of all lanes combined, in any order.
  template <class Member, class T, class Combine>
  KOKKOS_FUNCTION static T combine(const Member& team, T value, const Combine& combine) {
    for (int distance = 1; distance < width; distance *= 2) {
      value = combine(value, from_lane(team, value, lane_in_warp(team) ^ distance));
    }
    return value;
  }

  /// The sum over the lanes up to and including this one. T has a +=.
  template <class Member, class T>
  KOKKOS_FUNCTION static T scan(const Member& team, T sum) {
    for (int distance = 1; distance < width; distance *= 2) {
      const T before = from_lane_before(team, sum, distance);
      if (lane_in_warp(team) >= distance) sum += before;
    }
    return sum;
  }
};

/// Sums over the lanes of a team, of a T with +=, -= and a T{} of 0. In team scratch.
template <class T, int team_size, int warp_width>
class TeamScan {
 public:
  struct Sum {
    T before;  ///< of the lanes before this one
    T total;
  };

  /// For all lanes. The scratch may be used again after a barrier.
  template <class Member>
  KOKKOS_FUNCTION Sum scan(const Member& team, const T& value) {
    const int lane = Warp::lane_in_warp(team), warp = team.team_rank() / warp_width;
    T before = Warp::scan(team, value);
    if (lane == warp_width - 1) sum_of_warp_[warp] = before;
    before -= value;
    team.team_barrier();
    // Each warp sums up the warps.
    const T own = lane < num_warps ? sum_of_warp_[lane] : T{};
    const T sums = Warp::scan(team, own);
    T of_warps_before = sums;
    of_warps_before -= own;
    before += Warp::from_lane(team, of_warps_before, warp);
    return {before, Warp::from_lane(team, sums, num_warps - 1)};
  }

 private:
  using Warp = detail::Warp<warp_width>;
  static constexpr int num_warps = team_size / warp_width;
  static_assert(num_warps >= 1 && num_warps <= warp_width);

  T sum_of_warp_[num_warps];
};

}  // namespace kvcanary::detail
