#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "divisor.hpp"
#include "verify_requests/verify_jobs.hpp"

/// \file
/// How many groups of lanes verify a request on a device.
#ifndef VR_LITTLE
#define VR_LITTLE 256
#endif
namespace kvcanary::detail {

/// Each request has a few groups of its own, which share its positions evenly.
struct VerifyShares {
  Divisor groups_per_request[max_jobs];
  std::int32_t most[max_jobs];  ///< positions of a group in its own request

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

  /// Whether a job's requests can be longer than their own groups take.
  KOKKOS_FUNCTION bool may_leave_some(int job, const JobArgs& args) const {
    return own(job, args.longest()) < args.longest();
  }
};

/// Own groups for each request, so that all of `groups` have some work, but no more than the longest
/// request has shares of `grain` positions.
template <class Jobs>
VerifyShares shares_of(const Jobs& jobs, std::int64_t groups, std::int32_t grain) {
  std::int64_t requests = 1;
  for (int j = 0; j < jobs.count; ++j) requests += jobs.items[j].batch.given;
  VerifyShares shares{};
  for (int j = 0; j < jobs.count; ++j) {
    const std::int64_t longest = jobs.items[j].longest(), grains = (longest + grain - 1) / grain;
    const std::int64_t own = std::max<std::int64_t>(1, std::min(grains, groups / requests));
    shares.groups_per_request[j] = Divisor(static_cast<std::int32_t>(own));
    // Where lengths may differ so much that the groups of one request are not enough, they shall not
    // be busy with it for long.
    constexpr std::int32_t much = 1024, little = VR_LITTLE;
    shares.most[j] = longest <= own * much ? much : little;
  }
  return shares;
}

}  // namespace kvcanary::detail
