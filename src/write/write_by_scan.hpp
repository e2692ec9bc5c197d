#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/launch.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"
#include "src/write/kv_teams.hpp"
#include "src/write/scan_board.hpp"
#include "src/write/scan_split.hpp"
#include "src/write/scan_tail.hpp"
#include "src/write/scratch_layout.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write of polynomial chains on a device: a scan over the entries of all requests, in one launch.
///
/// Each warp has a *run* of consecutive entries (scan_split.hpp). It first composes what the last
/// request in its run makes of any hash (scan_tail.hpp); its team publishes the same of all its
/// runs, and waits for the teams before it, where their entries are of the same request
/// (scan_board.hpp). Then the warp knows the hash before its run, and goes through it once more, a
/// strip at a time, to store the records. Beside them are KV teams (kv_teams.hpp).
namespace kvcanary::detail {

/// \tparam hashes_kv whether any endpoint hashes KV bytes
template <class Member, bool hashes_kv, class Args, class Tuning>
class WriteByScan {
  using Shape = typename Tuning::template WriteByScan<hashes_kv>;
  static constexpr int warp_width = Tuning::warp_width;
  static constexpr int last_lane = warp_width - 1;
  using Warp = detail::Warp<warp_width>;

 public:
  static constexpr int team_size = Shape::team_size, teams_at_once = Shape::teams_at_once;
  static constexpr int warps_per_team = team_size / warp_width;
  using KVTeams = detail::KVTeams<Args, team_size, warp_width>;

  WriteByScan(const Args& args, const ScanBoard& board, std::int32_t num_kv_teams)
      : args_(args), board_(board), num_kv_teams_(num_kv_teams) {}

  std::int64_t league_size() const { return std::int64_t{board_.num_teams()} + num_kv_teams_; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (team.league_rank() >= board_.num_teams()) {
      if constexpr (hashes_kv) {
        KVTeams::hash_jobs(team, args_, team.league_rank() - board_.num_teams(), num_kv_teams_);
      }
      return;
    }
    auto& scratch = in_scratch<Scratch>(team);
    const int rank = team.team_rank(), warp = rank / warp_width;
    if (rank == 0) {
      scratch.ticket = board_.take_ticket();
      scratch.stamp = board_.stamp();
    }
    if (rank < max_endpoints) scratch.written[rank] = 0;
    scratch.split.prepare(team, args_, std::int64_t{board_.num_teams()} * warps_per_team);
    const std::int64_t first_warp = std::int64_t{scratch.ticket} * warps_per_team;
    if (scratch.split.is_beyond(first_warp)) return leave(team, scratch);
    const ScanRun run = scratch.split.run_of(args_, first_warp + warp);
    const std::int64_t last_request = fold(team, scratch, run);
    team.team_barrier();
    // One warp waits for other teams; the others look at what is to be looked at once.
    if (warp == 0) {
      join(team, scratch);
    } else {
      check_plans(rank - warp_width, scratch);
    }
    team.team_barrier();
    store(team, scratch, run, last_request);
    team.team_barrier();
    count_entries(rank, scratch);
    if (rank == 0) board_.finish();
  }

 private:
  using Job = typename Args::Job;
  using Split = ScanSplit<Args, Shape, warp_width>;
  using Part = typename Split::Part;

  struct Scratch {
    Split split;
    ScanTail tails[warps_per_team];    ///< of each warp's run
    ScanTail befores[warps_per_team];  ///< of the runs before it in the team
    /// Of the request in each warp's tail, where it starts there, by endpoint of its job.
    ChainState starts[warps_per_team][max_endpoints];
    ChainState before_team[max_endpoints];  ///< where the team's first request stands
    std::int64_t distance;                  ///< of the team's first entry from its request's
    bool goes_on;                           ///< the team's last request has entries behind them
    Count written[max_endpoints];           ///< entries that are not skipped, by job
    std::int32_t ticket;
    std::uint64_t stamp;
  };
  static_assert(warps_per_team <= warp_width && max_endpoints <= warp_width);
  static_assert(sizeof(Scratch) <= Tuning::max_scratch_bytes);

