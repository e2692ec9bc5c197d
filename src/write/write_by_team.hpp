#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/launch.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"
#include "src/write/kv_teams.hpp"
#include "src/write/team_requests.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write of splitmix chains for long extends on a device, with two kinds of teams in one launch.
///
/// A *chain team* has one request of one job. The chain of a request is serial, and nothing else
/// is: the lanes of the team's first warp each advance the chain of one endpoint, a tile of entries
/// at a time, while the other warps read the next tile from memory and store the records of the one
/// before. *KV teams* (kv_teams.hpp) hash KV bytes.
namespace kvcanary::detail {

/// \tparam hashes_kv whether any endpoint hashes KV bytes
template <class Member, bool hashes_kv, class Args, class Tuning>
class WriteByTeam {
  using Shape = typename Tuning::template WriteByTeam<hashes_kv>;

 public:
  static constexpr int team_size = Shape::team_size, teams_at_once = Shape::teams_at_once;
  using KVTeams = detail::KVTeams<Args, team_size, Tuning::warp_width>;

  WriteByTeam(const Args& args, std::int32_t num_chain_teams, std::int32_t num_kv_teams)
      : args_(args), num_chain_teams_(num_chain_teams), num_kv_teams_(num_kv_teams) {}

  std::int64_t league_size() const { return std::int64_t{num_chain_teams_} + num_kv_teams_; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    // Chains take longest, so their teams come first.
    std::int32_t index = team.league_rank();
    if (index >= num_chain_teams_) {
      if constexpr (hashes_kv) {
        KVTeams::hash_jobs(team, args_, index - num_chain_teams_, num_kv_teams_);
      }
      return;
    }
    int j = 0;
    while (index >= args_.jobs[j].requests.max_requests()) {
      index -= args_.jobs[j++].requests.max_requests();
    }
    write_request(team, j, index);
  }

 private:
  using Job = typename Args::Job;
  static constexpr int warp_width = Tuning::warp_width, tile_size = Shape::tile_size;
  /// What an entry adds to a chain, as one 16-byte load.
  struct alignas(16) ChainInput {
    std::int64_t token, position;
  };

  /// Where a team's tiles lie in its scratch memory: one is read, one goes through the chain and
  /// one is stored, all at the same time.
  struct Scratch {
    static constexpr int num_stages = 3;
    ChainInput input[num_stages][tile_size];
    std::int64_t slot[num_stages][tile_size];
    std::int32_t skip[num_stages][tile_size];  ///< 1: a negative slot. One comparison less a step
    /// Where each endpoint's chain stands before a tile that is stored, before one that goes
    /// through the chain, and after it.
    ChainState before[num_stages][max_endpoints];
    WriteRequest request;
    bool is_counted;  ///< the request is one of those that count
    TeamRequests<Job, team_size, warp_width> requests;

    /// Hashes before each entry, [2][tile_size][num_endpoints]: there are none while a tile is
    /// read. Neighbouring lanes, which have neighbouring endpoints, store neighbours.
    KOKKOS_FUNCTION std::uint64_t* hashes(std::int64_t tile, int num_endpoints) {
      return reinterpret_cast<std::uint64_t*>(this + 1) + (tile % 2) * tile_size * num_endpoints;
    }

    KOKKOS_FUNCTION static constexpr std::size_t bytes(int num_endpoints) {
      return sizeof(Scratch) + 2 * sizeof(std::uint64_t) * tile_size * num_endpoints;
    }
  };
  static_assert(Scratch::bytes(max_endpoints) <= Tuning::max_scratch_bytes);
  static_assert(max_endpoints <= warp_width && team_size >= 2 * warp_width);

 public:
  /// What a team needs of the largest job.
  static std::size_t scratch_bytes_of(const Args& args) {
    int num_endpoints = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      num_endpoints = std::max<int>(num_endpoints, args.jobs[j].num_endpoints);
    }
    return std::max(Scratch::bytes(num_endpoints),
                    hashes_kv ? sizeof(typename KVTeams::Scratch) : 0);
  }

