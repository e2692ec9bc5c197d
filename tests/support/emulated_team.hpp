#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

/// \file
/// Teams of a device on the host, so that its kernels can be tested where it is not. Each lane is a
/// fiber: lanes take turns on one thread, a random lane whenever one waits for others. So a missing
/// barrier shows for some seeds, and a seed always gives the same run.
///
/// Lanes change over only where they wait: in a barrier or an exchange. A lane that spins until
/// another has written something spins for ever.

struct EmulatedLaunch {
  int league_size;
  int team_size;   ///< up to 1024, whole warps
  int warp_width;  ///< 32 or 64: lanes that exchange values
  std::size_t scratch_bytes;
  std::uint64_t seed;  ///< of the order of teams and lanes, and of what is in scratch at the start
};

namespace emulation {

inline constexpr std::size_t max_exchanged_bytes = 64;

enum class Exchange { from_lane, from_lane_before, ballot };

class Team;

}  // namespace emulation

/// What kernels use of Kokkos's team members.
class EmulatedMember {
 public:
  EmulatedMember(emulation::Team& team, const EmulatedLaunch& launch, int league_rank,
                 int team_rank)
      : team_(&team),
        league_rank_(league_rank),
        league_size_(launch.league_size),
        team_rank_(team_rank),
        team_size_(launch.team_size),
        warp_width_(launch.warp_width) {}

  int league_rank() const { return league_rank_; }
  int league_size() const { return league_size_; }
  int team_rank() const { return team_rank_; }
  int team_size() const { return team_size_; }
  int warp_width() const { return warp_width_; }
  int lane_in_warp() const { return team_rank_ % warp_width_; }

  /// For all lanes of the team.
  void team_barrier() const;

  const EmulatedMember& team_shmem() const { return *this; }

  /// Every lane asks for the same pieces in the same order. Throws where there is no more scratch.
  void* get_shmem_aligned(std::size_t size, std::size_t alignment) const;

  /// Copies what lane `from` of the warp gives. For all lanes of the warp, and for one size.
  void exchange(emulation::Exchange kind, const void* value, std::size_t size, int from,
                void* result) const;

  /// What lane `lane` of the warp has for `value`. For all lanes of the warp.
  template <class T>
  T from_lane(const T& value, int lane) const;

  /// What the lane `distance` before this one in the warp has for `value`; what it has itself where
  /// there is none. For all lanes of the warp.
  template <class T>
  T from_lane_before(const T& value, int distance) const;

  /// For all lanes of the warp.
  void warp_barrier() const { ballot(true); }

  /// A bit for each lane of the warp. For all of them.
  std::uint64_t ballot(bool bit) const;

 private:
  emulation::Team* team_;
  int league_rank_, league_size_, team_rank_, team_size_, warp_width_;
};

namespace emulation {

template <class T>
T exchange(Exchange kind, const EmulatedMember& team, const T& value, int from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_exchanged_bytes);
  std::array<std::byte, sizeof(T)> result;
  team.exchange(kind, &value, sizeof(T), from, result.data());
  return std::bit_cast<T>(result);
}

/// Calls `kernel` for each lane of the league. Rethrows what a lane throws.
void run_league(const std::function<void(const EmulatedMember&)>& kernel,
                const EmulatedLaunch& launch);

}  // namespace emulation

template <class T>
T EmulatedMember::from_lane(const T& value, int lane) const {
  return emulation::exchange(emulation::Exchange::from_lane, *this, value, lane);
}

template <class T>
T EmulatedMember::from_lane_before(const T& value, int distance) const {
  const int lane = lane_in_warp();
  return emulation::exchange(emulation::Exchange::from_lane_before, *this, value,
                             lane >= distance ? lane - distance : lane);
}

/// Runs `kernel(member)` as a league of teams, one team after the other in a random order. Scratch
/// starts as garbage, and is between guards. Throws what a lane throws first, and std::logic_error
/// when lanes wait for each other for ever, or the kernel does what no device allows.
template <class Kernel>
void emulate(const Kernel& kernel, const EmulatedLaunch& launch) {
  emulation::run_league([&kernel](const EmulatedMember& member) { kernel(member); }, launch);
}
