#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/launch.hpp"
#include "src/write/kv_hash_teams.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write for long extends on a device, with two kinds of teams in one launch.
///
/// A *chain team* has one request of one job. The chain of a request is serial, and nothing else
/// is: the lanes of the team's first warp each advance the chain of one endpoint, a tile of entries
/// at a time, while the other warps read the next tile from memory and store the records of the one
/// before. KV teams (kv_hash_teams.hpp) hash KV bytes and store nothing but `kv_hash`: the chain
/// doesn't depend on it, so that work spreads over the whole device, however few requests there
/// are.
namespace kvcanary::detail {

/// \tparam hashes_kv whether any endpoint hashes KV bytes: a kernel that never does needs half as
/// many registers, and so has room for twice as many chains on a multiprocessor
template <class ExecSpace, class Chain, bool hashes_kv>
class WriteTeams {
 public:
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  /// Long enough to hide what happens between tiles; short on a host, which only tests this shape.
  static constexpr int tile_size = is_host_space<ExecSpace> ? 32 : 128;

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
    WriteStart start[max_endpoints];

    /// Hashes before each entry, [2][tile_size][num_endpoints]: there are none while a tile is
    /// read. Neighbouring lanes, which have neighbouring endpoints, store neighbours.
    KOKKOS_FUNCTION std::uint64_t* hashes(std::int64_t tile, int num_endpoints) {
      return reinterpret_cast<std::uint64_t*>(this + 1) + (tile % 2) * tile_size * num_endpoints;
    }

    KOKKOS_FUNCTION static std::size_t bytes(int num_endpoints) {
      return sizeof(Scratch) + 2 * sizeof(std::uint64_t) * tile_size * num_endpoints;
    }
  };

