#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "src/kv_work.hpp"
#include "src/team.hpp"
#include "src/team_kv_hash.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/batch_report.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/verify_requests/work_split.hpp"
#include "src/violation_sink.hpp"

/// \file
/// verify_requests on a device.
///
/// A warp takes *strips* of positions, one fewer than it has lanes. Each lane reads one record,
/// computes what the prev_hash of the next has to be, and hands that to the next lane; the first
/// lane has the position before the strip. A lane that finds something wrong, or unusual, leaves it
/// to verify_entry. Who takes which strips is in work_split.hpp.
namespace kvcanary::detail {

/// \tparam chains those of the endpoints \tparam kv_work at least what the endpoints ask for
template <class Member, ChainMix chains, KVWork kv_work, class Jobs, class Tuning>
class VerifyRequestsOnDevice {
  using Shape = typename Tuning::template VerifyRequests<kv_work>;
  static constexpr int warp_width = Tuning::warp_width;

 public:
  static constexpr int team_size = Shape::team_size, teams_at_once = Shape::teams_at_once;
  /// Lanes that work on a strip together. Many sources are spread over all lanes of a team.
  static constexpr int group_size = kv_work == KVWork::many ? team_size : warp_width;
  using Split = WorkSplit<Jobs, Shape, group_size, warp_width>;

  /// \param jobs prepared by Split
  VerifyRequestsOnDevice(const Jobs& jobs, const ViolationSink& sink) : jobs_(jobs), sink_(sink) {}

  /// A team for what is to be done once, and those that verify.
  std::int64_t league_size() const {
    return 1 + (jobs_.num_groups + Split::groups_per_team - 1) / Split::groups_per_team;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    run(team, team.league_rank(), team.league_size(), false);
  }

  /// What team `index` of `count` does, in a kernel that does something else as well.
  /// \param with_added whether that verifies what requests add behind the prefixes that are
  /// verified here: the batch is counted, and its positions beyond the table reported, with them
  KOKKOS_FUNCTION void run(const Member& team, int index, int count, bool with_added) const {
    auto& scratch = in_scratch<Scratch>(team);
    const int rank = index - 1, num_teams = count - 1;
    if (rank < 0) {
      scratch.report.report(team, jobs_, sink_, with_added);
      return;
    }
    jobs_.in_pieces ? verify_pieces(team, scratch, rank, num_teams)
                    : verify_part(team, scratch, rank, num_teams);
  }

  KOKKOS_FUNCTION const Jobs& jobs() const { return jobs_; }
  KOKKOS_FUNCTION const ViolationSink& sink() const { return sink_; }

 private:
  static constexpr int strip_size = warp_width - 1;
  /// What a lane has on its way together is of several endpoints where all jobs have them, which
  /// takes fewer registers than several strips.
  static constexpr bool has_several = Jobs::job_capacity == 1 && Jobs::endpoint_capacity > 1;
  static constexpr int endpoints_at_once = has_several ? Shape::records_at_once : 1;
  static constexpr int strips_at_once = has_several ? 1 : Shape::records_at_once;

  struct Nothing {};
  using KVHasher =
      std::conditional_t<kv_work == KVWork::many, TeamKVHash<team_size, strip_size>, Nothing>;
  struct Scratch {
    BatchReport<team_size, warp_width> report;
    typename Split::Scratch split;
    KVHasher kv_hash;
    // For groups of a whole team.
    Stretch stretch;
    std::int32_t share_count;
  };
  static_assert(sizeof(Scratch) <= Tuning::max_scratch_bytes);

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

 private:
  /// A group's part of one request.
  KOKKOS_FUNCTION void verify_part(const Member& team, Scratch& scratch, int rank,
                                   int num_teams) const {
    // Neighbouring groups are in different teams: few of them then have a multiprocessor each.
    const int group = team.team_rank() / group_size * num_teams + rank;
    verify_stretch(team, scratch, Split(jobs_).own_stretch(group));
  }

  /// A group's share of all requests.
  KOKKOS_FUNCTION void verify_pieces(const Member& team, Scratch& scratch, int rank,
                                     int num_teams) const {
    const Split split(jobs_);
    PieceShare share = split.share_of_pieces(team, rank, num_teams, scratch.split);
    while (share.count > 0) {
      const FoundStretch found = split.next_stretch(share);
      share.count = agree(team, scratch.share_count, share.count);
      verify_stretch(team, scratch, found);
    }
  }

  /// What the first lane of a group has for `value`, for all its lanes: each has looked at lengths,
  /// which may change, and what rules exchanges and barriers must be the same for all of them.
  template <class T>
  KOKKOS_FUNCTION static T agree(const Member& team, T& scratch, const T& value) {
    if constexpr (group_size == warp_width) {
      return Warp<warp_width>::from_lane(team, value, 0);
    } else {
      team.team_barrier();
      if (team.team_rank() == 0) scratch = value;
      team.team_barrier();
      return scratch;
    }
  }