 public:
  static constexpr std::size_t scratch_bytes =
      hashes_kv ? std::max(sizeof(Scratch), sizeof(typename KVTeams::Scratch)) : sizeof(Scratch);

 private:
  /// For teams that have no run. Nobody waits for them, but where the plan has changed: a team that
  /// has found more entries may.
  KOKKOS_FUNCTION void leave(const Member& team, const Scratch& scratch) const {
    if (team.team_rank() == 0) board_.publish_nothing(scratch.ticket, scratch.stamp);
    if (team.team_rank() < checkers) check_plans(team.team_rank(), scratch);
    if (team.team_rank() == 0) board_.finish();
  }

  /// What is done once for each endpoint, and once for each of its requests, by the `checkers`
  /// lanes of each team that do not wait for others.
  KOKKOS_FUNCTION void check_plans(int rank, const Scratch& scratch) const {
    for (int j = 0; scratch.ticket == 0 && j < args_.num_jobs; ++j) {
      const int e = args_.jobs[j].first_endpoint + rank;
      if (rank >= args_.jobs[j].num_endpoints) continue;
      args_.count_launch(args_.jobs[j], args_.endpoints.items[e], scratch.split.totals(args_, j));
    }
    scratch.split.for_each_request(
        args_, rank, checkers, scratch.ticket, board_.num_teams(),
        [&](int j, std::int64_t r, const typename Job::Request& found) {
          const Job& job = args_.jobs[j];
          const WriteRequest request = clamp_request(found, scratch.split.size_of(j).bounds);
          const std::int64_t seed_slot = job.requests.seed_slot(found, r);
          for (int e = 0; e < job.num_endpoints; ++e) {
            args_.check_request(args_.endpoints.items[job.first_endpoint + e], found.end, seed_slot,
                                request, r);
          }
        });
  }
  static constexpr int checkers = team_size - warp_width;
  static_assert(checkers >= max_endpoints);

  /// The seed of a request in the endpoint of this lane.
  KOKKOS_FUNCTION Record load_seed(const Part& part, int lane) const {
    const Job& job = args_.jobs[part.job];
    if (lane >= job.num_endpoints) return {};
    return Args::load_seed(args_.endpoints.items[job.first_endpoint + lane],
                           job.requests.seed_slot(part.found, part.request));
  }

  /// What a request starts from in the endpoint of this lane.
  KOKKOS_FUNCTION ChainState start(const Scratch& scratch, const Part& part, int lane,
                                   const Record& seed) const {
    const Job& job = args_.jobs[part.job];
    if (lane >= job.num_endpoints) return {};
    return Args::start(args_.endpoints.items[job.first_endpoint + lane], Chain::polynomial,
                       job.requests.seed_slot(part.found, part.request), seed,
                       scratch.split.size_of(part.job).checks_positions);
  }

  /// Leaves the tail of a run in scratch, and the start of its request. Returns that request.
  KOKKOS_FUNCTION std::int64_t fold(const Member& team, Scratch& scratch, ScanRun run) const {
    const int lane = Warp::lane_in_warp(team), warp = team.team_rank() / warp_width;
    Part part{};
    std::int64_t request = -1;
    for (bool is_first = true; scratch.split.take_part(team, args_, run, part); is_first = false) {
      request = run.request - 1;
      if (is_first && team.team_rank() == 0) scratch.distance = part.first - part.entries.begin;
    }
    ScanTail tail;
    if (request >= 0) {
      // On its way at the same time as the entries.
      const Record seed = part.is_start() ? load_seed(part, lane) : Record{};
      tail = fold_part(team, part);
      if (part.is_start()) {
        tail.start_index = warp;
        if (lane < max_endpoints) scratch.starts[warp][lane] = start(scratch, part, lane, seed);
      }
    } else if (team.team_rank() == 0) {
      scratch.distance = 0;
    }
    if (lane == 0) scratch.tails[warp] = tail;
    if (lane == 0 && warp == warps_per_team - 1) {
      scratch.goes_on = request >= 0 && part.first + part.count < part.entries.end;
    }
    return request;
  }