 private:
  /// Request `r` of job `j`. The index, not the job: compilers for AMD's GPUs would copy all
  /// arguments into each lane's own memory for a pointer that depends on a loop.
  KOKKOS_FUNCTION void write_request(const Member& team, int j, std::int64_t r) const {
    const Job& job = args_.jobs[j];
    const EndpointArgs* endpoints = args_.endpoints.items + job.first_endpoint;
    const int rank = team.team_rank(), helper = rank - warp_width;
    auto& scratch = in_scratch<Scratch>(team, Scratch::bytes(job.num_endpoints));
    const FoundRequest<Job> found = scratch.requests.find(team, job, r);
    const bool checks_positions = job.checks_positions();
    const std::int64_t n = job.requests.num_requests(found.totals);
    const WriteRequest mine = clamp_request(found.request, found.bounds);
    const std::int64_t seed_slot = r < n ? job.requests.seed_slot(found.request, r) : no_slot;
    const bool has_chain = rank < job.num_endpoints && r < n;
    // Seeds come from memory at the same time as the first tile, which all lanes read: there is no
    // chain to advance yet.
    const Record seed = has_chain ? Args::load_seed(endpoints[rank], seed_slot) : Record{};
    if (r < n) read_tile(rank, team_size, job, mine, 0, scratch);

    // Lane e keeps the chain of endpoint e: chains that agree cost no more than one.
    if (has_chain) {
      scratch.before[0][rank] =
          Args::start(endpoints[rank], Chain::splitmix, seed_slot, seed, checks_positions);
    } else if (rank < job.num_endpoints) {
      scratch.before[0][rank] = {chain_start(), 0, 0};
    } else if (helper >= 0 && helper < job.num_endpoints) {
      // What is only reported, by lanes that have no chain.
      if (r == 0) args_.count_launch(job, endpoints[helper], found.totals);
      if (r < n) args_.check_request(endpoints[helper], found.request.end, seed_slot, mine, r);
    }
    // What one lane has read of the request rules the barriers of all: plans may change.
    if (rank == 0) {
      scratch.request = mine;
      scratch.is_counted = r < n;
    }
    team.team_barrier();
    if (!scratch.is_counted) return;
    const WriteRequest request = scratch.request;
    const std::int64_t tiles = (request.end - request.begin + tile_size - 1) / tile_size;
    Count entries = 0;  // that a lane has counted
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      if (rank < job.num_endpoints) advance(request, tile, rank, job.num_endpoints, scratch);
      if (helper >= 0) {
        read_tile(helper, helpers, job, request, tile + 1, scratch);
        if (tile > 0) store_tile(helper, helpers, job, request, tile - 1, scratch);
      }
      // All teams end at once: what they add up must not have to wait for its turn then.
      if (helper >= 0 && helper < warp_width) {
        entries += num_written(request, tile, helper, scratch);
        if (tile == tiles - 1) count_entries(team, job, entries);
      }
      team.team_barrier();
    }
    if (tiles > 0) store_tile(rank, team_size, job, request, tiles - 1, scratch);
  }

  static constexpr int helpers = team_size - warp_width;

  KOKKOS_FUNCTION static int entries_of(const WriteRequest& request, std::int64_t tile) {
    const std::int64_t rest = request.end - request.begin - tile * tile_size;
    return static_cast<int>(rest < tile_size ? rest : tile_size);
  }

  /// Reads a tile of the batch, if there is one, as lane `rank` of `size`.
  KOKKOS_FUNCTION static void read_tile(int rank, int size, const Job& job,
                                        const WriteRequest& request, std::int64_t tile,
                                        Scratch& scratch) {
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const std::int64_t first = request.begin + tile * tile_size;
    // Runs once or twice, and registers are short.
    KVCANARY_SELDOM_LOOP
    for (int i = rank; i < count; i += size) {
      const WriteEntry entry = job.entry(first + i);
      scratch.input[stage][i] = {entry.token, entry.position};
      scratch.slot[stage][i] = entry.slot;
      scratch.skip[stage][i] = entry.slot < 0 ? 1 : 0;
    }
  }

  /// Entries of a tile that are not skipped, of those of a lane of a warp.
  KOKKOS_FUNCTION static Count num_written(const WriteRequest& request, std::int64_t tile, int lane,
                                           const Scratch& scratch) {
    const std::int32_t* const skip = scratch.skip[tile % Scratch::num_stages];
    Count entries = 0;
    for (int i = lane; i < entries_of(request, tile); i += warp_width) {
      entries += skip[i] != 0 ? 0 : 1;
    }
    return entries;
  }

  /// By a warp of helpers, each of which has counted some.
  KOKKOS_FUNCTION void count_entries(const Member& team, const Job& job, Count entries) const {
    const int lane = Warp<warp_width>::lane_in_warp(team);
    entries = Warp<warp_width>::combine(team, entries, [](Count a, Count b) { return a + b; });
    if (lane >= job.num_endpoints) return;
    args_.sink.count_entries(args_.endpoints.items[job.first_endpoint + lane].tag, entries);
  }

  /// The serial part: the hash before each entry, and where the chain stands after the last.
  KOKKOS_FUNCTION static void advance(const WriteRequest& request, std::int64_t tile, int e,
                                      int num_endpoints, Scratch& scratch) {
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const ChainInput* const input = scratch.input[stage];
    const std::int32_t* const skip = scratch.skip[stage];
    std::uint64_t* hashes = scratch.hashes(tile, num_endpoints) + e;
    const ChainState before = scratch.before[stage][e];
    std::uint64_t hash = before.hash;
    for (int i = 0; i < count; ++i) {
      const ChainInput entry = input[i];
      *hashes = hash;
      hashes += num_endpoints;
      const std::uint64_t advanced = chain_step(Chain::splitmix, hash, entry.token, entry.position);
      hash = skip[i] != 0 ? hash : advanced;
    }
    const int last = last_written(skip, count);
    scratch.before[(stage + 1) % Scratch::num_stages][e] = {
        hash, last < 0 ? before.position : input[last].position, before.checks_position};
  }

  /// The last of `count` entries that is not skipped, or -1.
  KOKKOS_FUNCTION static int last_written(const std::int32_t* skip, int count) {
    int last = count - 1;
    while (last >= 0 && skip[last] != 0) --last;
    return last;
  }

  /// Checks the entries of a tile and stores their records, as lane `rank` of `size`.
  KOKKOS_FUNCTION void store_tile(int rank, int size, const Job& job, const WriteRequest& request,
                                  std::int64_t tile, Scratch& scratch) const {
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const std::int64_t first = request.begin + tile * tile_size;
    for (int i = rank; i < count; i += size) {
      const ChainInput input = scratch.input[stage][i];
      const WriteEntry entry{input.token, input.position, scratch.slot[stage][i]};
      const std::uint64_t* const hashes =
          scratch.hashes(tile, job.num_endpoints) + i * job.num_endpoints;
      std::uint32_t doubtful = 0;  // endpoints in which the entry may be wrong
      for (int e = 0; e < job.num_endpoints; ++e) {
        const EndpointArgs& endpoint = args_.endpoints.items[job.first_endpoint + e];
        const ChainState before = state_before(scratch, stage, i, e, hashes[e]);
        // Not before, as what is read of the entry is on its way at the same time as its slot.
        if (entry.slot < 0) continue;
        if (Args::is_plain(job, endpoint, before, entry)) {
          store_chained(endpoint, entry, before.hash);
        } else {
          doubtful |= 1U << e;
        }
      }
      // Apart, so that the loop above is short.
      for (int e = 0; doubtful != 0; ++e, doubtful >>= 1) {
        if ((doubtful & 1) == 0) continue;
        const EndpointArgs& endpoint = args_.endpoints.items[job.first_endpoint + e];
        const ChainState before = state_before(scratch, stage, i, e, hashes[e]);
        if (args_.check(job, endpoint, request, before, first + i, entry)) {
          store_chained(endpoint, entry, before.hash);
        }
      }
    }
  }

  /// Where endpoint e's chain stands before entry i of a tile.
  KOKKOS_FUNCTION static ChainState state_before(const Scratch& scratch, int stage, int i, int e,
                                                 std::uint64_t hash) {
    ChainState before = scratch.before[stage][e];
    before.hash = hash;
    if (before.checks_position != 0) {
      const int last = last_written(scratch.skip[stage], i);
      if (last >= 0) before.position = scratch.input[stage][last].position;
    }
    return before;
  }

  Args args_;
  std::int32_t num_chain_teams_, num_kv_teams_;
};

