#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kv_hash.hpp>

/// \file
/// kv_hash in its parts, for kernels that work on several sources or slots at a time.
namespace kvcanary::detail {

KOKKOS_INLINE_FUNCTION std::int64_t bytes_read(const KVSource& source, KVHashMode mode) {
  return mode == KVHashMode::partial && source.read_bytes > 16 ? 16 : source.read_bytes;
}

/// Hash of a slot's bytes in one source, not yet joined with those of other sources.
KOKKOS_INLINE_FUNCTION KVHash source_hash(const KVSource& source, KVHashMode mode,
                                          std::int64_t slot) {
  const std::int64_t row = slot / source.page_size;
  if (row >= source.num_rows) return {0, false};
  const std::byte* bytes = source.data + row * source.row_stride +
                           (slot - row * source.page_size) * source.bytes_per_token;
  return {hash_words(bytes, bytes_read(source, mode)), true};
}

/// The hash of the sources so far, and of one more.
KOKKOS_INLINE_FUNCTION std::uint64_t join_sources(std::uint64_t joined, std::uint64_t hash) {
  return splitmix64(joined ^ hash);
}

}  // namespace kvcanary::detail
