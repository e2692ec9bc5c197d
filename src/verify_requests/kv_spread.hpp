#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kv_hash.hpp>

#include "endpoint_args.hpp"

/// \file
/// KV hashes of a tile of slots that have many sources, by a team.
namespace kvcanary::detail {

/// The hash of one source's bytes is a serial chain, but sources and slots don't depend on each
/// other: a lane takes a (slot, source) at a time, and the sources of a slot are joined after. In
/// team scratch.
template <int tile_size>
struct KVSpread {
  std::uint64_t joined[tile_size];  ///< by slot
  std::uint64_t hash[tile_size];    ///< by source and slot
  int outside[tile_size];           ///< 1 when a source does not have the slot's row

  /// Whether it is of use: a lane hashes a single source as well on its own.
  KOKKOS_FUNCTION static bool wanted(const EndpointArgs& endpoint) {
    return endpoint.mode != KVHashMode::none && endpoint.num_sources > 1;
  }

  /// Whether slot `j` has the hash that its record says.
  KOKKOS_FUNCTION bool has(int j, std::int64_t stored) const {
    return outside[j] == 0 && static_cast<std::uint64_t>(stored) == joined[j];
  }

  /// Hashes the first `count` of `slots` but for those that the endpoint does not hold. The lane of
  /// index j modulo the size of the team may then call has(j, ...). For all lanes,
  /// after a barrier.
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team, const EndpointArgs& endpoint,
                                  const std::int64_t* slots, int count) {
    const int lane = team.team_rank(), lanes = team.team_size();
    for (int j = lane; j < count; j += lanes) {
      joined[j] = 0;
      outside[j] = 0;
    }
    team.team_barrier();
    const int at_once = tile_size / count;
    for (int first = 0; first < endpoint.num_sources; first += at_once) {
      const int rest = endpoint.num_sources - first, sources = rest < at_once ? rest : at_once;
      for (int task = lane; task < count * sources; task += lanes) {
        hash_one(endpoint, slots[task % count], first + task / count, task, task % count);
      }
      team.team_barrier();
      for (int j = lane; j < count; j += lanes) {
        for (int i = 0; i < sources; ++i) joined[j] = join_sources(joined[j], hash[i * count + j]);
      }
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION void hash_one(const EndpointArgs& endpoint, std::int64_t slot, int source,
                                int task, int j) {
    if (!endpoint.holds(slot)) return;
    const KVHash found = source_hash(endpoint.sources[source], endpoint.mode, slot);
    hash[task] = found.value;
    if (!found.in_range) Kokkos::atomic_store(&outside[j], 1);
  }
};

}  // namespace kvcanary::detail
