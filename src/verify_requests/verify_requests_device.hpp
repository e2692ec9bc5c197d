#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "launch.hpp"
#include "verify/verify_entry.hpp"
#include "verify_requests/kv_spread.hpp"
#include "verify_requests/report_batch.hpp"
#include "verify_requests/tile_shares.hpp"
#include "verify_requests/verify_jobs.hpp"
#include "verify_requests/verify_shares.hpp"
#include "violation_sink.hpp"
#include "warp.hpp"

/// \file
/// verify_requests on a device.
///
/// A warp takes rows of 31 positions. Each lane reads one record, computes what the prev_hash of the
/// next has to be, and hands that to the next lane; the first lane has the position before the row.
/// A lane that finds something wrong, or unusual, leaves it to verify_entry.
///
/// Each request has a few groups of lanes of its own, which know all that they need after one look at
/// its length. That is even enough for batches as engines make them. What a request has beyond the
/// shares of its groups, all groups then share evenly: one long request among short ones keeps no one
/// waiting, and only then do teams look at all lengths.
namespace kvcanary::detail {

#ifndef VR_TEAM
#define VR_TEAM 256
#define VR_TEAMS 4
#define VR_ROWS 2
#define VR_FEW 4
#endif
template <class Member, class Chain, KVWork kv_work, class Jobs>
class VerifyRequestsDevice {
 public:
  static constexpr int team_size = kv_work == KVWork::none ? VR_TEAM : kv_work == KVWork::few ? 256 : 128;
  /// On one multiprocessor: few, where reading KV bytes ahead takes many registers.
  static constexpr int teams_at_once = kv_work == KVWork::none ? VR_TEAMS : kv_work == KVWork::few ? VR_FEW : 4;
  /// Lanes that work on a row together. Many sources are spread over all lanes of a team.
  static constexpr int group_size = kv_work == KVWork::many ? team_size : warp_lanes;
  static constexpr int groups_per_team = team_size / group_size;
  static constexpr int row_size = warp_lanes - 1;
  /// Rows whose loads are on their way together.
  static constexpr int num_rows = kv_work == KVWork::none ? VR_ROWS : 1;
  /// What a group has at least, unless the request has less.
  static constexpr int grain = kv_work == KVWork::many ? 4 : row_size;

  using Spread = KVSpread<team_size, row_size>;
  union Scratch {
    BatchReport<team_size> report;
    TileShares<team_size, group_size> shares;
  };
  static constexpr std::size_t scratch_bytes =
      sizeof(Scratch) + (kv_work == KVWork::many ? sizeof(Spread) : 0);

  VerifyRequestsDevice(const Jobs& jobs, const ViolationSink& sink, const VerifyShares& shares)
      : jobs_(jobs), sink_(sink), shares_(shares), tile_rows_(tile_rows_of(jobs)) {}

  /// A team for what is to be done once, and those that verify.
  static std::int64_t league_size(const Jobs& jobs, const VerifyShares& shares) {
    return 1 + (shares.num_groups(jobs) + groups_per_team - 1) / groups_per_team;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    Spread* spread = nullptr;
    if constexpr (kv_work == KVWork::many) spread = &in_scratch<Spread>(team);
    if (team.league_rank() == 0) {
      scratch.report(team, jobs_, sink_);
      return;
    }
    TileShare rest{};
    Piece piece = own_piece(group_of(team));
    for (bool own = true;; own = false) {
      if (piece.begin < piece.end) verify_piece(team, spread, piece);
      if (own) rest = share_of_rest(team, scratch.shares);
      if (rest.count <= 0) return;
      piece = next_piece(rest);
    }
  }

 private:
  /// Consecutive positions of a request.
  struct Piece {
    RequestIndex index;
    RequestRange range;
    std::int32_t begin, end;
  };

  /// Neighbouring groups are in different teams: few of them then have a multiprocessor each.
  KOKKOS_FUNCTION static int group_of(const Member& team) {
    return team.team_rank() / group_size * (team.league_size() - 1) + team.league_rank() - 1;
  }

