#pragma once

#include <algorithm>
#include <any>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "src/warp.hpp"

/// \file
/// Teams of a device on threads of the host, so that its kernels can be tested where it is not.

/// Lanes that exchange values.
class EmulatedWarp {
 public:
  /// What lane `from(lane)` gives. For all lanes.
  template <class T>
  T exchange(int lane, int from, const T& value) {
    values_[static_cast<std::size_t>(lane)] = value;
    barrier_.arrive_and_wait();
    const T result = std::any_cast<T>(values_[static_cast<std::size_t>(from)]);
    barrier_.arrive_and_wait();
    return result;
  }

 private:
  std::vector<std::any> values_ = std::vector<std::any>(kvcanary::detail::warp_lanes);
  std::barrier<> barrier_{kvcanary::detail::warp_lanes};
};

/// What kernels use of Kokkos's team members.
class EmulatedMember {
 public:
  EmulatedMember(int league_rank, int league_size, int team_rank, int team_size,
                 std::barrier<>& barrier, EmulatedWarp& warp, std::byte* scratch)
      : league_rank_(league_rank),
        league_size_(league_size),
        team_rank_(team_rank),
        team_size_(team_size),
        barrier_(barrier),
        warp_(warp),
        scratch_(scratch) {}

  int league_rank() const { return league_rank_; }
  int league_size() const { return league_size_; }
  int team_rank() const { return team_rank_; }
  int team_size() const { return team_size_; }
  void team_barrier() const { barrier_.arrive_and_wait(); }
  const EmulatedMember& team_shmem() const { return *this; }
  EmulatedWarp& warp() const { return warp_; }

  /// Every lane asks for the same pieces in the same order.
  void* get_shmem_aligned(std::size_t size, std::size_t alignment) const {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    std::byte* const piece = scratch_ + used_;
    used_ += size;
    return piece;
  }

 private:
  int league_rank_, league_size_, team_rank_, team_size_;
  std::barrier<>& barrier_;
  EmulatedWarp& warp_;
  std::byte* scratch_;
  mutable std::size_t used_ = 0;
};

template <class T>
T from_lane(const EmulatedMember& team, const T& value, int lane) {
  return team.warp().exchange(kvcanary::detail::lane_in_warp(team), lane, value);
}
template <class T>
T from_lane_before(const EmulatedMember& team, const T& value, int distance) {
  const int lane = kvcanary::detail::lane_in_warp(team);
  return from_lane(team, value, lane >= distance ? lane - distance : lane);
}

/// Runs a kernel as a league of teams, one team after the other, a thread for each lane. Scratch
/// starts as garbage.
template <class Kernel>
void emulate(const Kernel& kernel, int league_size, int team_size, std::size_t scratch_bytes) {
  constexpr std::size_t room_to_align = 64;
  std::vector<std::uint64_t> scratch((scratch_bytes + room_to_align) / 8 + 1);
  std::barrier<> barrier(team_size);
  std::deque<EmulatedWarp> warps(
      static_cast<std::size_t>(team_size / kvcanary::detail::warp_lanes));
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < team_size; ++lane) {
    lanes.emplace_back([&, lane] {
      for (int team = 0; team < league_size; ++team) {
        if (lane == 0) std::fill(scratch.begin(), scratch.end(), 0xA5A5A5A5A5A5A5A5);
        barrier.arrive_and_wait();
        kernel(EmulatedMember(team, league_size, lane, team_size, barrier,
                              warps[static_cast<std::size_t>(lane / kvcanary::detail::warp_lanes)],
                              reinterpret_cast<std::byte*>(scratch.data())));
        barrier.arrive_and_wait();
      }
    });
  }
  for (std::thread& lane : lanes) lane.join();
}
