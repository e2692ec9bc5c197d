#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "kv_spread.hpp"
#include "report_beyond.hpp"
#include "team_work.hpp"
#include "verify_entry.hpp"
#include "verify_jobs.hpp"
#include "violation_sink.hpp"

/// \file
/// verify_requests on a device: each team takes an even share of the units, a tile of positions at
/// a time.
namespace kvcanary::detail {

/// What there is to hash of a slot: a kernel for each, because hashing takes registers that the
/// rest of the work can use.
enum class KVWork { none, one, many };

/// A tile is resolved once, and its records are then read in each endpoint of the job: endpoints in
/// the league instead would read the table once more each, and the units are even without them.
template <class Member, class Chain, KVWork kv_work>
class VerifyRequestsDevice {
 public:
  static constexpr int team_size = 128;
  /// On one multiprocessor; leaves a lane 80 registers.
  static constexpr int teams_at_once = 6, threads_of_a_multiprocessor = 2048;
  /// Positions of a lane: loads of both are under way before the first is used.
  static constexpr int per_lane = 2;
  static constexpr int tile_size = team_size * per_lane;

  /// What lanes tell each other about a tile: element 0 is the position before it.
  struct Neighbours {
    std::int64_t slot[tile_size + 1];
    std::uint64_t next[tile_size + 1];  ///< hash after the record of the slot
  };

  struct Scratch {
    TeamWork<team_size> work;
    Place place;
    Neighbours turns[2];  ///< by turns, so that one barrier a tile and endpoint is enough
    Count entries[max_jobs], skipped[max_jobs];
    int malformed[max_jobs];
  };
  using Spread = KVSpread<tile_size>;

  static constexpr std::size_t scratch_bytes =
      sizeof(Scratch) + (kv_work == KVWork::many ? sizeof(Spread) : 0);

  VerifyRequestsDevice(const JobArray& jobs, const ViolationSink& sink)
      : jobs_(jobs), sink_(sink) {}

  /// The last team of the league has no units, but what is to be done once.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    Spread* spread = nullptr;
    if constexpr (kv_work == KVWork::many) spread = &in_scratch<Spread>(team);
    const std::int64_t rank = team.league_rank(), workers = team.league_size() - 1;
    if (team.team_rank() < max_jobs) {
      scratch.entries[team.team_rank()] = scratch.skipped[team.team_rank()] = 0;
      scratch.malformed[team.team_rank()] = 0;
    }
    scratch.work.divide(team, jobs_);
    if (rank == workers) {
      start_report(team, scratch);
      return;
    }
    const std::int64_t num_units = scratch.work.num_units();
    const std::int64_t end = num_units * (rank + 1) / workers;
    int turn = 0;
    for (std::int64_t u = num_units * rank / workers; u < end; ++u) {
      if (turn == 0 || !scratch.place.holds(u)) find(team, scratch, u);
      verify_unit(team, scratch, spread, u - scratch.place.first_unit, turn);
    }
    count_entries(team, scratch);
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static T& in_scratch(const Member& team) {
    return *static_cast<T*>(team.team_shmem().get_shmem_aligned(sizeof(T), alignof(T)));
  }

  /// Launches, and the violations of whole plans.
  KOKKOS_FUNCTION void start_report(const Member& team, Scratch& scratch) const {
    for (int j = 0; j < jobs_.count; ++j) {
      const PlanArgs& batch = jobs_.items[j].batch;
      const int n = scratch.work.num_requests[j];
      bool malformed = batch.wanted() != n;
      for (int r = team.team_rank(); r < n; r += team_size) {
        malformed = malformed || batch.is_malformed(r);
      }
      if (malformed) Kokkos::atomic_store(&scratch.malformed[j], 1);
    }
    team.team_barrier();
    const int e = team.team_rank();
    if (e >= jobs_.endpoints.count) return;
    const LaunchTag tag = jobs_.endpoints.items[e].tag;
    const int job = jobs_.job_of_endpoint(e);
    sink_.count_launch(tag);
    if (scratch.malformed[job] != 0) {
      sink_.push(plan_violation(tag, scratch.work.num_entries(jobs_, job)));
    }
  }

