#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>

/// \file
/// The 32-byte fingerprint of one slot.
namespace kvcanary {

/// What a slot holds: which token, at which position, after which history, over which KV bytes.
/// The layout is the one in memory: four little-endian int64 in this order.
struct alignas(16) Record {
  std::int64_t token;      ///< token id
  std::int64_t position;   ///< position in the request, 0-based
  std::int64_t prev_hash;  ///< chain hash of everything before this token (bits of a uint64)
  std::int64_t kv_hash;    ///< hash of the KV bytes (bits of a uint64), 0 when nothing is hashed
};
static_assert(sizeof(Record) == 32);

/// The `prev_hash` that the record after `record` must have.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t next_hash(const Record& record,
                                                         Chain chain = Chain::splitmix) {
  return chain_step(chain, static_cast<std::uint64_t>(record.prev_hash), record.token,
                    record.position);
}

}  // namespace kvcanary
