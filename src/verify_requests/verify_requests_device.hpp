#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "src/launch.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/kv_spread.hpp"
#include "src/verify_requests/pieces.hpp"
#include "src/verify_requests/report_batch.hpp"
#include "src/verify_requests/tile_shares.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/verify_requests/verify_shares.hpp"
#include "src/violation_sink.hpp"
#include "src/warp.hpp"

/// \file
/// verify_requests on a device.
///
/// A warp takes rows of 31 positions. Each lane reads one record, computes what the prev_hash of
/// the next has to be, and hands that to the next lane; the first lane has the position before the
/// row. A lane that finds something wrong, or unusual, leaves it to verify_entry.
///
/// Groups of lanes first take shares of one request each, which are even for batches as engines
/// make them, and need one look at its length. What long requests have beyond, all groups then
/// share: one of them among short ones keeps no one waiting, and only then do teams look at all
/// lengths.
namespace kvcanary::detail {

/// How the lanes of a device are used. Registers are what bounds how much is on its way from memory
/// at a time: fewer teams, and fewer rows, where hashing KV bytes takes many.
template <KVWork kv_work, int team = kv_work <= KVWork::few ? 256 : 128>
struct VerifyRequestsShape {
  static constexpr int team_size = team;
  static constexpr int teams_at_once = kv_work == KVWork::few ? 3 : 4;  ///< on a multiprocessor
  /// Lanes that work on a row together. Many sources are spread over all lanes of a team.
  static constexpr int group_size = kv_work == KVWork::many ? team_size : warp_lanes;
  static constexpr int groups_per_team = team_size / group_size;
  /// Rows whose loads are on their way together.
  static constexpr int rows_at_once = kv_work == KVWork::none ? 2 : 1;
  static constexpr int row_size = warp_lanes - 1;
  /// Positions that keep a group busy.
  static constexpr std::int32_t grain = kv_work == KVWork::many ? 4 : row_size;
};

template <class Member, class Chain, KVWork kv_work, class Jobs,
          class Shape = VerifyRequestsShape<kv_work>>
class VerifyRequestsDevice {
 public:
  VerifyRequestsDevice(const Jobs& jobs, const ViolationSink& sink, const VerifyShares& shares)
      : jobs_(jobs), sink_(sink), shares_(shares) {}

  /// A team for what is to be done once, and those that verify.
  std::int64_t league_size() const {
    return 1 + (shares_.num_groups(jobs_) + Shape::groups_per_team - 1) / Shape::groups_per_team;
  }

 private:
  static constexpr int row_size = Shape::row_size, group_size = Shape::group_size;
  static constexpr int rows_at_once = Shape::rows_at_once;
  struct Nothing {};
  using Spread =
      std::conditional_t<kv_work == KVWork::many, KVSpread<Shape::team_size, row_size>, Nothing>;
  struct Scratch {
    BatchReport<Shape::team_size> report;
    TileShares<Shape::team_size, group_size> shares;
    Spread spread;
  };

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    const int rank = team.league_rank() - 1, num_teams = team.league_size() - 1;
    if (rank < 0) {
      scratch.report(team, jobs_, sink_);
      return;
    }
    // Neighbouring groups are in different teams: few of them then have a multiprocessor each.
    const Pieces<Jobs, Shape::grain> pieces(jobs_, shares_);
    Piece piece = pieces.own(team.team_rank() / group_size * num_teams + rank);
    TileShare rest{};
    for (bool is_own = true;; is_own = false) {
      if (piece.begin < piece.end) verify_piece(team, scratch.spread, piece);
      if (is_own) rest = pieces.share_of_rest(team, rank, num_teams, scratch.shares);
      if (rest.count <= 0) return;
      piece = pieces.next(rest);
    }
  }

 private:
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

  /// The table entry of a position, or -1, and where the position is in the page.
  struct Page {
    std::int32_t entry, offset;
  };

  KOKKOS_FUNCTION void verify_piece(const Member& team, Spread& spread, const Piece& piece) const {
    constexpr int step = rows_at_once * row_size;
    const Request request = request_of(piece);
    const SlotResolver& resolve = jobs_.at(request.index.job).resolve;
    Rows rows{.begin = piece.begin,
              .end = piece.end,
              .position = piece.begin - 1 + team.team_rank() % group_size};
    Page pages[rows_at_once];
    look_up(request, rows.position, pages);
    for (; rows.begin < rows.end; rows.begin += step, rows.position += step) {
      std::int64_t slots[rows_at_once];
      for (int i = 0; i < rows_at_once; ++i) {
        slots[i] = resolve.slot_in_page(pages[i].entry, pages[i].offset);
      }
      look_up(request, rows.position + step, pages);  // on their way while these are verified
      std::uint32_t wrong = 0;
      if (rows_at_once == 1 || rows.end - rows.begin > row_size) {
        wrong = verify_rows<rows_at_once>(team, spread, request, rows, slots);
      } else {
        wrong = verify_rows<1>(team, spread, request, rows, slots);
      }
      for (std::int32_t position = rows.position; wrong != 0; position += row_size) {
        report(request.index, position, wrong & row_mask);
        wrong >>= row_bits;
      }
    }
  }