  WriteTeams(const WriteArgs& args, std::int32_t num_chain_teams, std::int32_t num_kv_teams)
      : args_(args), num_chain_teams_(num_chain_teams), num_kv_teams_(num_kv_teams) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    // Chains take longest, so their teams come first.
    std::int32_t rank = team.league_rank();
    if (rank >= num_chain_teams_) {
      if constexpr (hashes_kv) kv_team(team, rank - num_chain_teams_);
      return;
    }
    int j = 0;
    while (rank >= args_.jobs[j].capacity) rank -= args_.jobs[j++].capacity;
    chain_team(team, args_.jobs[j], rank);
  }

 private:
  /// The lanes of a team that do one thing: this one is `rank` of `size`, or, with a negative rank,
  /// none of them. On a host a team is one lane, which does everything.
  struct Role {
    int rank, size;
  };
  struct Roles {
    Role chain, helper, all;
  };
  static constexpr int warp = warp_size<ExecSpace>;

  KOKKOS_FUNCTION static Roles roles(const Member& team) {
    const int rank = team.team_rank(), size = team.team_size();
    if (size == 1) return {{0, 1}, {0, 1}, {0, 1}};
    return {{rank < warp ? rank : -1, warp}, {rank - warp, size - warp}, {rank, size}};
  }

  KOKKOS_FUNCTION void chain_team(const Member& team, const WriteJobArgs& job,
                                  std::int64_t r) const {
    const EndpointArgs* endpoints = args_.endpoints.items + job.first_endpoint;
    const WritePlanRow plan = job.plan_row(r);
    const WritePlanState state = *job.state;
    const std::int64_t n = job.num_requests(state);
    if (r == 0) {
      for (int e = team.team_rank(); e < job.num_endpoints; e += team.team_size()) {
        args_.count_launch(job, endpoints[e], state);
      }
    }
    if (r >= n) return;
    const WriteRequest request = job.request(plan, job.bounds(n));
    auto& scratch = in_scratch<Scratch>(team, Scratch::bytes(job.num_endpoints));
    const std::int64_t tiles = (request.end - request.begin + tile_size - 1) / tile_size;

    // Seeds come from memory at the same time as the first tile. On a device, lane e of the chain
    // warp keeps the chain of endpoint e: chains that agree cost no more than one.
    const Roles role = roles(team);
    for (int e = role.chain.rank; e >= 0 && e < job.num_endpoints; e += role.chain.size) {
      const Record seed = WriteArgs::load_seed(endpoints[e], plan);
      scratch.start[e] = args_.template start<Chain>(job, endpoints[e], plan, request, r, seed);
    }
    stage(role.helper, job, request, 0, scratch);
    team.team_barrier();
    Count entries = 0;  // of the endpoint of this lane; on a host, of each
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      for (int e = role.chain.rank; e >= 0 && e < job.num_endpoints; e += role.chain.size) {
        const Count advanced = advance(request, tile, e, job.num_endpoints, scratch);
        if (e == role.chain.rank) entries += advanced;
      }
      stage(role.helper, job, request, tile + 1, scratch);
      if (tile > 0) finish(role.helper, job, request, tile - 1, scratch);
      team.team_barrier();
    }
    for (int e = role.chain.rank; e >= 0 && e < job.num_endpoints; e += role.chain.size) {
      args_.sink.count_entries(endpoints[e].tag, entries);
    }
    if (tiles > 0) finish(role.all, job, request, tiles - 1, scratch);
  }

  KOKKOS_FUNCTION static int entries_of(const WriteRequest& request, std::int64_t tile) {
    const std::int64_t rest = request.end - request.begin - tile * tile_size;
    return static_cast<int>(rest < tile_size ? rest : tile_size);
  }

  /// Reads a tile of the batch, if there is one.
  KOKKOS_FUNCTION static void stage(const Role& role, const WriteJobArgs& job,
                                    const WriteRequest& request, std::int64_t tile,
                                    Scratch& scratch) {
    if (role.rank < 0) return;
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const std::int64_t first = request.begin + tile * tile_size;
    for (int i = role.rank; i < count; i += role.size) {
      const WriteEntry entry = job.entry(first + i);
      scratch.input[stage][i] = {entry.token, entry.position};
      scratch.slot[stage][i] = entry.slot;
      scratch.skip[stage][i] = entry.slot < 0 ? 1 : 0;
    }
  }

  /// The serial part: the hash before each entry, and in `start.hash` that after the last. Returns
  /// the number of entries that are not skipped.
  KOKKOS_FUNCTION static Count advance(const WriteRequest& request, std::int64_t tile, int e,
                                       int num_endpoints, Scratch& scratch) {
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const ChainInput* const input = scratch.input[stage];
    const std::int32_t* const skip = scratch.skip[stage];
    std::uint64_t* hashes = scratch.hashes(tile, num_endpoints) + e;
    std::uint64_t hash = scratch.start[e].hash;
    int skipped = 0;
    for (int i = 0; i < count; ++i) {
      const ChainInput entry = input[i];
      *hashes = hash;
      hashes += num_endpoints;
      const std::uint64_t advanced = Chain::step(hash, entry.token, entry.position);
      hash = skip[i] != 0 ? hash : advanced;
      skipped += skip[i];
    }
    scratch.start[e].hash = hash;
    return static_cast<Count>(count - skipped);
  }

  /// Checks the entries of a tile and stores their records.
  KOKKOS_FUNCTION void finish(const Role& role, const WriteJobArgs& job,
                              const WriteRequest& request, std::int64_t tile,
                              Scratch& scratch) const {
    if (role.rank < 0) return;
    const int stage = static_cast<int>(tile % Scratch::num_stages);
    const int count = entries_of(request, tile);
    const std::int64_t first = request.begin + tile * tile_size;
    const std::uint64_t* const hashes = scratch.hashes(tile, job.num_endpoints);
    for (int e = 0; e < job.num_endpoints; ++e) {
      const EndpointArgs& endpoint = args_.endpoints.items[job.first_endpoint + e];
      for (int i = role.rank; i < count; i += role.size) {
        const ChainInput input = scratch.input[stage][i];
        const WriteEntry entry{input.token, input.position, scratch.slot[stage][i]};
        if (entry.slot < 0) continue;
        const std::uint64_t hash = hashes[i * job.num_endpoints + e];
        if (WriteArgs::is_plain(job, endpoint, scratch.start[e], entry.slot) ||
            args_.check(job, endpoint, request, scratch.start[e], first + i, entry, hash)) {
          store(endpoint, entry, hash);
        }
      }
    }
  }

  /// All of a record that a KV team does not store.
  KOKKOS_FUNCTION static void store(const EndpointArgs& endpoint, const WriteEntry& entry,
                                    std::uint64_t hash) {
    const auto prev_hash = static_cast<std::int64_t>(hash);
    if (endpoint.num_sources == 0) {
      endpoint.store(entry.slot, {entry.token, entry.position, prev_hash, 0});
    } else {
      endpoint.store_identity(entry.slot, entry.token, entry.position, prev_hash);
    }
  }

  /// Hashes the KV bytes of the entries that are this team's turn, job by job and endpoint by
  /// endpoint.
  KOKKOS_FUNCTION void kv_team(const Member& team, std::int64_t rank) const {
    auto& scratch = in_scratch<KVHashScratch>(team);
    std::int64_t turn = rank;
    for (int j = 0; j < args_.num_jobs; ++j) {
      const WriteJobArgs& job = args_.jobs[j];
      const WriteJobArgs::Bounds bounds = job.bounds(job.num_requests());
      for (int e = 0; e < job.num_endpoints; ++e) {
        const EndpointArgs& endpoint = args_.endpoints.items[job.first_endpoint + e];
        if (endpoint.num_sources == 0) continue;
        const KVHashTeam<ExecSpace> hasher(team, endpoint, scratch);
        const std::int64_t size = hasher.slots_per_round();
        const std::int64_t rounds = (bounds.last - bounds.first + size - 1) / size;
        for (; turn < rounds; turn += num_kv_teams_) {
          hasher.write(job.slots, bounds.first + turn * size, bounds.last);
        }
        turn -= rounds;
      }
    }
  }

  WriteArgs args_;
  std::int32_t num_chain_teams_, num_kv_teams_;
};

