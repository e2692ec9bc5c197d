#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "launch.hpp"
#include "verify/verify_entry.hpp"
#include "verify_requests/element.hpp"
#include "verify_requests/kv_spread.hpp"
#include "verify_requests/report_beyond.hpp"
#include "verify_requests/verify_jobs.hpp"
#include "verify_requests/verify_shares.hpp"
#include "violation_sink.hpp"

/// \file
/// verify_requests on a device.
///
/// Each request has a few teams of its own, which share its positions evenly and know all that they
/// need after one look at its length. That is even enough for batches as engines make them. What a
/// request has beyond the shares of its teams, all teams of the job then take in turns: one long
/// request among short ones keeps no one waiting, and only then do teams look at all lengths.
namespace kvcanary::detail {

template <class Member, class Chain, KVWork kv_work, class Jobs>
class VerifyRequestsDevice {
 public:
  static constexpr int team_size = 128;
  /// On one multiprocessor: few, where reading KV bytes ahead takes many registers.
  static constexpr int teams_at_once = kv_work == KVWork::none ? 8 : kv_work == KVWork::few ? 6 : 4;

  static constexpr int group_size = 16;
  struct Scratch {
    std::int64_t rest[team_size];  ///< units of a request that its teams leave
    std::int64_t rest_of_group[team_size / group_size];  ///< sums
    int any_rest;
    int malformed[max_jobs];
  };
  struct KVScratch {
    std::int64_t slots[team_size];
    KVSpread<team_size> spread;
  };
  static constexpr std::size_t scratch_bytes =
      sizeof(Scratch) + (kv_work == KVWork::many ? sizeof(KVScratch) : 0);

  VerifyRequestsDevice(const Jobs& jobs, const ViolationSink& sink, const VerifyShares& shares)
      : jobs_(jobs), sink_(sink), shares_(shares) {}

  /// A team for what is to be done once, and the teams of each request.
  static std::int64_t league_size(const Jobs& jobs, const VerifyShares& shares) {
    std::int64_t teams = 1;
    for (int j = 0; j < jobs.count; ++j) {
      teams += jobs.items[j].batch.given * shares.teams_per_request[j];
    }
    return teams;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    KVScratch* kv = nullptr;
    if constexpr (kv_work == KVWork::many) kv = &in_scratch<KVScratch>(team);
    if (team.league_rank() == 0) {
      start_report(team, scratch);
      return;
    }
    int rank = team.league_rank() - 1, j = 0;
    for (; j + 1 < jobs_.count && rank >= num_teams(j); ++j) rank -= num_teams(j);
    verify_own(team, j, rank, kv);
    const JobArgs& job = jobs_.at(j);
    if (shares_.own(j, job.longest()) < job.longest()) verify_rest(team, scratch, kv, j, rank);
  }

 private:
  KOKKOS_FUNCTION int num_teams(int j) const {
    return static_cast<int>(jobs_.at(j).batch.given) * shares_.teams_per_request[j];
  }

