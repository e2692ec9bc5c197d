#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/entry_tile.hpp"
#include "src/plan/plan_args.hpp"
#include "src/plan/plan_requests.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"

/// \file
/// plan on a device: the verify entries, by some teams.
///
/// Each team sums up the lengths of all requests. Each of its warps then has a share of
/// neighbouring entries: it looks for the request where they begin, walks along the requests, a
/// lane a request, and stores entries, a lane an entry, a *tile* at a time.
namespace kvcanary::detail {

template <class Member, class Tuning>
class PlanEntries {
  static constexpr int team_size = Tuning::Plan::team_size;
  static constexpr int warp_width = Tuning::warp_width;
  static constexpr int warps = team_size / warp_width;
  using Warp = detail::Warp<warp_width>;
  using Tile = EntryTile<warp_width>;

 public:
  struct Scratch {
    TeamScan<std::int64_t, team_size, warp_width> scan;
    std::int64_t entries_before[team_size];  ///< those of each lane's requests
    Tile tiles[warps];
  };

  KOKKOS_FUNCTION PlanEntries(const PlanArgs& args, const Member& team)
      : args_(args), team_(team) {}

  KOKKOS_FUNCTION void plan(Scratch& scratch, int team_index, int num_teams) const {
    const int rank = team_.team_rank();
    const LaneRequests requests(args_.batch.num_given(), team_size, rank);
    const int n = args_.batch.num_counted();
    std::int64_t own = 0;
    KVCANARY_SELDOM_LOOP
    for (int r = requests.begin; r < requests.end; ++r) own += positions_of(r, n).count;
    const auto sum = scratch.scan.scan(team_, own);
    scratch.entries_before[rank] = sum.before;
    team_.team_barrier();
    if (sum.total > args_.verify_capacity) return;
    // Neighbouring shares are in different teams: few of them then have a multiprocessor each.
    const int warp = rank / warp_width;
    const Share share(sum.total, warp * num_teams + team_index, warps * num_teams);
    if (share.begin >= share.end) return;
    const int lane = last_begin(scratch.entries_before, share.begin);
    walk(scratch.tiles[warp], share, n, lane * requests.of_lane, scratch.entries_before[lane]);
  }

 private:
  /// Whole tiles of entries, but for the last one; shares differ by one tile at the most.
  struct Share {
    std::int64_t begin, end;

    KOKKOS_FUNCTION Share(std::int64_t total, std::int64_t index, std::int64_t count) {
      const std::int64_t tiles = (total + warp_width - 1) / warp_width;
      const std::int64_t even = tiles / count, rest = tiles % count;
      begin = (index * even + Kokkos::min(index, rest)) * warp_width;
      end = Kokkos::min(begin + (even + (index < rest ? 1 : 0)) * warp_width, total);
    }
  };

  /// The positions of a request that are verified.
  struct Positions {
    std::int64_t row;
    std::int32_t first, count;
  };
  KOKKOS_FUNCTION Positions positions_of(int r, int n) const {
    const auto [row, positions] = args_.batch.row_positions(r);  // on their way together with n
    return {row, positions.first, r < n ? positions.end - positions.first : 0};
  }

  /// The last lane of the team whose requests begin with entry `entry` or before.
  KOKKOS_FUNCTION int last_begin(const std::int64_t* entries_before, std::int64_t entry) const {
    int count = 0;
    for (int i = Warp::lane_in_warp(team_); i < team_size; i += warp_width) {
      if (entries_before[i] <= entry) ++count;
    }
    return Warp::combine(team_, count, [](int a, int b) { return a + b; }) - 1;
  }

  /// What a lane knows of a request.
  struct LaneRequest {
    Positions positions;
    std::int64_t end;  ///< the entry behind its last
  };

