#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/divisor.hpp>

#include "src/verify_requests/verify_jobs.hpp"

/// \file
/// How the positions of all requests are shared between the groups of lanes of a device: what the
/// host can say of it, which doesn't know lengths.
namespace kvcanary::detail {

/// Each request has a few groups of its own, which share its positions evenly, up to a limit. What
/// it has beyond, all groups share, a tile at a time.
struct VerifyShares {
  Divisor groups_per_request[max_jobs];
  std::int32_t most[max_jobs];  ///< positions of a group in its own request
  std::int32_t tile;            ///< positions

  /// Positions of a request that its own groups take, of `count`.
  KOKKOS_FUNCTION std::int32_t own(int job, std::int32_t count) const {
    const std::int64_t all = std::int64_t{most[job]} * groups_per_request[job].divisor();
    return count < all ? count : static_cast<std::int32_t>(all);
  }

  KOKKOS_FUNCTION int num_groups(int job, const JobArgs& args) const {
    return static_cast<int>(args.batch.given) * groups_per_request[job].divisor();
  }
  template <class Jobs>
  KOKKOS_FUNCTION int num_groups(const Jobs& jobs) const {
    int groups = 0;
    for (int j = 0; j < jobs.num_jobs(); ++j) groups += num_groups(j, jobs.at(j));
    return groups;
  }

  /// Whether requests can be longer than their own groups take.
  template <class Jobs>
  KOKKOS_FUNCTION bool may_leave_some(const Jobs& jobs) const {
    bool may = false;
    for (int j = 0; j < jobs.num_jobs(); ++j) {
      const std::int32_t longest = jobs.at(j).longest();
      may = may || own(j, longest) < longest;
    }
    return may;
  }
};

/// Tiles of all requests together, at the most: team scratch has them, times the groups of a team,
/// in 32 bits.
inline constexpr std::int64_t tiles_limit = std::int64_t{1} << 25;

/// Positions of a tile: `grain`, unless tables are so large that there could be too many.
template <class Jobs>
std::int32_t tile_of(const Jobs& jobs, std::int32_t grain) {
  const auto tiles = [&](std::int64_t tile) {
    std::int64_t sum = 0;
    for (int j = 0; j < jobs.num_jobs(); ++j) {
      sum += jobs.at(j).batch.given * (jobs.at(j).longest() / tile + 1);
    }
    return sum;
  };
  std::int64_t tile = grain;
  while (tiles(tile) > tiles_limit && 2 * tile < length_limit) tile *= 2;
  return static_cast<std::int32_t>(tile);
}

/// Own groups for each request, so that all of `groups` have some work, but no more than the
/// longest request has shares of `grain` positions.
template <class Jobs>
VerifyShares shares_of(const Jobs& jobs, std::int64_t groups, std::int32_t grain) {
  const std::int64_t requests = 1 + jobs.num_requests();
  VerifyShares shares{.groups_per_request = {}, .most = {}, .tile = tile_of(jobs, grain)};
  for (int j = 0; j < jobs.num_jobs(); ++j) {
    const std::int64_t longest = jobs.at(j).longest(), grains = (longest + grain - 1) / grain;
    const std::int64_t own = std::max<std::int64_t>(1, std::min(grains, groups / requests));
    shares.groups_per_request[j] = Divisor(static_cast<std::int32_t>(own));
    // Where lengths may differ so much that the groups of one request are not enough, they shall
    // not be busy with it for long.
    constexpr std::int32_t much = 64, little = 2;
    shares.most[j] = grain * (grains <= own * much ? much : little);
  }
  return shares;
}

}  // namespace kvcanary::detail