  /// Launches, and the violations of whole plans.
  KOKKOS_FUNCTION void start_report(const Member& team, Scratch& scratch) const {
    if (team.team_rank() < max_jobs) scratch.malformed[team.team_rank()] = 0;
    team.team_barrier();
    for (int j = 0; j < jobs_.count; ++j) {
      const PlanArgs& batch = jobs_.at(j).batch;
      const int n = batch.count();
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
    const int j = jobs_.job_of_endpoint(e);
    sink_.count_launch(tag);
    if (scratch.malformed[j] != 0) {
      const PlanArgs& batch = jobs_.at(j).batch;
      sink_.push(plan_violation(tag, first_entry(batch, batch.count())));
    }
  }

  /// Index of the first entry of a request in the job's plan. Serial: only reports ask for it.
  KOKKOS_FUNCTION static std::int64_t first_entry(const PlanArgs& batch, int request) {
    std::int64_t entries = 0;
    for (int r = 0; r < request; ++r) entries += batch.num_entries(r);
    return entries;
  }

  /// A request, as all lanes of a team see it.
  struct Request {
    int job, index;
    RequestRange range;
    const std::int32_t* entries;  ///< its row of the table, if there is one
  };
  KOKKOS_FUNCTION Request request_of(int j, int r) const {
    const JobArgs& job = jobs_.at(j);
    const RequestRange range = job.range(r);
    return {j, r, range, job.resolve.entries_of(range.row)};
  }

  /// This team's share of its request.
  KOKKOS_FUNCTION void verify_own(const Member& team, int j, int rank, KVScratch* kv) const {
    const JobArgs& job = jobs_.at(j);
    const int teams = shares_.teams_per_request[j], r = rank / teams, part = rank - r * teams;
    const Request request = request_of(j, r);
    if (r >= job.batch.count()) return;
    const RequestRange& range = request.range;
    if (part == 0) count_entries(team, request);

    const std::int64_t count = shares_.own(j, range.stop - range.first);
    std::int64_t share = (count + teams - 1) / teams;
    share = (share + shares_.grain - 1) / shares_.grain * shares_.grain;
    const std::int64_t begin = range.first + part * share;
    const std::int64_t end = Kokkos::min(begin + share, range.first + count);
    verify_positions(team, kv, request, begin, end);
  }

  /// Counts the entries of a request, and reports those that the table does not reach.
  KOKKOS_FUNCTION void count_entries(const Member& team, const Request& request) const {
    const JobArgs& job = jobs_.at(request.job);
    const RequestRange& range = request.range;
    const int lane = team.team_rank();
    if (lane < job.endpoint_end - job.first_endpoint) {
      sink_.count_entries(jobs_.endpoints.items[job.first_endpoint + lane].tag,
                          static_cast<Count>(range.num_entries()));
    }
    if (range.stop == range.end) return;
    const std::int64_t count = range.end - range.stop, share = (count + team_size - 1) / team_size;
    const std::int64_t begin = Kokkos::min(count, share * lane);
    const std::int64_t end = Kokkos::min(count, begin + share);
    report_beyond(jobs_.endpoints, job, range.row,
                  first_entry(job.batch, request.index) - range.first, range.stop + begin,
                  range.stop + end, sink_);
  }

  /// What the requests of a job have beyond the shares of their own teams, a unit a turn.
  KOKKOS_FUNCTION void verify_rest(const Member& team, Scratch& scratch, KVScratch* kv, int j,
                                   int rank) const {
    const JobArgs& job = jobs_.at(j);
    const int n = job.batch.count(), lane = team.team_rank();
    std::int64_t turn = rank;
    for (int base = 0; base < n; base += team_size) {
      if (lane == 0) scratch.any_rest = 0;
      team.team_barrier();
      const std::int64_t rest = base + lane < n ? rest_of(j, base + lane) : 0;
      scratch.rest[lane] = rest;
      if (rest > 0) Kokkos::atomic_store(&scratch.any_rest, 1);
      team.team_barrier();
      if (scratch.any_rest != 0) verify_rests(team, scratch, kv, j, base, turn);
      team.team_barrier();
    }
  }

  /// The turns of this team among the requests from `base` on, whose rests are in scratch memory.
  KOKKOS_FUNCTION void verify_rests(const Member& team, Scratch& scratch, KVScratch* kv, int j,
                                    int base, std::int64_t& turn) const {
    constexpr int groups = team_size / group_size;
    if (team.team_rank() < groups) {
      std::int64_t sum = 0;
      for (int i = 0; i < group_size; ++i) sum += scratch.rest[team.team_rank() * group_size + i];
      scratch.rest_of_group[team.team_rank()] = sum;
    }
    team.team_barrier();
    for (int group = 0; group < groups; ++group) {
      const std::int64_t end_of_group = turn - scratch.rest_of_group[group];
      for (int i = group * group_size; end_of_group < 0 && i < (group + 1) * group_size; ++i) {
        const std::int64_t rest = scratch.rest[i];
        if (turn < rest) verify_rest_of(team, kv, request_of(j, base + i), turn);
        turn -= rest;
      }
      if (end_of_group >= 0) turn = end_of_group;
    }
  }

  /// Of two tiles: to find one's turn takes as long as a tile.
  static constexpr std::int64_t rest_unit = 2 * team_size;

  KOKKOS_FUNCTION std::int64_t rest_of(int j, int r) const {
    const RequestRange range = jobs_.at(j).range(r);
    const std::int64_t count = range.stop - range.first;
    return (count - shares_.own(j, count) + rest_unit - 1) / rest_unit;
  }

  /// The units of a request that are this team's turn. Leaves `turn` behind the last.
  KOKKOS_FUNCTION void verify_rest_of(const Member& team, KVScratch* kv, const Request& request,
                                      std::int64_t& turn) const {
    const RequestRange& range = request.range;
    const std::int64_t own = shares_.own(request.job, range.stop - range.first);
    for (std::int64_t begin; (begin = range.first + own + turn * rest_unit) < range.stop;
         turn += num_teams(request.job)) {
      verify_positions(team, kv, request, begin, Kokkos::min(begin + rest_unit, range.stop));
    }
  }

  /// Positions [begin, end) of a request.
  KOKKOS_FUNCTION void verify_positions(const Member& team, KVScratch* kv, const Request& request,
                                        std::int64_t begin, std::int64_t end) const {
    for (; begin < end; begin += team_size) {
      verify_tile(team, kv, request, begin, Kokkos::min(begin + team_size, end));
    }
  }

  KOKKOS_FUNCTION Element element_of(const Request& request, std::int64_t position) const {
    const JobArgs& job = jobs_.at(request.job);
    const RequestRange& range = request.range;
    const std::int64_t previous = position > range.first ? position - 1 : position;
    const SlotResolver::Pair slots = job.resolve.present_pair(request.entries, position, previous);
    Element element{slots.first, slots.second, -1};
    if (job.expected.given()) element.expected_token = job.expected(range.row, position);
    if (position == range.first) {
      element.before = job.resolve.predecessor(range.row, position, range.first);
    }
    return element;
  }

  /// Positions [begin, end) of a request, one a lane. Slots are resolved once for all endpoints.
  KOKKOS_FUNCTION void verify_tile(const Member& team, KVScratch* kv, const Request& request,
                                   std::int64_t begin, std::int64_t end) const {
    const JobArgs& job = jobs_.at(request.job);
    const int lane = team.team_rank(), count = static_cast<int>(end - begin);
    // Lanes past the end look up the last one again: a load that hangs on a branch would wait for
    // the ones before it.
    const std::int64_t position = begin + (lane < count ? lane : count - 1);
    const Element mine = element_of(request, position);
    if constexpr (kv_work == KVWork::many) {
      kv->slots[lane] = mine.slot;
      team.team_barrier();
    }
    std::uint32_t wrong = 0;  // a bit for each endpoint
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      const bool right = verify_record(team, kv, jobs_.endpoints.items[e], position, count, mine);
      wrong |= right ? 0 : 1U << (e - job.first_endpoint);
    }
    if (wrong != 0 && lane < count) report(request, position, wrong);
  }

