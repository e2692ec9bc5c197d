#pragma once

#include <cstdint>

#include "oracle/endpoint.hpp"

/// \file
/// The hash of a slot's KV bytes.
namespace oracle {

/// Bytes of one source that the mode hashes.
std::int64_t bytes_read(const KVSource& source, KVMode mode);

/// Whether every source that is read has the row of `slot` >= 0.
bool kv_in_range(const Endpoint& endpoint, std::int64_t slot);

/// Sources without the row of `slot` are left out.
std::uint64_t kv_hash(const Endpoint& endpoint, std::int64_t slot);

}  // namespace oracle
