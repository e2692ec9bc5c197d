#include "oracle/kv_hash.hpp"

#include <algorithm>
#include <cstring>

#include "oracle/chain_hash.hpp"

namespace oracle {
namespace {

bool has_row(const KVSource& source, std::int64_t slot) {
  return slot / source.page_size < source.num_rows;
}

std::uint64_t hash_bytes(const std::byte* bytes, std::int64_t size) {
  std::uint64_t hash = 0;
  for (std::int64_t begin = 0; begin < size; begin += 8) {
    std::uint64_t word =
        0;  // memcpy fills the low bytes first: the oracle runs on little-endian hosts
    std::memcpy(&word, bytes + begin, std::min<std::int64_t>(8, size - begin));
    hash = splitmix64(hash ^ word);
  }
  return hash;
}

}  // namespace

std::int64_t bytes_read(const KVSource& source, KVMode mode) {
  switch (mode) {
    case KVMode::none:
      return 0;
    case KVMode::partial:
      return std::min<std::int64_t>(16, source.read_bytes);
    case KVMode::all:
      return source.read_bytes;
  }
  return 0;
}

bool kv_in_range(const Endpoint& endpoint, std::int64_t slot) {
  return endpoint.mode == KVMode::none ||
         std::ranges::all_of(endpoint.sources,
                             [&](const KVSource& source) { return has_row(source, slot); });
}

std::uint64_t kv_hash(const Endpoint& endpoint, std::int64_t slot) {
  std::uint64_t hash = 0;
  if (endpoint.mode == KVMode::none) return hash;
  for (const KVSource& source : endpoint.sources) {
    if (!has_row(source, slot)) continue;
    const std::int64_t begin = slot / source.page_size * source.row_stride +
                               slot % source.page_size * source.bytes_per_token;
    hash = splitmix64(hash ^
                      hash_bytes(source.bytes.data() + begin, bytes_read(source, endpoint.mode)));
  }
  return hash;
}

}  // namespace oracle
