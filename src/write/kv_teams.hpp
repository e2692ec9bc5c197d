#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/team.hpp"
#include "src/team_kv_hash.hpp"
#include "src/write/team_requests.hpp"
#include "src/write/write_args.hpp"

/// \file
/// The teams of a write that hash KV bytes, beside those that advance chains.
namespace kvcanary::detail {

/// All of a record that is not left to those who hash KV bytes.
KOKKOS_INLINE_FUNCTION void store_chained(const EndpointArgs& endpoint, const WriteEntry& entry,
                                          std::uint64_t hash) {
  const auto prev_hash = static_cast<std::int64_t>(hash);
  if (endpoint.num_sources == 0) {
    endpoint.store(entry.slot, {entry.token, entry.position, prev_hash, 0});
  } else {
    endpoint.store_identity(entry.slot, entry.token, entry.position, prev_hash);
  }
}

/// They store nothing but `kv_hash`: no chain depends on it, so that work spreads over the whole
/// device, however few requests there are.
template <class Args, int team_size, int warp_width>
class KVTeams {
  using Job = typename Args::Job;

 public:
  /// What a team keeps in its scratch memory.
  struct Scratch {
    TeamKVHash<team_size, team_size> hasher;
    TeamRequests<Job, team_size, warp_width> requests;
    EntryBounds entries;
  };

  /// As many teams as a device of `concurrency` threads has room for, but no more than there are
  /// turns for the largest batch that `args` may hold.
  static std::int32_t num_teams(const Args& args, std::int64_t concurrency) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(num_turns(args), (concurrency + team_size - 1) / team_size));
  }

  /// Hashes the KV bytes of the entries that are the turn of team `index` of `num_teams`, job by
  /// job and endpoint by endpoint.
  template <class Member>
  KOKKOS_FUNCTION static void hash_jobs(const Member& team, const Args& args, std::int64_t index,
                                        std::int32_t num_teams) {
    auto& scratch = in_scratch<Scratch>(team);
    std::int64_t turn = index;
    for (int j = 0; j < args.num_jobs; ++j) {
      const Job& job = args.jobs[j];
      // One look for all lanes: what rules barriers must be the same for all of them.
      team.team_barrier();
      const EntryBounds seen = scratch.requests.entries(team, job);
      if (team.team_rank() == 0) scratch.entries = seen;
      team.team_barrier();
      const EntryBounds entries = scratch.entries;
      for (int e = 0; e < job.num_endpoints; ++e) {
        const EndpointArgs& endpoint = args.endpoints.items[job.first_endpoint + e];
        if (endpoint.num_sources == 0) continue;
        const std::int64_t size = slots_per_turn(endpoint.num_sources);
        const std::int64_t turns = (entries.last - entries.first + size - 1) / size;
        for (; turn < turns; turn += num_teams) {
          const std::int64_t first = entries.first + turn * size;
          const std::int64_t rest = entries.last - first;
          hash_turn(team, scratch, endpoint, job.slots, first,
                    static_cast<int>(rest < size ? rest : size));
        }
        turn -= turns;
      }
    }
  }

 private:
  /// Stores `kv_hash` in the records of `count` entries of a batch, from `first` on.
  template <class Member>
  KOKKOS_FUNCTION static void hash_turn(const Member& team, Scratch& scratch,
                                        const EndpointArgs& endpoint, const IntArray& slots,
                                        std::int64_t first, int count) {
    const int i = team.team_rank();
    const std::int64_t slot = i < count ? slots[first + i] : -1;
    const bool storable = slot >= 0 && endpoint.holds_kv(slot);
    const KVHash hash = scratch.hasher.hash(team, endpoint, count, i, storable ? slot : -1);
    if (storable) endpoint.store_kv_hash(slot, hash.value);
  }

  /// Slots that a team takes at a time: as many as it has lanes for, when they have few sources.
  KOKKOS_FUNCTION static int slots_per_turn(int num_sources) {
    return num_sources < team_size ? team_size / num_sources : 1;
  }

  static std::int64_t num_turns(const Args& args) {
    std::int64_t turns = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      const Job& job = args.jobs[j];
      for (int e = 0; e < job.num_endpoints; ++e) {
        const int sources = args.endpoints.items[job.first_endpoint + e].num_sources;
        if (sources == 0) continue;
        const std::int64_t size = slots_per_turn(sources);
        turns += (job.tokens_given + size - 1) / size;
      }
    }
    return turns;
  }
};

}  // namespace kvcanary::detail
