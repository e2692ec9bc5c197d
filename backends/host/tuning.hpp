#pragma once

#include <cstdint>

/// \file
/// What was tuned for CPUs: Serial and OpenMP. Measured on an AMD EPYC (perf/results).
namespace kvcanary::tuning {

struct Host {
  /// Slots whose records or KV bytes a thread works on at a time, in loops that compilers
  /// vectorise: few enough for the first-level cache.
  static constexpr int tile_size = 64;

  static constexpr int cache_line = 64;  ///< bytes
  /// Words of KV bytes of each slot that are hashed in one go: a cache line.
  static constexpr int kv_words_at_once = cache_line / 8;

  /// Of __builtin_prefetch; 3 is the first-level cache. The second level has room for more lines on
  /// their way, and those of a tile don't push each other out: 1.1 to 2.3 x faster where many
  /// records or KV bytes are touched.
  static constexpr int prefetch_level = 2;

  struct Workers {
    /// Entries that a worker takes in a row: state is carried from one to the next.
    static constexpr std::int64_t chunk_size = 1024;
    /// Chunks differ in cost: some to spare, for balance.
    static constexpr std::int64_t per_core = 16;
  };

  struct Write {
    /// Requests whose chains a core advances side by side: a chain is bound by the latency of its
    /// multiplications. More would not fit into the registers.
    static constexpr int chains = 4;
    /// Up to so many entries, a request is not worth a place among the chains.
    static constexpr int max_entries_alone = 4;
    /// Entries that a chain advances in one go: those of all chains stay in the first-level cache.
    static constexpr int tile_size = 64;
    /// Entries from the fetch of a record to its store.
    static constexpr int prefetch_distance = 16;
    /// Requests that a worker takes in a row: enough to fill the chains several times over.
    static constexpr std::int64_t requests_at_once = 8 * chains;
    /// Workers for KV bytes on each core: some to spare, for balance.
    static constexpr std::int64_t kv_workers_per_core = 4;
  };

  struct VerifyRequests {
    /// Positions of a request that a worker takes in a row.
    static constexpr std::int64_t unit_size = 1024;
    /// Some to spare, for cores that have other work too; each walks through all lengths, though.
    static constexpr std::int64_t workers_per_core = 4;
  };
};

}  // namespace kvcanary::tuning