  /// The pages of a lane's positions in rows, of which `position` is that in the first.
  KOKKOS_FUNCTION void look_up(const Request& request, std::int32_t position, Page* pages) const {
    const SlotResolver& resolve = jobs_.at(request.index.job).resolve;
    for (int i = 0; i < rows_at_once; ++i, position += row_size) {
      const auto [column, offset] = resolve.place_of(position);
      pages[i] = {-1, offset};
      if (static_cast<std::uint32_t>(position) < static_cast<std::uint32_t>(request.stop)) {
        pages[i].entry = request.entries[column];
      }
    }
  }

  /// Rows of positions, as a lane sees them.
  struct Rows {
    std::int32_t begin, end;  ///< what is verified: the first row begins there, the last ends there
    std::int32_t position;    ///< the lane's in the first row; those behind are row_size apart

    /// Whether the lane's position in row `i` is not only looked at for the next lane's sake.
    KOKKOS_FUNCTION bool is_verified(int i) const {
      const std::int32_t first = begin + i * row_size, mine = position + i * row_size;
      return mine >= first && mine < end && (group_size == warp_lanes || mine < first + row_size);
    }
  };

  /// A record, the one of the padding slot when it is not there, and the first KV bytes.
  struct Loaded {
    std::int64_t slot;
    bool is_there;
    Record record;
    FewKVBytes kv_bytes;
  };
  KOKKOS_FUNCTION static Loaded load(const EndpointArgs& endpoint, std::int64_t slot) {
    const bool is_there = endpoint.verifies(slot);
    if (!is_there) slot = padding_slot;
    Loaded loaded{slot, is_there, endpoint.load(slot), {}};
    if constexpr (kv_work == KVWork::few) loaded.kv_bytes = endpoint.load_few(slot);
    return loaded;
  }

  /// Where the lane's positions in the first `count` rows are wrong: row_bits bits for each row,
  /// one for each endpoint.
  template <int count>
  KOKKOS_FUNCTION std::uint32_t verify_rows(const Member& team, Spread& spread,
                                            const Request& request, const Rows& rows,
                                            const std::int64_t* slots) const {
    std::uint32_t wrong = 0;
    const int first = jobs_.first_endpoint(request.index.job);
    for (int e = first; e < jobs_.endpoint_end(request.index.job); ++e) {
      const EndpointArgs& endpoint = jobs_.endpoint(e);
      Loaded loaded[count];
      for (int i = 0; i < count; ++i) loaded[i] = load(endpoint, slots[i]);
      for (int i = 0; i < count; ++i) {
        KVHash kv;
        if constexpr (kv_work != KVWork::none) {
          kv = kv_hash_of(team, spread, endpoint, rows, loaded[i]);
        }
        const bool right = is_right(team, request, rows.position + i * row_size, loaded[i], kv);
        if (rows.is_verified(i) && !right) wrong |= 1U << (row_bits * i + e - first);
      }
    }
    return wrong;
  }

  /// The KV hash of the lane's slot in the first row.
  KOKKOS_FUNCTION KVHash kv_hash_of(const Member& team, Spread& spread,
                                    const EndpointArgs& endpoint, const Rows& rows,
                                    const Loaded& loaded) const {
    static_assert(kv_work == KVWork::none || rows_at_once == 1);
    if constexpr (kv_work == KVWork::few) return endpoint.hash_few(loaded.slot, loaded.kv_bytes);
    if constexpr (kv_work == KVWork::many) {
      if (Spread::wanted(endpoint)) {
        const int count = Kokkos::min(rows.end - rows.begin, int{row_size});
        return spread(team, endpoint, count, team.team_rank() - 1, loaded.slot);
      }
    }
    if (!rows.is_verified(0) || !loaded.is_there) return {};
    return endpoint.template hash_kv<kv_work>(loaded.slot);
  }

  /// Whether verify_entry would find nothing, for sure.
  KOKKOS_FUNCTION bool is_right(const Member& team, const Request& request, std::int32_t position,
                                const Loaded& loaded, const KVHash& kv) const {
    const Record& record = loaded.record;
    const std::uint64_t prev_hash = from_lane_before(team, next_hash<Chain>(record), 1);
    const bool has_before = from_lane_before(team, int{loaded.is_there}, 1) != 0;
    bool follows = has_before && static_cast<std::uint64_t>(record.prev_hash) == prev_hash;
    if (!follows && position == request.first) follows = is_right_start(request, record);
    bool right =
        loaded.is_there && follows && kv.in_range &&
        static_cast<std::uint64_t>(record.kv_hash) == kv.value &&
        static_cast<std::uint64_t>(record.position) == static_cast<std::uint32_t>(position);
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
    const std::int64_t index = first_entry(job.batch, request.request) + (position - range.first);
    for (int e = jobs_.first_endpoint(request.job); wrong != 0; wrong >>= 1, ++e) {
      if ((wrong & 1) == 0) continue;
      const EndpointArgs& endpoint = jobs_.endpoint(e);
      if (entry.slot == padding_slot) {
        sink_.uncount_entry(endpoint.tag);
      } else {
        verify_entry<Chain, kv_work>(endpoint, entry, index, sink_);
      }
    }
  }

  static constexpr int row_bits = 16;
  static constexpr std::uint32_t row_mask = (1U << row_bits) - 1;
  static_assert(max_endpoints <= row_bits && rows_at_once * row_bits <= 32);

  Jobs jobs_;
  ViolationSink sink_;
  VerifyShares shares_;
};

}  // namespace kvcanary::detail
