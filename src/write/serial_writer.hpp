#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/write/write_args.hpp"

/// \file
/// A request of few entries to an endpoint, by one thread of a device: one entry after the other.
namespace kvcanary::detail {

/// \tparam chains those of the jobs
/// \tparam kv_work none or few: at least what the endpoints ask for
template <ChainMix chains, KVWork kv_work, class Args>
class SerialWriter {
 public:
  using Job = typename Args::Job;

  explicit SerialWriter(const Args& args) : args_(args) {}

  KOKKOS_FUNCTION const Args& args() const { return args_; }

  /// All entries of a request, which has one.
  KOKKOS_FUNCTION void write_entries(const Job& job, const EndpointArgs& endpoint,
                                     const WriteRequest& request, ChainState state, WriteEntry next,
                                     FewKVBytes next_kv) const {
    Count entries = 0;
    for (std::int64_t i = request.begin; i < request.end; ++i) {
      const WriteEntry entry = next;
      const FewKVBytes kv_bytes = next_kv;
      if (i + 1 < request.end) {
        next = job.entry(i + 1);
        next_kv = load_kv(endpoint, next.slot);
      }
      if (entry.slot < 0) continue;
      write_entry(job, endpoint, request, state, i, entry, kv_bytes);
      ++entries;
      if (i + 1 == request.end) break;  // a decode step ends here
      state.hash = chain_step(chain_in<chains>(job.chain), state.hash, entry.token, entry.position);
      state.position = entry.position;
    }
    args_.sink.count_entries(endpoint.tag, entries);
  }

  /// The first KV bytes of a slot, of those that are there.
  KOKKOS_FUNCTION static FewKVBytes load_kv(const EndpointArgs& endpoint, std::int64_t slot) {
    if constexpr (kv_work == KVWork::few) {
      if (slot >= 0 && endpoint.holds_kv(slot)) return endpoint.load_few(slot);
    }
    return {};
  }

  KOKKOS_FUNCTION void write_entry(const Job& job, const EndpointArgs& endpoint,
                                   const WriteRequest& request, const ChainState& before,
                                   std::int64_t i, const WriteEntry& entry,
                                   const FewKVBytes& kv_bytes) const {
    const bool storable = Args::is_plain(job, endpoint, before, entry) ||
                          args_.check(job, endpoint, request, before, i, entry);
    if (!storable) return;
    std::uint64_t kv = 0;
    if constexpr (kv_work == KVWork::few) kv = endpoint.hash_few(entry.slot, kv_bytes).value;
    endpoint.store(entry.slot, {.token = entry.token,
                                .position = entry.position,
                                .prev_hash = static_cast<std::int64_t>(before.hash),
                                .kv_hash = static_cast<std::int64_t>(kv)});
  }

  Args args_;
};

}  // namespace kvcanary::detail