  /// The share of a group in its own request.
  KOKKOS_FUNCTION Piece own_piece(int group) const {
    int j = 0;
    for (; j + 1 < jobs_.num_jobs() && group >= shares_.num_groups(j, jobs_.at(j)); ++j) {
      group -= shares_.num_groups(j, jobs_.at(j));
    }
    if (group >= shares_.num_groups(j, jobs_.at(j))) return {};  // the league is a bit too large
    const Divisor& groups = shares_.groups_per_request[j];
    const int r = groups.quotient(group), part = group - r * groups.divisor();
    const RequestRange range = range_of({j, r});
    const std::int32_t count = shares_.own(j, range.stop - range.first);
    const std::int32_t share = groups.quotient(count + groups.divisor() - 1);
    const std::int32_t begin = range.first + part * ((share + grain - 1) / grain * grain);
    return {{j, r}, range, begin, Kokkos::min(begin + (share + grain - 1) / grain * grain, range.first + count)};
  }

  /// The caller's share of what all requests have beyond the shares of their own groups.
  KOKKOS_FUNCTION TileShare share_of_rest(const Member& team,
                                          TileShares<team_size, group_size>& shares) const {
    bool may_be_some = false;
    for (int j = 0; j < jobs_.num_jobs(); ++j) {
      may_be_some = may_be_some || shares_.may_leave_some(j, jobs_.at(j));
    }
    if (!may_be_some) return {0, 0, 0};
    return shares(team, team.league_rank() - 1, team.league_size() - 1, jobs_.num_requests(),
                  [this](int r) { return rest_of(r).tiles; });
  }

  /// The tiles of a share that are the next request's. Takes them from the share.
  KOKKOS_FUNCTION Piece next_piece(TileShare& share) const {
    for (;; ++share.request) {
      const Rest rest = rest_of(share.request);
      const int left = rest.tiles - share.skip;
      if (left <= 0) {
        share.skip -= rest.tiles;
        continue;
      }
      const int tile = tile_rows_ * row_size, count = share.count < left ? share.count : left;
      const std::int32_t begin = rest.begin + share.skip * tile;
      share.skip += count;
      share.count -= count;
      return {jobs_.find(share.request), rest.range, begin,
              begin + Kokkos::min(rest.range.stop - begin, count * tile)};
    }
  }

  struct Rest {
    RequestRange range;
    std::int32_t begin;  ///< position
    std::int32_t tiles;
  };
  KOKKOS_FUNCTION Rest rest_of(int r) const {
    const RequestIndex index = jobs_.find(r);
    const RequestRange range = range_of(index);
    const std::int32_t begin = range.first + shares_.own(index.job, range.stop - range.first);
    const int tile = tile_rows_ * row_size;
    return {range, begin, (range.stop - begin + tile - 1) / tile};
  }

  /// Rows of a tile: one, unless the tables are so large that there could be too many.
  static int tile_rows_of(const Jobs& jobs) {
    constexpr std::int64_t limit = std::int64_t{1} << 25;
    std::int64_t tile_rows = 1, rows = 0;
    for (int j = 0; j < jobs.count; ++j) {
      rows += jobs.items[j].batch.given * (jobs.items[j].longest() / row_size + 1);
    }
    while (rows / tile_rows > limit) tile_rows *= 2;
    return static_cast<int>(tile_rows);
  }

  /// Empty for requests that don't count.
  KOKKOS_FUNCTION RequestRange range_of(const RequestIndex& index) const {
    const JobArgs& job = jobs_.at(index.job);
    const RequestRange range = job.range(index.request);
    return index.request < job.batch.count() ? range : RequestRange{0, 0, 0, 0};
  }