  /// One add a team and endpoint: all threads of a device adding to one counter would take longer
  /// than the rest.
  KOKKOS_FUNCTION void count_entries(const Member& team, const Scratch& scratch) const {
    team.team_barrier();
    const int e = team.team_rank();
    if (e >= jobs_.endpoints.count) return;
    const int job = jobs_.job_of_endpoint(e);
    sink_.count_entries(jobs_.endpoints.items[e].tag, scratch.entries[job] - scratch.skipped[job]);
  }

  /// In scratch, because it is the same for all lanes, which have few registers to spare.
  KOKKOS_FUNCTION void find(const Member& team, Scratch& scratch, std::int64_t unit) const {
    team.team_barrier();
    if (team.team_rank() == 0) scratch.place = scratch.work.find(jobs_, unit);
    team.team_barrier();
  }

  KOKKOS_FUNCTION void verify_unit(const Member& team, Scratch& scratch, Spread* spread,
                                   std::int64_t index, int& turn) const {
    const Place& place = scratch.place;
    const JobArgs& job = jobs_.items[place.job];
    const Unit unit = unit_of(job, place.range, index);
    if (team.team_rank() == 0) scratch.entries[place.job] += static_cast<Count>(unit.count);
    if (unit.beyond) {
      const std::int64_t share = (unit.count + team_size - 1) / team_size;
      const std::int64_t begin = Kokkos::min(unit.count, share * team.team_rank());
      const std::int64_t end = Kokkos::min(unit.count, begin + share);
      report_beyond(jobs_, job, place.range.row, place.first_entry - place.range.first,
                    unit.begin + begin, unit.begin + end, sink_);
      ++turn;
    } else {
      verify_tile(team, scratch, spread, unit, turn);
    }
  }

  /// What a lane knows of a position of a tile.
  struct Element {
    std::int64_t slot, expected_token;
  };

  /// Calls `body(k, j)` for each position of a lane, the k-th of the lane and the j-th of the tile.
  /// Not a loop, so that arrays by k stay in registers.
  template <class Body>
  KOKKOS_FUNCTION static void for_own(int lane, const Body& body) {
    static_assert(per_lane == 2);
    body(0, lane);
    body(1, lane + team_size);
  }

  KOKKOS_FUNCTION void verify_tile(const Member& team, Scratch& scratch, Spread* spread,
                                   const Unit& unit, int& turn) const {
    const Place& place = scratch.place;
    const JobArgs& job = jobs_.items[place.job];
    const int lane = team.team_rank(), count = static_cast<int>(unit.count);
    const std::int64_t row = place.range.row, columns = job.expected.columns(row);
    const std::int32_t* const entries = job.resolve.entries_of(row);
    Element mine[per_lane];
    for_own(lane, [&](int k, int j) {
      // Lanes past the end look up the last one again: a load that hangs on a branch would wait for
      // the ones before it.
      const std::int64_t position = unit.begin + (j < count ? j : count - 1);
      mine[k] = {SlotResolver::present_or_invalid(job.resolve.in_row(entries, position)),
                 job.expected.at(row, columns, position)};
      if (j < count && mine[k].slot == padding_slot) {
        Kokkos::atomic_fetch_add(&scratch.skipped[place.job], Count{1});
      }
    });
    const std::int64_t before = lane == last_lane
                                    ? job.resolve.predecessor(row, unit.begin, place.range.first)
                                    : padding_slot;
    std::uint32_t wrong = 0;  // bit k for each position of the lane, endpoint after endpoint
    for (int e = job.endpoint_end - 1; e >= job.first_endpoint; --e, ++turn) {
      wrong = wrong << per_lane | verify_records(team, scratch, spread, jobs_.endpoints.items[e],
                                                 unit.begin, count, mine, before, turn);
    }
    report(scratch.place, unit.begin + lane, wrong);
  }

