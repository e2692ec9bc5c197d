#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/endpoint_args.hpp"
#include "src/host_tile.hpp"
#include "src/kv_hash.hpp"
#include "src/prefetch.hpp"

/// \file
/// KV hashes of a tile of slots, by one host thread.
namespace kvcanary::detail {

/// The hash of a slot is a serial chain, those of different slots don't depend on each other: the
/// chains of all slots advance together, a cache line of each at a time.
class HostKVTile {
 public:
  /// Stores the hashes of up to host_tile_size slots, whose KV bytes all sources have.
  void hash(const EndpointArgs& endpoint, const std::int64_t* slots, int count,
            std::uint64_t* joined) {
    std::fill_n(joined, count, 0);
    for (int i = 0; i < endpoint.num_sources; ++i) {
      const KVSourceArgs source = endpoint.sources[i];
      locate(source, slots, count);
      hash_source(bytes_hashed(source.read_bytes, endpoint.mode), count);
      join_sources_of_tile(joined, hashes_, count);
    }
  }

 private:
  static constexpr std::int64_t line = 8 * words_at_once;

  void locate(const KVSourceArgs& source, const std::int64_t* slots, int count) {
    for (int j = 0; j < count; ++j) {
      bytes_[j] = bytes_of(source, slots[j], row_of(source, slots[j]));
      prefetch_read(bytes_[j]);
    }
  }

  void hash_source(std::int64_t size, int count) {
    std::fill_n(hashes_, count, 0);
    for (std::int64_t at = 0; at < size; at += line) {
      const std::int64_t now = std::min(line, size - at);
      for (int j = 0; j < count; ++j) {
        if (at + line < size) prefetch_read(bytes_[j] + at + line);
        load(bytes_[j] + at, now, j);
      }
      hash_words_of_tile(hashes_, words_, static_cast<int>((now + 7) / 8), count);
    }
  }

  /// Words of slot `j`, the last one zero-padded.
  void load(const std::byte* bytes, std::int64_t size, int j) {
    int w = 0;
    for (; 8 * w + 8 <= size; ++w) std::memcpy(&words_[w][j], bytes + std::int64_t{8} * w, 8);
    const std::int64_t rest = size - std::int64_t{8} * w;
    if (rest > 0) words_[w][j] = load_bytes(bytes + std::int64_t{8} * w, rest);
  }

  const std::byte* bytes_[host_tile_size];
  std::uint64_t hashes_[host_tile_size];
  HostTile::Words words_[words_at_once];
};

}  // namespace kvcanary::detail
