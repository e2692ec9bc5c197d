#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/write/write_args.hpp"

/// \file
/// KV hashes of the slots of a batch, by teams that do nothing else.
namespace kvcanary::detail {

/// (slot, source) pairs that a team hashes at a time. The hash of one source is a serial chain, so
/// this is all the parallelism there is.
inline constexpr int kv_hashes_per_round = 128;
/// What a team keeps in its scratch memory.
struct KVHashScratch {
  std::uint64_t sources[kv_hashes_per_round];  ///< [sources][slots] of a round
  std::uint64_t slots[kv_hashes_per_round];
};

/// Slots that a team takes at a time: as many as it has hashes for, when they have few sources.
KOKKOS_INLINE_FUNCTION int kv_slots_per_round(int num_sources) {
  return num_sources < kv_hashes_per_round ? kv_hashes_per_round / num_sources : 1;
}

template <class ExecSpace>
class KVHashTeam {
 public:
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  KOKKOS_FUNCTION KVHashTeam(const Member& team, const EndpointArgs& endpoint,
                             KVHashScratch& scratch)
      : team_(team), endpoint_(endpoint), scratch_(scratch) {}

  KOKKOS_FUNCTION int slots_per_round() const { return kv_slots_per_round(endpoint_.num_sources); }

  /// Stores `kv_hash` in the records of up to slots_per_round() entries of a batch, from `first`.
  KOKKOS_FUNCTION void write(const IntArray& slots, std::int64_t first, std::int64_t last) const {
    const std::int64_t rest = last - first;
    const int count = static_cast<int>(rest < slots_per_round() ? rest : slots_per_round());
    const int most =
        endpoint_.num_sources < kv_hashes_per_round ? endpoint_.num_sources : kv_hashes_per_round;
    for (int source = 0; source < endpoint_.num_sources; source += most) {
      const int left = endpoint_.num_sources - source;
      const int sources = left < most ? left : most;
      hash_sources(slots, first, count, source, sources);
      team_.team_barrier();
      combine(count, source, sources);
      team_.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, count), [&](int i) {
      const std::int64_t slot = slots[first + i];
      if (is_storable(slot)) endpoint_.store_kv_hash(slot, scratch_.slots[i]);
    });
    team_.team_barrier();
  }

 private:
  KOKKOS_FUNCTION bool is_storable(std::int64_t slot) const {
    return slot >= 0 && endpoint_.holds_kv(slot);
  }

  /// Neighbouring lanes take neighbouring slots of the same source.
  KOKKOS_FUNCTION void hash_sources(const IntArray& slots, std::int64_t first, int count,
                                    int source, int sources) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, count * sources), [&](int k) {
      const int s = k / count, i = k - s * count;
      const std::int64_t slot = slots[first + i];
      if (is_storable(slot)) {
        scratch_.sources[k] =
            source_hash(endpoint_.sources[source + s], endpoint_.mode, slot).value;
      }
    });
  }

  KOKKOS_FUNCTION void combine(int count, int source, int sources) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, count), [&](int i) {
      std::uint64_t hash = source == 0 ? 0 : scratch_.slots[i];
      for (int s = 0; s < sources; ++s) {
        hash = join_sources(hash, scratch_.sources[s * count + i]);
      }
      scratch_.slots[i] = hash;
    });
  }

  const Member& team_;
  const EndpointArgs& endpoint_;
  KVHashScratch& scratch_;
};

}  // namespace kvcanary::detail
