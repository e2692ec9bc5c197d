#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/endpoint_args.hpp"
#include "src/kv_hash.hpp"

/// \file
/// KV hashes of a few slots by a team.
namespace kvcanary::detail {

/// The hash of one source's bytes is a serial chain, but sources and slots don't depend on each
/// other: a lane takes a (slot, source) at a time, and the sources of a slot are joined after.
/// Neighbouring lanes take neighbouring slots of the same source. In team scratch.
template <int team_size, int max_slots>
class TeamKVHash {
 public:
  /// Hashes `count` slots, but for those that the endpoint does not hold. A lane whose `j` is one
  /// of [0, count), each of which has one, gives slot `j` and gets its hash. For all lanes, each of
  /// which has the same `j` in all calls; the endpoint has a source.
  template <class Member>
  KOKKOS_FUNCTION KVHash hash(const Member& team, const EndpointArgs& endpoint, int count, int j,
                              std::int64_t slot) {
    const int rank = team.team_rank();
    const bool has_slot = j >= 0 && j < count;
    KVHash mine;
    if (has_slot) {
      slots_[j] = slot;
      outside_[j] = 0;
    }
    team.team_barrier();
    const int at_once = team_size / count;
    for (int first = 0; first < endpoint.num_sources; first += at_once) {
      const int left = endpoint.num_sources - first, sources = left < at_once ? left : at_once;
      if (rank < count * sources) hash_one(endpoint, rank % count, first + rank / count, rank);
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

  static_assert(max_slots <= team_size);
  std::int64_t slots_[max_slots];
  int outside_[max_slots];         ///< 1 when a source does not have the slot's row
  std::uint64_t hash_[team_size];  ///< by source and slot
};

}  // namespace kvcanary::detail
