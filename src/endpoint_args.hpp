#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/kv_hash.hpp>
#include <span>

/// \file
/// The endpoints of a launch as kernel arguments.
namespace kvcanary::detail {

struct EndpointArgs {
  std::byte* data;
  std::int64_t num_slots;
  std::int64_t stride;
  const KVSource* sources;
  std::int32_t num_sources;
  LaunchTag tag;
  KVHashMode mode;

  KOKKOS_FUNCTION bool holds(std::int64_t slot) const { return slot >= 0 && slot < num_slots; }

  /// The record of a slot that the buffer holds, as two 16-byte loads.
  KOKKOS_FUNCTION Record load(std::int64_t slot) const {
    return *reinterpret_cast<const Record*>(data + slot * stride);
  }
  /// The same in place, for the host, whose compilers carry copies through the stack.
  const Record& at(std::int64_t slot) const {
    return *reinterpret_cast<const Record*>(data + slot * stride);
  }
  KOKKOS_FUNCTION void store(std::int64_t slot, const Record& record) const {
    *reinterpret_cast<Record*>(data + slot * stride) = record;
  }
  KOKKOS_FUNCTION KVHash hash_kv(std::int64_t slot) const {
    return kv_hash({sources, num_sources}, mode, slot);
  }
};

/// By value, so that no device array has to be filled before a launch.
struct EndpointArray {
  EndpointArgs items[max_endpoints];
  std::int32_t count;

  explicit EndpointArray(std::span<const Endpoint> endpoints)
      : items{}, count(static_cast<std::int32_t>(endpoints.size())) {
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      const Endpoint& from = endpoints[i];
      items[i] = {from.buffer.data,     from.buffer.num_slots, from.buffer.stride,
                  from.sources.sources, from.sources.count,    from.tag,
                  from.kv_hash_mode};
    }
  }
};

}  // namespace kvcanary::detail