  /// Returns a bit for each position of the lane, set when it has to be reported.
  KOKKOS_FUNCTION std::uint32_t verify_records(const Member& team, Scratch& scratch, Spread* spread,
                                               const EndpointArgs& endpoint, std::int64_t begin,
                                               int count, const Element (&mine)[per_lane],
                                               std::int64_t before, int turn) const {
    const int lane = team.team_rank();
    Neighbours& neighbours = scratch.turns[turn & 1];
    Record record[per_lane], record_before;
    if (lane == last_lane) record_before = endpoint.load(endpoint.holds(before) ? before : 0);
    for_own(lane, [&](int k, int) {
      record[k] = endpoint.load(endpoint.holds(mine[k].slot) ? mine[k].slot : 0);
    });
    std::uint32_t wrong = 0;
    for_own(lane, [&](int k, int j) {
      wrong |= is_right(endpoint, mine[k], begin + j, record[k]) ? 0 : 1U << k;
      neighbours.slot[j + 1] = mine[k].slot;
      neighbours.next[j + 1] = next_hash<Chain>(record[k]);
    });
    if (lane == last_lane) {
      neighbours.slot[0] = before;
      neighbours.next[0] = before == no_slot ? Chain::start() : next_hash<Chain>(record_before);
    }
    team.team_barrier();
    for_own(lane, [&](int k, int j) {
      const std::int64_t prev_hash = record[k].prev_hash;
      if (!follows(endpoint, prev_hash, neighbours.slot[j], neighbours.next[j])) wrong |= 1U << k;
    });
    for_own(lane, [&](int k, int j) {
      if (j >= count || neighbours.slot[j + 1] == padding_slot) wrong &= ~(1U << k);
    });
    if constexpr (kv_work != KVWork::none) {
      wrong |= verify_kv(team, spread, endpoint, neighbours.slot + 1, count);
    }
    return wrong;
  }

  /// The same for the KV hashes alone.
  KOKKOS_FUNCTION static std::uint32_t verify_kv(const Member& team, Spread* spread,
                                                 const EndpointArgs& endpoint,
                                                 const std::int64_t* slots, int count) {
    const bool spreads = kv_work == KVWork::many && Spread::wanted(endpoint);
    if (spreads) (*spread)(team, endpoint, slots, count);
    std::uint32_t wrong = 0, bit = 1;
    for (int j = team.team_rank(); j < count; j += team_size, bit <<= 1) {
      const std::int64_t slot = slots[j];
      if (slot == padding_slot || !endpoint.holds(slot)) continue;
      const std::int64_t stored = endpoint.load(slot).kv_hash;
      const bool right = spreads ? spread->has(j, stored) : has_kv_hash(endpoint, slot, stored);
      if (!right) wrong |= bit;
    }
    return wrong;
  }

  KOKKOS_FUNCTION static bool has_kv_hash(const EndpointArgs& endpoint, std::int64_t slot,
                                          std::int64_t stored) {
    const KVHash kv = endpoint.hash_kv(slot);
    return kv.in_range && static_cast<std::uint64_t>(stored) == kv.value;
  }

  /// Whether verify_entry would find nothing, but for the chain and the KV hash.
  KOKKOS_FUNCTION static bool is_right(const EndpointArgs& endpoint, const Element& element,
                                       std::int64_t position, const Record& record) {
    return endpoint.holds(element.slot) && record.position == position &&
           (element.expected_token == -1 || record.token == element.expected_token) &&
           (kv_work != KVWork::none || record.kv_hash == 0);
  }

  /// Whether it would find nothing in the chain.
  KOKKOS_FUNCTION static bool follows(const EndpointArgs& endpoint, std::int64_t prev_hash,
                                      std::int64_t predecessor, std::uint64_t expected_hash) {
    const bool chained = predecessor == no_slot || endpoint.holds(predecessor);
    return (chained && static_cast<std::uint64_t>(prev_hash) == expected_hash) ||
           predecessor == padding_slot;
  }

  static_assert(max_endpoints * per_lane <= 32);
  /// Reports the positions of the lane whose bits are set, the first of which is `first`. Looks
  /// everything up once more: what is seldom done shall not keep registers from the rest.
  KOKKOS_FUNCTION void report(const Place& place, std::int64_t first, std::uint32_t wrong) const {
    for (int i = 0; wrong != 0; wrong >>= 1, ++i) {
      if ((wrong & 1) == 0) continue;
      const JobArgs& job = jobs_.items[place.job];
      const RequestRange range = place.range;
      const std::int64_t position = first + i % per_lane * team_size;
      verify_entry<Chain>(jobs_.endpoints.items[job.first_endpoint + i / per_lane],
                          {.slot = job.resolve.present(range.row, position),
                           .position = position,
                           .predecessor = job.resolve.predecessor(range.row, position, range.first),
                           .expected_token = job.expected(range.row, position),
                           .request_row = range.row},
                          place.first_entry + (position - range.first), sink_);
    }
  }

  /// Reads the record before the tile: the lane that has the fewest positions of its own.
  static constexpr int last_lane = team_size - 1;

  JobArray jobs_;
  ViolationSink sink_;
};

}  // namespace kvcanary::detail