  /// Strips without a skipped entry: each lane has every warp_width-th entry, so that no lane needs
  /// another one before the end.
  struct Columns {
    ChainMap map = {1, 0};
    std::int64_t position = 0;
    bool is_empty = true;

    KOKKOS_FUNCTION void add(const WriteEntry& entry) {
      constexpr std::uint64_t power = polynomial_power(warp_width);
      map = map.then({power, polynomial_term(entry.token, entry.position)});
      position = entry.position;
      is_empty = false;
    }

    /// For all lanes of the warp, which have as many strips.
    KOKKOS_FUNCTION ScanTail tail(const Member& team, std::uint64_t power) const {
      if (is_empty) return {};
      return {{map.multiplier, sum_of_columns(team, power, map.offset, warp_width)},
              Warp::from_lane(team, position, last_lane),
              1,
              -1};
    }
  };

  /// The tail of a part, a strip at a time.
  KOKKOS_FUNCTION ScanTail fold_part(const Member& team, const Part& part) const {
    const Job& job = args_.jobs[part.job];
    const int lane = Warp::lane_in_warp(team);
    const std::uint64_t power = polynomial_power(lane);
    ScanTail tail;
    Columns columns;
    for_each_strip(job, part, lane, [&](const WriteEntry& entry, std::int64_t at) {
      fold_strip(team, power, entry, part.count - at, tail, columns);
    });
    return tail.then(columns.tail(team, power));
  }

  /// Calls `body(entry, at)` for every strip of a part, which begins with its `at`-th entry. The
  /// next one is on its way from memory meanwhile. A loop that is one: a warp goes through it so
  /// few times that it would wait for each line of an unrolled one to come to the instruction
  /// cache.
  template <class Body>
  KOKKOS_FUNCTION static void for_each_strip(const Job& job, const Part& part, int lane,
                                             const Body& body) {
    WriteEntry next = entry_of(job, part, lane);
    KVCANARY_SELDOM_LOOP
    for (std::int64_t at = 0; at < part.count; at += warp_width) {
      const WriteEntry entry = next;
      next = entry_of(job, part, at + warp_width + lane);
      body(entry, at);
    }
  }

  /// Adds a strip, of which `left` entries and those of other strips are left, to a tail.
  KOKKOS_FUNCTION static void fold_strip(const Member& team, std::uint64_t power,
                                         const WriteEntry& entry, std::int64_t left, ScanTail& tail,
                                         Columns& columns) {
    const int lane = Warp::lane_in_warp(team);
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(left, warp_width));
    if (Warp::any(team, lane < count && entry.slot < 0)) {
      ScanTail of_strip;
      of_strip.add(entry);
      of_strip = Warp::from_lane(team, scan_tails(team, of_strip), last_lane);
      tail = tail.then(columns.tail(team, power)).then(of_strip);
      columns = {};
    } else if (count == warp_width) {
      columns.add(entry);
    } else {
      tail = tail.then(columns.tail(team, power)).then(tail_of(team, power, entry, count));
      columns = {};
    }
  }