  /// Whether there is nothing to report of a position. The record before it is loaded once more by
  /// this lane, but not from memory: it is the neighbour's, and in the cache.
  KOKKOS_FUNCTION bool verify_record(const Member& team, KVScratch* kv,
                                     const EndpointArgs& endpoint, std::int64_t position, int count,
                                     const Element& mine) const {
    const Record record = endpoint.load(endpoint.holds(mine.slot) ? mine.slot : 0);
    const Record before = endpoint.load(endpoint.holds(mine.before) ? mine.before : 0);
    bool right = all(is_right<kv_work>(endpoint, mine, position, record),
                     follows<Chain>(endpoint, mine.before, before, record));
    if constexpr (kv_work == KVWork::few || kv_work == KVWork::one) {
      right = right && has_kv_hash(endpoint, mine.slot, record.kv_hash);
    }
    if constexpr (kv_work == KVWork::many) {
      const bool spreads = KVSpread<team_size>::wanted(endpoint);
      if (spreads) kv->spread(team, endpoint, kv->slots, count);
      right = right && (spreads ? kv->spread.has(team.team_rank(), record.kv_hash)
                                : has_kv_hash(endpoint, mine.slot, record.kv_hash));
    }
    return right;
  }

  KOKKOS_FUNCTION static bool has_kv_hash(const EndpointArgs& endpoint, std::int64_t slot,
                                          std::int64_t stored) {
    if (!endpoint.holds(slot)) return false;
    const KVHash kv = endpoint.template hash_kv<kv_work>(slot);
    return kv.in_range && static_cast<std::uint64_t>(stored) == kv.value;
  }

  /// Reports a position in the endpoints whose bits are set. Looks everything up once more: what is
  /// seldom done shall not keep registers from the rest.
  KOKKOS_FUNCTION void report(const Request& request, std::int64_t position,
                              std::uint32_t wrong) const {
    const JobArgs& job = jobs_.at(request.job);
    const RequestRange& range = request.range;
    const VerifyEntry entry{
        .slot = job.resolve.present(range.row, position),
        .position = position,
        .predecessor = job.resolve.predecessor(range.row, position, range.first),
        .expected_token = job.expected(range.row, position),
        .request_row = range.row};
    const std::int64_t index = first_entry(job.batch, request.index) + (position - range.first);
    for (int e = job.first_endpoint; wrong != 0; wrong >>= 1, ++e) {
      if ((wrong & 1) == 0) continue;
      const EndpointArgs& endpoint = jobs_.endpoints.items[e];
      if (entry.slot == padding_slot) {
        sink_.uncount_entry(endpoint.tag);
      } else {
        verify_entry<Chain, kv_work>(endpoint, entry, index, sink_);
      }
    }
  }

  Jobs jobs_;
  ViolationSink sink_;
  VerifyShares shares_;
};

}  // namespace kvcanary::detail
