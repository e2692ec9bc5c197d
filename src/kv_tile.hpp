#pragma once

#include <cstdint>
#include <kvcanary/kv_source.hpp>

#include "endpoint_args.hpp"
#include "source_hash.hpp"

/// \file
/// KV hashes of a tile of slots, by one host thread.
namespace kvcanary::detail {

/// Source by source, so that what is the same for all slots is looked up once, and the hashes of
/// neighbouring slots, which are serial chains of their own, overlap in the core.
template <int tile_size>
struct KVTile {
  std::uint64_t joined[tile_size];  ///< by slot
  bool outside[tile_size];          ///< a source does not have the slot's row

  /// Whether slot `j` has the hash that its record says.
  bool has(int j, std::int64_t stored) const {
    return !outside[j] && static_cast<std::uint64_t>(stored) == joined[j];
  }

  /// Hashes `count` slots, of which those that the endpoint does not hold give anything.
  void operator()(const EndpointArgs& endpoint, const std::int64_t* slots, int count) {
    for (int j = 0; j < count; ++j) {
      joined[j] = 0;
      outside[j] = false;
    }
    if (endpoint.mode == KVHashMode::none) return;
    for (int i = 0; i < endpoint.num_sources; ++i) add_source(endpoint, i, slots, count);
  }

 private:
  void add_source(const EndpointArgs& endpoint, int i, const std::int64_t* slots, int count) {
    const KVSource source = endpoint.sources[i];
    for (int j = 0; j < count; ++j) {
      if (!endpoint.holds(slots[j])) continue;
      const KVHash found = source_hash(source, endpoint.mode, slots[j]);
      outside[j] = outside[j] || !found.in_range;
      joined[j] = join_sources(joined[j], found.value);
    }
  }
};

}  // namespace kvcanary::detail
