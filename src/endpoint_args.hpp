#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <limits>
#include <span>

#include "backends/shared_tuning.hpp"
#include "src/kv_hash.hpp"
#include "src/kv_work.hpp"
#include "src/prefetch.hpp"

/// \file
/// The endpoints of a launch as kernel arguments.
namespace kvcanary::detail {

struct EndpointArgs {
  std::byte* data;
  /// Slots that are no padding: all on the larger side of the padding slots. Engines have those at
  /// an end of the pool, so that one comparison says it of all of them.
  std::int64_t first_token_slot, num_token_slots;
  std::int64_t num_slots;
  std::int64_t kv_slots;  ///< slots whose KV bytes all sources have; no limit when none is hashed
  const KVSourceArgs* sources;
  std::int32_t stride;
  std::int32_t num_sources;     ///< that are hashed: 0 in mode none
  std::int32_t max_read_bytes;  ///< that are hashed of a slot in any source
  LaunchTag tag;
  KVHashMode mode;
  Chain chain;
  PaddingSlots padding;

  KOKKOS_FUNCTION bool holds(std::int64_t slot) const {
    return static_cast<std::uint64_t>(slot) < static_cast<std::uint64_t>(num_slots);
  }

  /// The same, but for padding slots, whose records say nothing.
  KOKKOS_FUNCTION bool holds_token(std::int64_t slot) const {
    return holds(slot) && !padding.contains(slot);
  }

  /// Whether holds_token is true for sure: for fast paths, which leave all else to others.
  KOKKOS_FUNCTION bool surely_holds_token(std::int64_t slot) const {
    return static_cast<std::uint64_t>(slot) - static_cast<std::uint64_t>(first_token_slot) <
           static_cast<std::uint64_t>(num_token_slots);
  }

  /// The same as `holds` for the record and all KV bytes of a slot >= 0.
  KOKKOS_FUNCTION bool holds_kv(std::int64_t slot) const {
    return slot < num_slots && slot < kv_slots;
  }

  /// The record of a slot that the buffer holds, as two 16-byte loads.
  KOKKOS_FUNCTION Record load(std::int64_t slot) const {
    return *reinterpret_cast<const Record*>(data + slot * stride);
  }
  /// The same in place, for the host, whose compilers carry copies through the stack.
  const Record& at(std::int64_t slot) const {
    return *reinterpret_cast<const Record*>(data + slot * stride);
  }
  /// On a host: starts to fetch the record of a slot, any number, that is stored soon.
  void prefetch(std::int64_t slot) const {
    prefetch_write(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data) +
                                                 static_cast<std::uintptr_t>(slot) *
                                                     static_cast<std::uintptr_t>(stride)));
  }
  KOKKOS_FUNCTION void store(std::int64_t slot, const Record& record) const {
    *reinterpret_cast<Record*>(data + slot * stride) = record;
  }
  /// A record in two parts, which different teams may store: all but kv_hash, and kv_hash.
  KOKKOS_FUNCTION void store_identity(std::int64_t slot, std::int64_t token, std::int64_t position,
                                      std::int64_t prev_hash) const {
    auto* const record = reinterpret_cast<Record*>(data + slot * stride);
    record->token = token;
    record->position = position;
    record->prev_hash = prev_hash;
  }
  KOKKOS_FUNCTION void store_kv_hash(std::int64_t slot, std::uint64_t kv_hash) const {
    reinterpret_cast<Record*>(data + slot * stride)->kv_hash = static_cast<std::int64_t>(kv_hash);
  }
  /// The KV hash of a slot in two steps, when it is of few bytes: what can be loaded before
  /// hashing.
  KOKKOS_FUNCTION FewKVBytes load_few(std::int64_t slot) const {
    return num_sources > 0 ? FewKVBytes(sources[0], mode, slot) : FewKVBytes();
  }
  KOKKOS_FUNCTION KVHash hash_few(std::int64_t slot, const FewKVBytes& of_first) const {
    KVHash result;
    if (num_sources > 0) join(result, of_first.hash());
    for (std::int32_t i = 1; i < num_sources; ++i) {
      join(result, FewKVBytes(sources[i], mode, slot).hash());
    }
    return result;
  }

  template <KVWork kv_work = KVWork::many>
  KOKKOS_FUNCTION KVHash hash_kv(std::int64_t slot) const {
    if constexpr (kv_work == KVWork::none) return {};
    if constexpr (kv_work == KVWork::few) return hash_few(slot, load_few(slot));
    return kv_hash(sources, num_sources, mode, slot);
  }

  KVWork kv_work() const {
    if (num_sources == 0) return KVWork::none;
    if (std::int64_t{num_sources} * max_read_bytes <= tuning::Shared::few_kv_bytes)
      return KVWork::few;
    return num_sources == 1 ? KVWork::one : KVWork::many;
  }
};

