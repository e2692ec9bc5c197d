#pragma once

#include <cstdint>

#include "oracle/endpoint.hpp"

/// \file
/// The 32 bytes of one slot.
namespace oracle {

struct Record {
  std::int64_t token = 0;
  std::int64_t position = 0;
  std::int64_t prev_hash = 0;
  std::int64_t kv_hash = 0;

  bool operator==(const Record&) const = default;
};

/// The prev_hash of the record after this one.
std::uint64_t next(const Record& record, Chain chain = Chain::splitmix);

/// The record of a slot that the endpoint has.
Record load(const Endpoint& endpoint, std::int64_t slot);
void store(Endpoint& endpoint, std::int64_t slot, const Record& record);

}  // namespace oracle
