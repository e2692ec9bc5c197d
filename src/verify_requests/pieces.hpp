#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/verify_requests/tile_shares.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/verify_requests/verify_shares.hpp"

/// \file
/// Which positions a group of lanes verifies on a device.
namespace kvcanary::detail {

/// Consecutive positions of a request.
struct Piece {
  RequestIndex index;
  RequestRange range;
  std::int32_t begin, end;
};

/// \tparam grain shares are multiples of it, in positions
template <class Jobs, int grain>
class Pieces {
 public:
  KOKKOS_FUNCTION Pieces(const Jobs& jobs, const VerifyShares& shares)
      : jobs_(jobs), shares_(shares) {}

  /// The share of a group in its own request.
  KOKKOS_FUNCTION Piece own(int group) const {
    int j = 0;
    for (; j + 1 < jobs_.num_jobs() && group >= shares_.num_groups(j, jobs_.at(j)); ++j) {
      group -= shares_.num_groups(j, jobs_.at(j));
    }
    if (group >= shares_.num_groups(j, jobs_.at(j))) return {};  // the last team has some too many
    const Divisor& groups = shares_.groups_per_request[j];
    const int r = groups.quotient(group), part = group - r * groups.divisor();
    const RequestRange range = range_of({j, r});
    const std::int32_t count = shares_.own(j, range.stop - range.first);
    const std::int32_t even = groups.quotient(count + groups.divisor() - 1);
    const std::int32_t share = (even + grain - 1) / grain * grain;
    const std::int32_t begin = range.first + part * share;
    return {{j, r}, range, begin, Kokkos::min(begin + share, range.first + count)};
  }

  /// The caller's share of what requests have beyond the shares of their own groups. For all lanes
  /// of team `rank` of `num_teams`.
  template <class Member, class Scratch>
  KOKKOS_FUNCTION TileShare share_of_rest(const Member& team, int rank, int num_teams,
                                          Scratch& scratch) const {
    if (!shares_.may_leave_some(jobs_)) return {0, 0, 0};
    return scratch(team, rank, num_teams, jobs_.num_requests(),
                   [this](int r) { return rest_of(r).tiles; });
  }

  /// The tiles of a share, which is not empty, that are in the next request. Takes them from it.
  KOKKOS_FUNCTION Piece next(TileShare& share) const {
    Rest rest = rest_of(share.request);
    while (share.skip >= rest.tiles) {
      share.skip -= rest.tiles;
      rest = rest_of(++share.request);
    }
    const int count = Kokkos::min(share.count, rest.tiles - share.skip);
    const std::int32_t begin = rest.begin + share.skip * shares_.tile;
    share.skip += count;
    share.count -= count;
    return {jobs_.find(share.request), rest.range, begin,
            begin + Kokkos::min(count * shares_.tile, rest.range.stop - begin)};
  }

 private:
  /// Empty for requests that don't count.
  KOKKOS_FUNCTION RequestRange range_of(const RequestIndex& index) const {
    const JobArgs& job = jobs_.at(index.job);
    const RequestRange range = job.range(index.request);
    return index.request < job.batch.count() ? range : RequestRange{0, 0, 0, 0};
  }

  /// What a request has beyond the shares of its own groups.
  struct Rest {
    RequestRange range;
    std::int32_t begin;  ///< position
    std::int32_t tiles;
  };
  KOKKOS_FUNCTION Rest rest_of(int r) const {
    const RequestIndex index = jobs_.find(r);
    const RequestRange range = range_of(index);
    const std::int32_t begin = range.first + shares_.own(index.job, range.stop - range.first);
    return {range, begin, (range.stop - begin + shares_.tile - 1) / shares_.tile};
  }

  const Jobs& jobs_;
  const VerifyShares& shares_;
};

}  // namespace kvcanary::detail