/// The kernel for a device of `concurrency` threads.
template <class Kernel, class Args>
Kernel write_by_team_kernel(const Args& args, std::int64_t concurrency) {
  std::int64_t chain_teams = 0;
  for (int j = 0; j < args.num_jobs; ++j) chain_teams += args.jobs[j].requests.max_requests();
  return Kernel(args, static_cast<std::int32_t>(chain_teams),
                Kernel::KVTeams::num_teams(args, concurrency));
}

/// Whether the kernel that hashes no KV bytes won't do, or not well.
template <class Tuning, class Endpoints>
bool needs_kv_kernel(const Endpoints& endpoints) {
  return kv_work_of(endpoints.span()) != KVWork::none ||
         endpoints.count > Tuning::template WriteByTeam<false>::max_endpoints_without_kv;
}

template <bool hashes_kv, class ExecSpace, class Args>
void launch_write_by_team(const ExecSpace& space, const Args& args) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = WriteByTeam<Member, hashes_kv, Args, Tuning<ExecSpace>>;
  const Kernel kernel = write_by_team_kernel<Kernel>(args, space.concurrency());
  launch_teams<Kernel::team_size, Kernel::teams_at_once>(
      "kvc::write_team", space, kernel.league_size(), Kernel::scratch_bytes_of(args), kernel);
}

template <class ExecSpace, class Args>
void launch_write_by_team(const ExecSpace& space, const Args& args) {
  needs_kv_kernel<Tuning<ExecSpace>>(args.endpoints) ? launch_write_by_team<true>(space, args)
                                                     : launch_write_by_team<false>(space, args);
}

/// Those endpoints of `jobs` that have splitmix chains, with arguments that are not much larger
/// than they need.
template <class Requests, class ExecSpace, class Job, class MemorySpace>
void write_by_team(const ExecSpace& space, std::span<const Job> jobs,
                   const ViolationLog<MemorySpace>& log,
                   const LaunchCounters<MemorySpace>& counters) {
  constexpr int few_jobs = tuning::Shared::few_jobs;
  constexpr Chains chains{.splitmix = true, .polynomial = false};
  if (jobs.size() <= few_jobs) {
    launch_write_by_team(space, WriteArgs<Requests, few_jobs>(jobs, log, counters, chains));
  } else {
    launch_write_by_team(space, WriteArgs<Requests>(jobs, log, counters, chains));
  }
}

}  // namespace kvcanary::detail