  /// Entries of a warp's share, from request `base` on, which begins at entry `before`.
  KOKKOS_FUNCTION void walk(Tile& tile, const Share& share, int n, int base,
                            std::int64_t before) const {
    const int given = args_.batch.num_given();
    std::int64_t begin = share.begin;
    for (; base < given && begin < share.end; base += warp_width) {
      const int r = base + Warp::lane_in_warp(team_);
      LaneRequest own{};
      if (r < given) own.positions = positions_of(r, n);
      own.end = before + Warp::scan(team_, std::int64_t{own.positions.count});
      before = Warp::from_lane(team_, own.end, warp_width - 1);
      const std::int64_t end = Kokkos::min(before, share.end);
      if (begin >= end) continue;
      store(tile, own, base, begin, end, share.begin);
      begin = end;
    }
  }

  /// Entries [begin, end), which are those of requests that the lanes know, from `base` on.
  /// \param share_begin what is before it, another warp has looked up
  KOKKOS_FUNCTION void store(Tile& tile, const LaneRequest& own, int base, std::int64_t begin,
                             std::int64_t end, std::int64_t share_begin) const {
    const int lane = Warp::lane_in_warp(team_);
    // The position of entry e is e - shift, which fits 32 bits wherever it is asked for.
    const auto shift = static_cast<std::uint32_t>(own.end - own.positions.count) -
                       static_cast<std::uint32_t>(own.positions.first);
    int request = 0;                    // the lane that knows the request of the tile's last entry
    std::int64_t last_found = no_slot;  // what the lane before this one found in the tile before
    for (; begin < end; begin += warp_width) {
      request = lane_of_request(own.end, begin, request);
      const std::int64_t entry = begin + lane;
      const std::int64_t row = Warp::from_lane(team_, own.positions.row, request);
      const std::int32_t first = Warp::from_lane(team_, own.positions.first, request);
      const auto position = static_cast<std::int32_t>(static_cast<std::uint32_t>(entry) -
                                                      Warp::from_lane(team_, shift, request));
      const bool is_there = entry < end;
      // Each lane on its own, which takes no registers from tile to tile.
      SlotFinder::SlotRow slots{};
      if (is_there) slots = args_.finder.row(base + request, row);
      const std::int64_t found = is_there ? args_.finder.find(slots, position) : invalid_slot;
      const std::int64_t found_before =
          Warp::from_lane(team_, found, (lane + warp_width - 1) % warp_width);
      std::int64_t predecessor = slot_or_invalid(lane > 0 ? found_before : last_found);
      last_found = found_before;
      if (is_there && (position == first || entry == share_begin)) {
        predecessor = args_.finder.find_predecessor(slots, position, first);
      }
      std::int64_t token = -1;
      if (is_there && args_.expected.given()) {
        token = args_.expected.at(args_.expected.tokens_of(base + request, row), position);
      }
      const auto words =
          tile.to_words(team_, {slot_or_invalid(found), position, predecessor, token, row});
      const std::int64_t count = end - begin;
      Tile::store(team_, words, args_.entries + begin,
                  count < warp_width ? static_cast<int>(count) : warp_width);
      request = Warp::from_lane(team_, request, warp_width - 1);
    }
  }

  /// Which lane knows the request of this lane's entry in the tile that begins at `begin`: those
  /// before have no entries from there on.
  /// \param guess the same for all lanes; no request after it has entries before the tile
  KOKKOS_FUNCTION int lane_of_request(std::int64_t request_end, std::int64_t begin,
                                      int guess) const {
    const int lane = Warp::lane_in_warp(team_);
    const auto end = static_cast<int>(
        clamp(request_end - begin, std::int64_t{0}, std::int64_t{warp_width}));  // in the tile
    if (Warp::from_lane(team_, end, guess) == warp_width) return guess;
    int found = 0;  // ends no later than the lane's entry begins
    for (int step = warp_width / 2; step > 0; step /= 2) {
      if (Warp::from_lane(team_, end, found + step - 1) <= lane) found += step;
    }
    return found;
  }

  const PlanArgs& args_;
  const Member& team_;
};

}  // namespace kvcanary::detail
