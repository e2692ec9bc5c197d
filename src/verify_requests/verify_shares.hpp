#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "verify_requests/verify_jobs.hpp"

/// \file
/// How many teams of a device verify a request.
namespace kvcanary::detail {

/// How the work of a launch is shared.
struct VerifyShares {
  std::int32_t teams_per_request[max_jobs];
  std::int32_t grain;           ///< positions: no team has fewer, unless the request has
  std::int32_t most[max_jobs];  ///< positions of a team in its own request

  /// Positions of a request that its own teams take, of `count`.
  KOKKOS_FUNCTION std::int64_t own(int job, std::int64_t count) const {
    const std::int64_t all = std::int64_t{most[job]} * teams_per_request[job];
    return count < all ? count : all;
  }
};

/// Teams for each request, so that all that fit on the device at once have some work, and no more
/// than the longest request has grains.
template <class Kernel, class ExecSpace, class Jobs>
VerifyShares shares_on(const ExecSpace& space, const Jobs& jobs, std::int32_t grain) {
  constexpr std::int64_t threads_of_a_multiprocessor = 2048;
  const std::int64_t teams =
      space.concurrency() / (threads_of_a_multiprocessor / Kernel::teams_at_once);
  std::int64_t requests = 1;
  for (int j = 0; j < jobs.count; ++j) requests += jobs.items[j].batch.given;
  VerifyShares shares{.teams_per_request = {}, .grain = grain, .most = {}};
  for (int j = 0; j < jobs.count; ++j) {
    const std::int64_t longest = jobs.items[j].longest(), grains = (longest + grain - 1) / grain;
    const auto own =
        static_cast<std::int32_t>(std::max<std::int64_t>(1, std::min(grains, teams / requests)));
    shares.teams_per_request[j] = own;
    // Where lengths may differ so much that the teams of one request are not enough, they shall not
    // be busy with it for long.
    constexpr std::int32_t much = 2048, little = 1024;
    shares.most[j] = longest <= std::int64_t{own} * much ? much : little;
  }
  return shares;
}

}  // namespace kvcanary::detail