  /// A request, as all lanes of a group see it.
  struct Request {
    RequestIndex index;
    std::int32_t first;  ///< as in VerifiedRange
    SlotFinder::SlotRow slots;
    ExpectedTokenArgs::Tokens expected;
  };
  KOKKOS_FUNCTION Request request_of(const RequestIndex& index, const VerifiedRange& range) const {
    return {index, range.first, range.slots,
            jobs_.at(index.job).expected.tokens_of(index.request, range.row)};
  }

  KOKKOS_FUNCTION void verify_stretch(const Member& team, Scratch& scratch,
                                      const FoundStretch& found) const {
    const Stretch stretch = agree(team, scratch.stretch, found.stretch);
    if (stretch.begin >= stretch.end) return;
    Request request = request_of(stretch.index, found.range);
    const VerifyJobArgs& job = jobs_.at(request.index.job);
    constexpr int step = strips_at_once * strip_size;
    Strips strips{.begin = stretch.begin,
                  .end = stretch.end,
                  .position = stretch.begin - 1 + team.team_rank() % group_size};
    PageEntry entries[strips_at_once];
    look_up(request, strips.position, entries);
    for (; strips.begin < strips.end; strips.begin += step, strips.position += step) {
      std::int64_t slots[strips_at_once];
      for (int i = 0; i < strips_at_once; ++i) {
        slots[i] = slot_of(request, strips.position + i * strip_size, entries[i]);
      }
      // On their way while these are verified.
      look_up(request, strips.position + step, entries);
      std::uint32_t wrong = 0;
      if (strips_at_once == 1 || strips.end - strips.begin > strip_size) {
        wrong = verify_strips<strips_at_once>(team, scratch.kv_hash, request, strips, slots);
      } else {
        wrong = verify_strips<1>(team, scratch.kv_hash, request, strips, slots);
      }
      if (wrong == 0) continue;
      for (std::int32_t position = strips.position; wrong != 0; position += strip_size) {
        report(request.index, position, wrong & endpoint_mask);
        wrong >>= endpoint_bits;
      }
      // Looked up once more, so that reports have their registers.
      request = request_of(request.index, job.range(request.index.request));
      look_up(request, strips.position + step, entries);
    }
  }

  /// The entries of a lane's positions in strips, of which `position` is that in the first.
  KOKKOS_FUNCTION void look_up(const Request& request, std::int32_t position,
                               PageEntry* entries) const {
    const SlotFinder& finder = jobs_.at(request.index.job).finder;
    finder.is_wide() ? look_up<std::int64_t>(finder, request, position, entries)
                     : look_up<std::int32_t>(finder, request, position, entries);
  }
  template <class Int>
  KOKKOS_FUNCTION void look_up(const SlotFinder& finder, const Request& request,
                               std::int32_t position, PageEntry* entries) const {
    for (int i = 0; i < strips_at_once; ++i, position += strip_size) {
      entries[i] = PageEntry();
      if (request.slots.has(position)) entries[i] = finder.look_as<Int>(request.slots, position);
    }
  }

  /// The slot of a position whose entry is there; where it is in the page takes less to say once
  /// more than to keep.
  KOKKOS_FUNCTION std::int64_t slot_of(const Request& request, std::int32_t position,
                                       const PageEntry& entry) const {
    const SlotFinder& finder = jobs_.at(request.index.job).finder;
    return finder.sure_slot_at(entry, finder.place_of(request.slots, position).offset);
  }

  /// Strips of positions, as a lane sees them.
  struct Strips {
    std::int32_t begin, end;  ///< what is verified: the first strip begins there, the last ends
    std::int32_t position;    ///< the lane's in the first strip; the others are strip_size apart

    /// Whether the lane's position in strip `i` is not only looked at for the next lane's sake.
    KOKKOS_FUNCTION bool is_verified(int i) const {
      const std::int32_t first = begin + i * strip_size, mine = position + i * strip_size;
      return mine >= first && mine < end && (group_size == warp_width || mine < first + strip_size);
    }
  };

  /// The slot of a lane's position, as all endpoints of a job see it.
  struct Slot {
    std::int64_t slot;  ///< slot 0 when it is not there for sure
    bool is_there;
  };

  /// What an endpoint has of a slot: its record, and the first KV bytes.
  struct Loaded {
    Record record;
    FewKVBytes kv_bytes;
  };
  KOKKOS_FUNCTION static Loaded load(const EndpointArgs& endpoint, std::int64_t slot) {
    Loaded loaded{endpoint.load(slot), {}};
    if constexpr (kv_work == KVWork::few) loaded.kv_bytes = endpoint.load_few(slot);
    return loaded;
  }