  /// A request, as all lanes of a group see it.
  struct Request {
    RequestIndex index;
    std::int32_t first, stop;     ///< as in RequestRange
    const std::int32_t* entries;  ///< its row of the table, if there is one
    ExpectedTokenArgs::Row expected;
  };
  KOKKOS_FUNCTION Request request_of(const Piece& piece) const {
    const JobArgs& job = jobs_.at(piece.index.job);
    return {piece.index, piece.range.first, piece.range.stop,
            job.resolve.entries_of(piece.range.row), job.expected.row(piece.range.row)};
  }

  /// The table entry of a position, and where the position is in the page.
  struct Page {
    std::int32_t entry, offset;
  };

  KOKKOS_FUNCTION void verify_piece(const Member& team, Spread* spread, const Piece& piece) const {
    constexpr int tile = num_rows * row_size;
    const Request request = request_of(piece);
    std::int32_t begin = piece.begin, end = piece.end;
    std::int32_t position = begin - 1 + team.team_rank() % group_size;
    Page pages[num_rows];
    load_pages(request, position, pages);
    for (; begin < end; begin += tile, position += tile) {
      std::int64_t slots[num_rows];
      for (int i = 0; i < num_rows; ++i) {
        slots[i] = jobs_.at(request.index.job).resolve.slot_in_page(pages[i].entry, pages[i].offset);
      }
      load_pages(request, position + tile, pages);  // on their way while this tile is verified
      const std::uint32_t wrong =
          num_rows > 1 && end - begin <= row_size
              ? verify_rows<1>(team, spread, request, begin, end, position, slots)
              : verify_rows<num_rows>(team, spread, request, begin, end, position, slots);
      for (int i = 0; wrong >> row_bits * i != 0; ++i) {
        report(request.index, position + i * row_size, wrong >> row_bits * i & row_mask);
      }
    }
  }

  /// A lane's positions in the rows of a tile.
  KOKKOS_FUNCTION void load_pages(const Request& request, std::int32_t position,
                                  Page* pages) const {
    const SlotResolver& resolve = jobs_.at(request.index.job).resolve;
    for (int i = 0; i < num_rows; ++i, position += row_size) {
      const SlotResolver::Place place = resolve.place_of(position);
      pages[i] = {no_page, place.offset};
      if (static_cast<std::uint32_t>(position) < static_cast<std::uint32_t>(request.stop)) {
        pages[i].entry = request.entries[place.column];
      }
    }
  }

  /// Whether the lane's positions in the rows of a tile are wrong in an endpoint: row_bits bits for
  /// each row, one for each endpoint. The tile is what begins at `begin` of the positions up to
  /// `end`.
  template <int rows>
  KOKKOS_FUNCTION std::uint32_t verify_rows(const Member& team, Spread* spread,
                                            const Request& request, std::int32_t begin,
                                            std::int32_t end, std::int32_t position,
                                            const std::int64_t* slots) const {
    std::uint32_t wrong = 0;
    const int first = jobs_.first_endpoint(request.index.job);
    for (int e = first; e < jobs_.endpoint_end(request.index.job); ++e) {
      const EndpointArgs& endpoint = jobs_.endpoint(e);
      Loaded loaded[rows];
      for (int i = 0; i < rows; ++i) {
        const bool is_there = endpoint.verifies(slots[i]);
        loaded[i] = {endpoint.load(is_there ? slots[i] : 0), is_there};
      }
      for (int i = 0; i < rows; ++i) {
        const std::int32_t mine = position + i * row_size, row = begin + i * row_size;
        bool is_verified = mine >= row && mine < end;
        if constexpr (group_size > warp_lanes) is_verified = is_verified && mine < row + row_size;
        bool right = is_right(team, request, mine, loaded[i]);
        if constexpr (kv_work != KVWork::none) {
          const int count = Kokkos::min(end - row, int{row_size});
          right = has_kv_hash(team, spread, endpoint, count, is_verified, slots[i], loaded[i]) && right;
        }
        if (is_verified && !right) wrong |= 1U << (row_bits * i + e - first);
      }
    }
    return wrong;
  }

