#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kv_hash.hpp>

#include "src/endpoint_args.hpp"

/// \file
/// KV hashes of a few slots that have many sources, by a team.
namespace kvcanary::detail {

/// The hash of one source's bytes is a serial chain, but sources and slots don't depend on each
/// other: a lane takes a (slot, source) at a time, and the sources of a slot are joined after. In
/// team scratch.
template <int team_size, int max_slots>
class KVSpread {
 public:
  /// Whether it is of use: a lane hashes a single source as well on its own.
  KOKKOS_FUNCTION static bool wanted(const EndpointArgs& endpoint) {
    return endpoint.num_sources > 1;
  }

  /// Hashes `count` slots, but for those that the endpoint does not hold. A lane whose `j` is one
  /// of [0, count) gives slot `j` and gets its hash. For all lanes.
  template <class Member>
  KOKKOS_FUNCTION KVHash operator()(const Member& team, const EndpointArgs& endpoint, int count,
                                    int j, std::int64_t slot) {
    const int lane = team.team_rank();
    const bool has_slot = j >= 0 && j < count;
    KVHash mine;
    team.team_barrier();  // whoever still reads of the last slots
    if (has_slot) {
      slots_[j] = slot;
      outside_[j] = 0;
    }
    team.team_barrier();
    const int at_once = team_size / count;
    for (int first = 0; first < endpoint.num_sources; first += at_once) {
      const int rest = endpoint.num_sources - first, sources = rest < at_once ? rest : at_once;
      if (lane < count * sources) hash_one(endpoint, lane % count, first + lane / count, lane);
      team.team_barrier();
      for (int i = 0; has_slot && i < sources; ++i) {
        mine.value = join_sources(mine.value, hash_[i * count + j]);
      }
      team.team_barrier();
    }
    if (has_slot) mine.in_range = outside_[j] == 0;
    return mine;
  }

 private:
  KOKKOS_FUNCTION void hash_one(const EndpointArgs& endpoint, int j, int source, int task) {
    if (!endpoint.holds(slots_[j])) return;
    const KVHash found = source_hash(endpoint.sources[source], endpoint.mode, slots_[j]);
    hash_[task] = found.value;
    if (!found.in_range) Kokkos::atomic_store(&outside_[j], 1);
  }

  std::int64_t slots_[max_slots];
  int outside_[max_slots];         ///< 1 when a source does not have the slot's row
  std::uint64_t hash_[team_size];  ///< by source and slot
};

}  // namespace kvcanary::detail