inline EndpointArgs to_args(const Endpoint& from) {
  const PaddingSlots& padding = from.buffer.padding;
  const std::int64_t before = padding.count > 0 ? padding.first : 0;
  const std::int64_t end = padding.count > 0 ? padding.first + padding.count : 0;
  const std::int64_t behind = from.buffer.num_slots - end;
  const KVSourceList& kv = from.sources;
  const bool hashes = from.kv_hash_mode != KVHashMode::none && kv.count > 0;
  return {from.buffer.data,
          behind >= before ? end : 0,
          std::max(behind, before),
          from.buffer.num_slots,
          hashes ? kv.num_slots : std::numeric_limits<std::int64_t>::max(),
          static_cast<const KVSourceArgs*>(kv.sources),
          static_cast<std::int32_t>(from.buffer.stride),
          hashes ? kv.count : 0,
          bytes_hashed(kv.max_read_bytes, from.kv_hash_mode),
          from.tag,
          from.kv_hash_mode,
          from.buffer.chain,
          padding};
}

/// By value, so that no device array has to be filled before a launch. Room for fewer than
/// max_endpoints makes a launch cheaper.
template <int capacity = max_endpoints>
struct EndpointArray {
  EndpointArgs items[capacity];
  std::int32_t count = 0;

  EndpointArray() : items{} {}
  explicit EndpointArray(std::span<const Endpoint> endpoints) : items{} { add(endpoints); }

  std::span<const EndpointArgs> span() const { return {items, static_cast<std::size_t>(count)}; }

  void add(const Endpoint& endpoint) { items[count++] = to_args(endpoint); }
  void add(std::span<const Endpoint> endpoints) {
    for (const Endpoint& endpoint : endpoints) add(endpoint);
  }
};

/// The chains of a launch. A kernel that knows its chain has a tenth fewer instructions a record.
enum class ChainMix { splitmix, polynomial, both };

inline ChainMix chain_mix_of(std::span<const EndpointArgs> endpoints) {
  bool has[2] = {false, false};
  for (const EndpointArgs& endpoint : endpoints) has[static_cast<int>(endpoint.chain)] = true;
  if (has[0] && has[1]) return ChainMix::both;
  return has[0] ? ChainMix::splitmix : ChainMix::polynomial;
}

/// The chain of a launch, or `own`, where there are both.
template <ChainMix mix>
KOKKOS_INLINE_FUNCTION constexpr Chain chain_in(Chain own) {
  if constexpr (mix == ChainMix::both) return own;
  return mix == ChainMix::splitmix ? Chain::splitmix : Chain::polynomial;
}

/// The most that any of them hashes.
inline KVWork kv_work_of(std::span<const EndpointArgs> endpoints) {
  KVWork work = KVWork::none;
  for (const EndpointArgs& endpoint : endpoints) work = std::max(work, endpoint.kv_work());
  return work;
}

}  // namespace kvcanary::detail