  /// The offset of `count` entries, none of which is skipped: each lane has that of one.
  /// \param power polynomial_power(lane)
  KOKKOS_FUNCTION static std::uint64_t sum_of_columns(const Member& team, std::uint64_t power,
                                                      std::uint64_t offset, int count) {
    const int behind = count - 1 - Warp::lane_in_warp(team);
    const std::uint64_t multiplier = Warp::from_lane(team, power, behind >= 0 ? behind : 0);
    return Warp::combine(team, behind >= 0 ? multiplier * offset : 0,
                         [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }

  /// The tail of the last strip of a part, where no entry is skipped.
  KOKKOS_FUNCTION static ScanTail tail_of(const Member& team, std::uint64_t power,
                                          const WriteEntry& entry, int count) {
    const std::uint64_t term = polynomial_term(entry.token, entry.position);
    return {{Warp::from_lane(team, power, count), sum_of_columns(team, power, term, count)},
            Warp::from_lane(team, entry.position, count - 1),
            1,
            -1};
  }

  /// By one warp: publishes the team's tail, and finds where the request stands with which the team
  /// begins.
  KOKKOS_FUNCTION void join(const Member& team, Scratch& scratch) const {
    const int lane = Warp::lane_in_warp(team);
    const ScanTail up_to =
        scan_tails(team, lane < warps_per_team ? scratch.tails[lane] : ScanTail{});
    const ScanTail before = Warp::from_lane_before(team, up_to, 1);
    if (lane < warps_per_team) scratch.befores[lane] = lane > 0 ? before : ScanTail{};
    publish(team, scratch, Warp::from_lane(team, up_to, last_lane));
    if (scratch.distance > 0) find_start(team, scratch);
  }

  KOKKOS_FUNCTION void publish(const Member& team, const Scratch& scratch, ScanTail tail) const {
    const int lane = Warp::lane_in_warp(team);
    // Nobody needs it, but who sees other lengths may wait for it.
    if (!scratch.goes_on) {
      if (lane == 0) board_.publish_nothing(scratch.ticket, scratch.stamp);
      return;
    }
    if (tail.has_start()) {
      if (lane < max_endpoints) {
        board_.starts(scratch.ticket)[lane] = scratch.starts[tail.start_index][lane];
      }
      tail.start_index = scratch.ticket;
    }
    board_.template publish<Warp>(team, lane == 0, scratch.ticket, tail, scratch.stamp);
  }

  /// Waits for the teams that have the entries before the team's first in its request.
  KOKKOS_FUNCTION void find_start(const Member& team, Scratch& scratch) const {
    const int lane = Warp::lane_in_warp(team);
    const std::int64_t of_team = scratch.split.run_cost() * warps_per_team;
    const std::int64_t needed = Kokkos::min(scratch.split.parts_of(scratch.distance, of_team),
                                            std::int64_t{scratch.ticket});
    const std::int64_t of_lane = (needed + last_lane) / warp_width;
    const std::int64_t begin = scratch.ticket - needed + of_lane * lane;
    const std::int64_t end = Kokkos::min(begin + of_lane, std::int64_t{scratch.ticket});
    board_.wait_for(begin, end, scratch.stamp);
    ScanTail tail;
    for (std::int64_t t = begin; t < end; ++t) tail = tail.then(board_.tail(t));
    tail = Warp::from_lane(team, scan_tails(team, tail), last_lane);
    if (lane >= max_endpoints) return;
    const ChainState none{chain_start(), 0, 0};
    scratch.before_team[lane] =
        tail.after(tail.has_start() ? board_.starts(tail.start_index)[lane] : none);
  }

  /// Stores the records of a run. `last_request` is the one whose start is in scratch.
  KOKKOS_FUNCTION void store(const Member& team, Scratch& scratch, ScanRun run,
                             std::int64_t last_request) const {
    const int lane = Warp::lane_in_warp(team), warp = team.team_rank() / warp_width;
    for (Part part{}; scratch.split.take_part(team, args_, run, part);) {
      ChainState state{};  // lane e has that of endpoint e
      if (!part.is_start()) {
        if (lane < max_endpoints) state = state_before(scratch, warp, lane);
      } else if (run.request - 1 == last_request) {
        // Warps behind this one may have stored a record over the seed by now.
        if (lane < max_endpoints) state = scratch.starts[warp][lane];
      } else {
        state = start(scratch, part, lane, load_seed(part, lane));
      }
      Count written = scratch.split.size_of(part.job).checks_positions
                          ? store_part<ScanTail>(team, part, state)
                          : store_part<ChainMap>(team, part, state);
      written = Warp::combine(team, written, [](Count a, Count b) { return a + b; });
      if (lane == 0) Kokkos::atomic_add(&scratch.written[part.job], written);
    }
  }

  /// Where a request stands before a warp's run, in an endpoint.
  KOKKOS_FUNCTION static ChainState state_before(const Scratch& scratch, int warp, int e) {
    const ScanTail& before = scratch.befores[warp];
    return before.after(before.has_start() ? scratch.starts[before.start_index][e]
                                           : scratch.before_team[e]);
  }

  /// Stores the records of a part, a strip at a time; returns how many of the lane's entries are
  /// not skipped. Lane e gives the state before the part in endpoint e.
  /// \tparam Behind what has to be known of the entries before one: ChainMap, or ScanTail when
  /// positions are checked
  template <class Behind>
  KOKKOS_FUNCTION Count store_part(const Member& team, const Part& part, ChainState state) const {
    const Job& job = args_.jobs[part.job];
    const int lane = Warp::lane_in_warp(team);
    const std::uint64_t power = polynomial_power(lane);
    Count written = 0;
    for_each_strip(job, part, lane, [&](const WriteEntry& entry, std::int64_t first) {
      const std::int64_t at = first + lane;
      Behind before, strip;  // the entries of the strip before this one, and all of them
      scan_strip(team, power, entry, at < part.count, before, strip);
      for (int e = 0; e < job.num_endpoints; ++e) {
        const ChainState at_entry = before.after(of_endpoint<Behind>(team, state, e));
        if (entry.slot >= 0) store_entry(part, e, at_entry, part.first + at, entry);
      }
      state = strip.after(state);
      written += entry.slot >= 0 ? 1 : 0;
    });
    return written;
  }

  template <class Behind>
  KOKKOS_FUNCTION static void scan_strip(const Member& team, std::uint64_t power,
                                         const WriteEntry& entry, bool is_there, Behind& before,
                                         Behind& strip) {
    if constexpr (std::is_same_v<Behind, ChainMap>) {
      // What lanes behind the part's last entry have changes nothing.
      if (!Warp::any(team, is_there && entry.slot < 0)) {
        return scan_terms(team, power, entry, before, strip);
      }
    }
    Behind up_to;
    up_to.add(entry);
    up_to = scan_tails(team, up_to);
    before = Warp::from_lane_before(team, up_to, 1);
    if (Warp::lane_in_warp(team) == 0) before = {};
    strip = Warp::from_lane(team, up_to, last_lane);
  }

  /// The same where no entry is skipped: what they multiply with is known.
  KOKKOS_FUNCTION static void scan_terms(const Member& team, std::uint64_t power,
                                         const WriteEntry& entry, ChainMap& before,
                                         ChainMap& strip) {
    const int lane = Warp::lane_in_warp(team);
    std::uint64_t offset = polynomial_term(entry.token, entry.position);
    std::uint64_t multiplier = polynomial_multiplier;
    KVCANARY_SELDOM_LOOP
    for (int distance = 1; distance < warp_width; distance *= 2, multiplier *= multiplier) {
      const std::uint64_t other = Warp::from_lane_before(team, offset, distance);
      if (lane >= distance) offset += multiplier * other;
    }
    before = {power, Warp::from_lane_before(team, offset, 1)};
    if (lane == 0) before.offset = 0;
    strip = {polynomial_power(warp_width), Warp::from_lane(team, offset, last_lane)};
  }

  /// The `at`-th entry of a part; one that is skipped behind its end.
  KOKKOS_FUNCTION static WriteEntry entry_of(const Job& job, const Part& part, std::int64_t at) {
    return at < part.count ? job.entry(part.first + at) : WriteEntry{0, 0, -1};
  }

  template <class Behind>
  KOKKOS_FUNCTION static ChainState of_endpoint(const Member& team, const ChainState& state,
                                                int e) {
    if constexpr (std::is_same_v<Behind, ChainMap>) {
      return {Warp::from_lane(team, state.hash, e), 0, 0};
    } else {
      return Warp::from_lane(team, state, e);
    }
  }

  KOKKOS_FUNCTION void store_entry(const Part& part, int e, const ChainState& before,
                                   std::int64_t i, const WriteEntry& entry) const {
    const Job& job = args_.jobs[part.job];
    const EndpointArgs& endpoint = args_.endpoints.items[job.first_endpoint + e];
    if (Args::is_plain(job, endpoint, before, entry) ||
        args_.check(job, endpoint, part.entries, before, i, entry)) {
      store_chained(endpoint, entry, before.hash);
    }
  }

  KOKKOS_FUNCTION void count_entries(int rank, const Scratch& scratch) const {
    for (int j = 0; j < args_.num_jobs; ++j) {
      if (rank >= args_.jobs[j].num_endpoints) continue;
      const int e = args_.jobs[j].first_endpoint + rank;
      args_.sink.count_entries(args_.endpoints.items[e].tag, scratch.written[j]);
    }
  }

  /// Those of the lanes up to and including this one, joined. See for_each_strip for the loop.
  template <class Behind>
  KOKKOS_FUNCTION static Behind scan_tails(const Member& team, Behind value) {
    KVCANARY_SELDOM_LOOP
    for (int distance = 1; distance < warp_width; distance *= 2) {
      const Behind before = Warp::from_lane_before(team, value, distance);
      if (Warp::lane_in_warp(team) >= distance) value = before.then(value);
    }
    return value;
  }

  Args args_;
  ScanBoard board_;
  std::int32_t num_kv_teams_;
};

/// The kernel for a device of `concurrency` threads, and no more than `max_teams`.
template <class Kernel, class Args>
Kernel write_by_scan_kernel(const Args& args, std::byte* board, std::int64_t max_teams,
                            std::int64_t concurrency) {
  std::int64_t tokens = 0;
  for (int j = 0; j < args.num_jobs; ++j) tokens += args.jobs[j].tokens_given;
  // A warp has one entry at the least.
  const std::int64_t wanted = (tokens + Kernel::warps_per_team - 1) / Kernel::warps_per_team;
  const auto teams = static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 1, max_teams));
  return Kernel(args, ScanBoard(board, teams), Kernel::KVTeams::num_teams(args, concurrency));
}