/// Lanes of a team on a device: a warp for chains, and three for all else.
inline constexpr int write_team_size = 128;

/// KV teams for the largest batch that `args` may hold: enough to fill the device, and no more than
/// it has rounds of work.
template <class ExecSpace>
std::int64_t num_kv_teams(const ExecSpace& space, const WriteArgs& args, int team_size) {
  std::int64_t rounds = 0;
  for (int j = 0; j < args.num_jobs; ++j) {
    const WriteJobArgs& job = args.jobs[j];
    for (int e = 0; e < job.num_endpoints; ++e) {
      const int sources = args.endpoints.items[job.first_endpoint + e].num_sources;
      if (sources == 0) continue;
      const std::int64_t size = kv_slots_per_round(sources);
      rounds += (job.num_tokens + size - 1) / size;
    }
  }
  return std::min<std::int64_t>(rounds, (space.concurrency() + team_size - 1) / team_size);
}

template <bool hashes_kv, class ExecSpace>
void launch_write_teams(const ExecSpace& space, const WriteArgs& args, std::int64_t kv_teams) {
  using Kernel = WriteTeams<ExecSpace, SplitmixChain, hashes_kv>;
  std::int64_t chain_teams = 0;
  int most_endpoints = 0;
  for (int j = 0; j < args.num_jobs; ++j) {
    chain_teams += args.jobs[j].capacity;
    most_endpoints = std::max<int>(most_endpoints, args.jobs[j].num_endpoints);
  }
  launch_teams<write_team_size, hashes_kv ? 4 : 8>(
      "kvcanary::write_teams", space, chain_teams + kv_teams,
      std::max(Kernel::Scratch::bytes(most_endpoints), hashes_kv ? sizeof(KVHashScratch) : 0),
      Kernel(args, static_cast<std::int32_t>(chain_teams), static_cast<std::int32_t>(kv_teams)));
}

template <class ExecSpace>
void launch_write_teams(const ExecSpace& space, const WriteArgs& args) {
  const std::int64_t kv_teams = num_kv_teams(space, args, write_team_size);
  // The scratch memory of many endpoints leaves room for no more teams than hashing does.
  const bool many = args.endpoints.count > 8;
  kv_teams > 0 || many ? launch_write_teams<true>(space, args, kv_teams)
                       : launch_write_teams<false>(space, args, 0);
}

}  // namespace kvcanary::detail