  struct Loaded {
    Record record;
    bool is_there;  ///< or else the record is another one
  };

  /// Whether verify_entry would find nothing, for sure, but for the KV hash. All of it is computed,
  /// whatever the first parts say: branches would cost more.
  KOKKOS_FUNCTION bool is_right(const Member& team, const Request& request, std::int32_t position,
                                const Loaded& mine) const {
    const Record& record = mine.record;
    const std::uint64_t prev_hash = from_lane_before(team, next_hash<Chain>(record), 1);
    const int has_before = from_lane_before(team, int{mine.is_there}, 1);
    bool follows = has_before != 0 && static_cast<std::uint64_t>(record.prev_hash) == prev_hash;
    if (!follows && position == request.first) follows = is_right_start(request, record);
    bool right = mine.is_there && static_cast<std::uint64_t>(record.position) == static_cast<std::uint32_t>(position) && follows;
    if constexpr (kv_work == KVWork::none) right = right && record.kv_hash == 0;
    const ExpectedTokenArgs& expected = jobs_.at(request.index.job).expected;
    if (expected.given()) {
      const std::int64_t token = expected.at(request.expected, position);
      right = right && (token == -1 || token == record.token);
    }
    return right;
  }

  /// Whether the chain of a request's first position is right, where no slot is before it.
  KOKKOS_FUNCTION bool is_right_start(const Request& request, const Record& record) const {
    if (request.first == 0) return static_cast<std::uint64_t>(record.prev_hash) == Chain::start();
    const JobArgs& job = jobs_.at(request.index.job);
    const std::int64_t row = job.batch.request_rows[request.index.request];
    return job.resolve.predecessor(row, request.first, request.first) == padding_slot;
  }

  /// \param count positions that are verified in the row
  KOKKOS_FUNCTION bool has_kv_hash(const Member& team, Spread* spread, const EndpointArgs& endpoint,
                                   int count, bool is_verified, std::int64_t slot,
                                   const Loaded& mine) const {
    KVHash found;
    if (Spread::wanted(endpoint) && kv_work == KVWork::many) {
      found = (*spread)(team, endpoint, count, team.team_rank() - 1, slot);
    } else if (is_verified && mine.is_there) {
      found = endpoint.template hash_kv<kv_work>(slot);
    }
    return found.in_range && static_cast<std::uint64_t>(mine.record.kv_hash) == found.value;
  }

  /// Reports a position in the endpoints whose bits are set. Looks everything up once more: what is
  /// seldom done shall not keep registers from the rest.
  KOKKOS_FUNCTION void report(const RequestIndex& request, std::int64_t position,
                              std::uint32_t wrong) const {
    const JobArgs& job = jobs_.at(request.job);
    const RequestRange range = job.range(request.request);
    const VerifyEntry entry{
        .slot = job.resolve.present(range.row, position),
        .position = position,
        .predecessor = job.resolve.predecessor(range.row, position, range.first),
        .expected_token = job.expected(range.row, position),
        .request_row = range.row};
    const std::int64_t index =
        first_entry(job.batch, request.request) + (position - range.first);
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e, wrong >>= 1) {
      if ((wrong & 1) == 0) continue;
      const EndpointArgs& endpoint = jobs_.endpoint(e);
      if (entry.slot == padding_slot) {
        sink_.uncount_entry(endpoint.tag);
      } else {
        verify_entry<Chain, kv_work>(endpoint, entry, index, sink_);
      }
    }
  }

  static constexpr std::int32_t no_page = -1;
  static constexpr int row_bits = 16;
  static constexpr std::uint32_t row_mask = (1U << row_bits) - 1;
  static_assert(max_endpoints <= row_bits && num_rows * row_bits <= 32);

  Jobs jobs_;
  ViolationSink sink_;
  VerifyShares shares_;
  std::int32_t tile_rows_;
};

}  // namespace kvcanary::detail