  /// Where the lane's positions in the first `count` strips are wrong: endpoint_bits bits for
  /// each strip, one for each endpoint.
  template <int count>
  KOKKOS_FUNCTION std::uint32_t verify_strips(const Member& team, KVHasher& hasher,
                                              const Request& request, const Strips& strips,
                                              const std::int64_t* found_slots) const {
    const int job = request.index.job;
    Slot slots[count];
    for (int i = 0; i < count; ++i) {
      const bool is_there = jobs_.at(job).surely_holds_token(found_slots[i]);
      slots[i] = {is_there ? found_slots[i] : 0, is_there};
    }
    std::uint32_t wrong = 0;
    const int first = jobs_.first_endpoint(job), end = jobs_.endpoint_end(job);
    for (int e = first; e < end; e += endpoints_at_once) {
      Loaded loaded[endpoints_at_once][count];
      for (int n = 0; n < endpoints_at_once && (n == 0 || e + n < end); ++n) {
        for (int i = 0; i < count; ++i) {
          loaded[n][i] = load(jobs_.endpoint(e + n), slots[i].slot);
        }
      }
      for (int n = 0; n < endpoints_at_once && (n == 0 || e + n < end); ++n) {
        for (int i = 0; i < count; ++i) {
          const EndpointArgs& endpoint = jobs_.endpoint(e + n);
          const KVHash kv = kv_hash_of(team, hasher, endpoint, strips, slots[i], loaded[n][i]);
          const bool right = is_right(team, endpoint, request, strips.position + i * strip_size,
                                      slots[i], loaded[n][i].record, kv);
          if (strips.is_verified(i) && !right) wrong |= 1U << (endpoint_bits * i + e + n - first);
        }
      }
    }
    return wrong;
  }

  /// The KV hash of the lane's slot in the first strip.
  KOKKOS_FUNCTION KVHash kv_hash_of(const Member& team, KVHasher& hasher,
                                    const EndpointArgs& endpoint, const Strips& strips,
                                    const Slot& slot, const Loaded& loaded) const {
    static_assert(kv_work == KVWork::none || strips_at_once == 1);
    if constexpr (kv_work == KVWork::none) return {};
    if constexpr (kv_work == KVWork::few) return endpoint.hash_few(slot.slot, loaded.kv_bytes);
    if constexpr (kv_work == KVWork::many) {
      // A lane hashes a single source as well on its own.
      if (endpoint.num_sources > 1) {
        const int count = Kokkos::min(strips.end - strips.begin, int{strip_size});
        return hasher.hash(team, endpoint, count, team.team_rank() - 1, slot.slot);
      }
    }
    if (!strips.is_verified(0) || !slot.is_there) return {};
    return endpoint.template hash_kv<kv_work>(slot.slot);
  }

  /// Whether verify_entry would find nothing, for sure.
  KOKKOS_FUNCTION bool is_right(const Member& team, const EndpointArgs& endpoint,
                                const Request& request, std::int32_t position, const Slot& slot,
                                const Record& record, const KVHash& kv) const {
    using Warp = detail::Warp<warp_width>;
    const std::uint64_t prev_hash =
        Warp::from_lane_before(team, next_hash(record, chain_in<chains>(endpoint.chain)), 1);
    const bool has_before = Warp::from_lane_before(team, int{slot.is_there}, 1) != 0;
    bool follows = has_before && static_cast<std::uint64_t>(record.prev_hash) == prev_hash;
    if (!follows && position == request.first) follows = is_right_start(endpoint, request, record);
    bool right =
        slot.is_there && follows && kv.in_range &&
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
  KOKKOS_FUNCTION bool is_right_start(const EndpointArgs& endpoint, const Request& request,
                                      const Record& record) const {
    if (request.first == 0) return static_cast<std::uint64_t>(record.prev_hash) == chain_start();
    const VerifyJobArgs& job = jobs_.at(request.index.job);
    // Looked up once more where hashing leaves no registers for it.
    const SlotFinder::SlotRow slots =
        kv_work == KVWork::many
            ? job.finder.row(request.index.request, job.batch.row(request.index.request))
            : request.slots;
    const std::int64_t before = job.finder.find_predecessor(slots, request.first, request.first);
    return before == unchecked_slot || endpoint.padding.contains(before);
  }

  /// Reports a position in the endpoints whose bits are set. Looks everything up once more: what is
  /// seldom done shall not keep registers from the rest.
  KOKKOS_FUNCTION void report(const RequestIndex& index, std::int32_t position,
                              std::uint32_t wrong) const {
    const VerifyJobArgs& job = jobs_.at(index.job);
    const VerifyEntry entry = job.entry(index.request, job.range(index.request), position);
    for (int e = jobs_.first_endpoint(index.job); wrong != 0; wrong >>= 1, ++e) {
      if ((wrong & 1) == 0) continue;
      verify_entry<kv_work>(jobs_.endpoint(e), entry, index.request, sink_);
    }
  }

  static constexpr int endpoint_bits = 16;
  static constexpr std::uint32_t endpoint_mask = (1U << endpoint_bits) - 1;
  static_assert(max_endpoints <= endpoint_bits && strips_at_once * endpoint_bits <= 32);

  Jobs jobs_;
  ViolationSink sink_;
};

}  // namespace kvcanary::detail
