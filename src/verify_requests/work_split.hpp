#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/team.hpp"
#include "src/verify_requests/verify_jobs.hpp"

/// \file
/// Who verifies which positions on a device.
///
/// A *group* of lanes works on consecutive positions. Mostly each request has groups of its own,
/// which take its positions in even parts: for that, a group needs one look at one length. Where
/// tables or lists have room for requests so long that their own groups would keep all others
/// waiting, all groups share all positions evenly, a *piece* of them at a time: for that, each team
/// looks at all lengths.
namespace kvcanary::detail {

/// Consecutive positions of a request, for a group.
struct Stretch {
  RequestIndex index;
  std::int32_t begin, end;
};

/// A stretch, and what a lane has found of its request.
struct FoundStretch {
  Stretch stretch;
  VerifiedRange range;
};

/// A group's share of all pieces: those of consecutive requests.
struct PieceShare {
  std::int32_t request;  ///< where to count from
  std::int32_t skip;     ///< pieces from there to the first
  std::int32_t count;    ///< none when it is not positive
};

/// Pieces of all requests together, at the most: times the groups of a team, they fit 32 bits.
inline constexpr std::int64_t max_pieces = std::int64_t{1} << 25;

/// \tparam Shape of the kernel, from the backend's tuning
template <class Jobs, class Shape, int group_size, int warp_width>
class WorkSplit {
  static constexpr int team_size = Shape::team_size;
  static constexpr std::int32_t grain = Shape::grain;  ///< parts are multiples of it

 public:
  static constexpr int groups_per_team = team_size / group_size;

  /// What the host can say, which doesn't know lengths. Each request gets enough groups that all of
  /// `groups` have some work, but no more than the longest has grains.
  static void prepare(Jobs& jobs, std::int64_t groups) {
    jobs.piece_shift = piece_shift_of(jobs);
    jobs.in_pieces = false;
    jobs.num_groups = 0;
    for (int j = 0; j < jobs.num_jobs(); ++j) {
      const std::int64_t grains = (std::int64_t{jobs.at(j).longest()} + grain - 1) / grain;
      const std::int64_t own =
          std::max<std::int64_t>(1, std::min(grains, groups / (1 + jobs.num_requests())));
      jobs.items[j].groups_per_request = Divisor(static_cast<std::int32_t>(own));
      jobs.num_groups += num_groups(jobs.at(j));
      jobs.in_pieces = jobs.in_pieces || grains > own * Shape::max_grains;
    }
    if (jobs.in_pieces) jobs.num_groups = static_cast<std::int32_t>(groups);
  }

  KOKKOS_FUNCTION explicit WorkSplit(const Jobs& jobs) : jobs_(jobs) {}

  /// What a group verifies of its request.
  KOKKOS_FUNCTION FoundStretch own_stretch(int group) const {
    int j = 0;
    for (; j + 1 < jobs_.num_jobs() && group >= num_groups(jobs_.at(j)); ++j) {
      group -= num_groups(jobs_.at(j));
    }
    const VerifyJobArgs& job = jobs_.at(j);
    if (group >= num_groups(job)) return {};  // the last team has some too many
    const Divisor& groups = job.groups_per_request;
    const int r = groups.quotient(group), part = group - r * groups.divisor();
    const VerifiedRange range = job.range(r);
    const std::int32_t count = num_positions(job, r, range);
    const std::int32_t even = groups.quotient(count + groups.divisor() - 1);
    const std::int32_t size = (even + grain - 1) / grain * grain;
    const std::int32_t begin = range.start + part * size;
    return {{{j, r}, begin, Kokkos::min(begin + size, range.start + count)}, range};
  }

  /// What share_of_pieces keeps in team scratch.
  struct Scratch {
    TeamScan<int, team_size, warp_width> scan;
    int pieces_before[team_size];        ///< those of each lane's requests
    int rank_of_group[groups_per_team];  ///< the last lane whose pieces begin no later
  };