template <bool hashes_kv, class ExecSpace, class Args>
void launch_write_by_scan(const ExecSpace& space, const Args& args, std::byte* board) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = WriteByScan<Member, hashes_kv, Args, Tuning<ExecSpace>>;
  const Kernel kernel = write_by_scan_kernel<Kernel>(
      args, board, teams_that_fill(space, Kernel::teams_at_once), space.concurrency());
  launch_teams<Kernel::team_size, Kernel::teams_at_once>(
      "kvc::write_scan", space, kernel.league_size(), Kernel::scratch_bytes, kernel);
}

/// Bytes of a plan's scratch: as zeros, before the first launch.
template <class ExecSpace>
std::int64_t write_scratch_bytes(const ExecSpace& space) {
  if constexpr (is_host_space<ExecSpace>) {
    return 0;
  } else {
    using Tuning = kvcanary::Tuning<ExecSpace>;
    constexpr int teams_at_once = std::max(Tuning::template WriteByScan<false>::teams_at_once,
                                           Tuning::template WriteByScan<true>::teams_at_once);
    return ScratchLayout::bytes(teams_that_fill(space, teams_at_once));
  }
}

/// Those endpoints of `jobs` that have polynomial chains.
template <class Requests, class ExecSpace, class Job, class MemorySpace>
void write_by_scan(const ExecSpace& space, std::span<const Job> jobs,
                   const WriteScratch<MemorySpace>& scratch, const ViolationLog<MemorySpace>& log,
                   const LaunchCounters<MemorySpace>& counters) {
  constexpr int few_jobs = tuning::Shared::few_jobs;
  const auto launch = [&](const auto& args) {
    std::byte* const board = ScratchLayout::board(scratch.bytes.data());
    kv_work_of(args.endpoints.span()) == KVWork::none
        ? launch_write_by_scan<false>(space, args, board)
        : launch_write_by_scan<true>(space, args, board);
  };
  constexpr Chains chains{.splitmix = false, .polynomial = true};
  if (jobs.size() <= few_jobs) {
    launch(WriteArgs<Requests, few_jobs>(jobs, log, counters, chains));
  } else {
    launch(WriteArgs<Requests>(jobs, log, counters, chains));
  }
}

}  // namespace kvcanary::detail
