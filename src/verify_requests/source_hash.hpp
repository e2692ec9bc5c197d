#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kv_hash.hpp>

/// \file
/// kv_hash in its parts, for kernels that work on several sources or slots at a time.
namespace kvcanary::detail {

/// Hash of a slot's bytes in one source, not yet joined with those of other sources.
KOKKOS_INLINE_FUNCTION KVHash source_hash(const KVSource& source, KVHashMode mode,
                                          std::int64_t slot) {
  const std::int64_t row = row_of(source, slot);
  if (row >= source.num_rows) return {0, false};
  return {hash_words(bytes_of(source, slot, row), bytes_read(source, mode)), true};
}

/// The hash of the sources so far, and of one more.
KOKKOS_INLINE_FUNCTION std::uint64_t join_sources(std::uint64_t joined, std::uint64_t hash) {
  return splitmix64(joined ^ hash);
}

}  // namespace kvcanary::detail