  /// The share of the caller's group in all pieces, when team `team_index` of `num_teams` asks:
  /// nobody but the device knows lengths, so each team sums them all up. For all lanes of the team.
  template <class Member>
  KOKKOS_FUNCTION PieceShare share_of_pieces(const Member& team, int team_index, int num_teams,
                                             Scratch& scratch) const {
    const int rank = team.team_rank(), num_requests = jobs_.num_requests();
    const int requests = (num_requests + team_size - 1) / team_size;  // of a lane
    int count = 0;
    for (int i = 0; i < requests && rank * requests + i < num_requests; ++i) {
      count += whole(rank * requests + i).pieces;
    }
    if (rank < groups_per_team) scratch.rank_of_group[rank] = 0;
    const auto sum = scratch.scan.scan(team, count);
    if (sum.total <= 0) return {0, 0, 0};
    scratch.pieces_before[rank] = sum.before;

    const int of_team = ceil_div(sum.total, num_teams), begin = of_team * team_index;
    const int end = Kokkos::min(begin + of_team, sum.total);
    if (count > 0 && sum.before < end && sum.before + count > begin) {
      // The first group that begins among this lane's pieces, or behind them.
      const int group = ceil_div(Kokkos::max(sum.before - begin, 0) * groups_per_team, of_team);
      if (group < groups_per_team) Kokkos::atomic_max(&scratch.rank_of_group[group], rank);
    }
    team.team_barrier();
    const int group = rank / group_size, candidate = Warp<warp_width>::lane_in_warp(team);
    const int found =
        Warp<warp_width>::combine(team, candidate <= group ? scratch.rank_of_group[candidate] : 0,
                                  [](int a, int b) { return a > b ? a : b; });
    const int first = begin + of_team * group / groups_per_team;
    const int last = Kokkos::min(begin + of_team * (group + 1) / groups_per_team, end);
    return {found * requests, first - scratch.pieces_before[found], last - first};
  }

  /// The pieces of a share, which is not empty, that are of one request. Takes them from the share.
  KOKKOS_FUNCTION FoundStretch next_stretch(PieceShare& share) const {
    Whole whole = this->whole(share.request);
    while (share.skip >= whole.pieces) {
      share.skip -= whole.pieces;
      if (++share.request >= jobs_.num_requests()) {  // lengths have changed since they were summed
        share.count = 0;
        return {};
      }
      whole = this->whole(share.request);
    }
    const int count = Kokkos::min(share.count, whole.pieces - share.skip);
    const std::int32_t begin = whole.range.start + share.skip * piece();
    share.skip += count;
    share.count -= count;
    const std::int32_t end = begin + Kokkos::min(count * piece(), whole.end - begin);
    return {{jobs_.find(share.request), begin, end}, whole.range};
  }

 private:
  static_assert(groups_per_team <= warp_width);
  /// Positions of a piece.
  KOKKOS_FUNCTION std::int32_t piece() const { return grain << jobs_.piece_shift; }

  /// The binary logarithm of grains a piece: 0, unless tables are so large that there could be too
  /// many pieces.
  static std::int32_t piece_shift_of(const Jobs& jobs) {
    const auto pieces = [&](std::int64_t piece) {
      std::int64_t sum = 0;
      for (int j = 0; j < jobs.num_jobs(); ++j) {
        sum += std::int64_t{jobs.at(j).batch.num_given()} * (jobs.at(j).longest() / piece + 1);
      }
      return sum;
    };
    std::int32_t shift = 0;
    while (pieces(std::int64_t{grain} << shift) > max_pieces &&
           std::int64_t{grain} << (shift + 1) < max_tokens) {
      ++shift;
    }
    return shift;
  }

  KOKKOS_FUNCTION static int num_groups(const VerifyJobArgs& job) {
    return job.batch.num_given() * job.groups_per_request.divisor();
  }

  /// Positions that are verified of a request, of which one look has found `range`: none of
  /// requests that don't count.
  KOKKOS_FUNCTION static std::int32_t num_positions(const VerifyJobArgs& job, int r,
                                                    const VerifiedRange& range) {
    return r < job.batch.num_counted() ? range.count() : 0;
  }

  /// All that is verified of a request.
  struct Whole {
    VerifiedRange range;
    std::int32_t end;  ///< position
    std::int32_t pieces;
  };
  KOKKOS_FUNCTION Whole whole(int r) const {
    const auto [j, request] = jobs_.find(r);
    const VerifyJobArgs& job = jobs_.at(j);
    const VerifiedRange range = job.range(request);
    const std::int32_t count = num_positions(job, request, range);
    return {range, range.start + count, ((count + piece() - 1) / grain) >> jobs_.piece_shift};
  }

  KOKKOS_FUNCTION static int ceil_div(int a, int b) {
    return static_cast<int>((static_cast<unsigned>(a) + static_cast<unsigned>(b) - 1U) /
                            static_cast<unsigned>(b));
  }

  const Jobs& jobs_;
};

}  // namespace kvcanary::detail
