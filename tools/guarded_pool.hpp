#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "tools/kv_pool.hpp"

/// \file
/// A KV pool with a canary beside every slot of its keys and of its values.
namespace kvcanary::tools {

/// The launch tags under which a pool reports.
struct PoolTags {
  LaunchTag k, v, sweep_k, sweep_v;
};
inline constexpr PoolTags full_tags{LaunchTag::head_k_full, LaunchTag::head_v_full,
                                    LaunchTag::sweep_k_full, LaunchTag::sweep_v_full};
inline constexpr PoolTags swa_tags{LaunchTag::head_k_swa, LaunchTag::head_v_swa,
                                   LaunchTag::sweep_k_swa, LaunchTag::sweep_v_swa};

/// Where violations and counts of all pools go. Writes and checks are counted apart.
template <class MemorySpace>
struct Sinks {
  ViolationLog<MemorySpace> log;
  LaunchCounters<MemorySpace> written, verified;
};

/// Sizes of a GuardedPool.
struct PoolSizes {
  std::int64_t num_slots, page_size, kv_bytes;
  KVHashMode kv_hash_mode;
  Chain chain;
};

template <class Space>
class GuardedPool {
 public:
  using MemorySpace = typename Space::memory_space;

  GuardedPool(const PoolSizes& sizes, const PoolTags& tags, const Sinks<MemorySpace>& sinks)
      : kv(sizes.num_slots, sizes.page_size, sizes.kv_bytes), sinks_(sinks) {
    const auto records = [&] {
      return Records("canary", static_cast<std::size_t>(sizes.num_slots));
    };
    records_ = {records(), records()};
    const PaddingSlots padding{.first = 0, .count = sizes.page_size};  // the engine's padding page
    const Chain chain = sizes.chain;
    endpoints_ = {Endpoint{tags.k, {records_[0], padding, chain}, kv.keys(), sizes.kv_hash_mode},
                  Endpoint{tags.v, {records_[1], padding, chain}, kv.values(), sizes.kv_hash_mode}};
    sweep_endpoints_ = endpoints_;
    sweep_endpoints_[0].tag = tags.sweep_k;
    sweep_endpoints_[1].tag = tags.sweep_v;
  }

  /// What there is to verify when the requests of `batch` read the pool.
  VerifyJob verify_job(const RequestBatch& batch) const { return {batch, endpoints_}; }
  /// What there is to write when these requests add these tokens.
  StepJob step_job(const RequestBatch& requests, const TokenBatch& tokens) const {
    return {requests, tokens, endpoints_};
  }

  /// Checks slots that are held, whether a request reads them now or not.
  void sweep(const Space& space, std::span<const VerifyEntry> entries) {
    if (entries.empty()) return;
    const auto count = static_cast<std::int64_t>(entries.size());
    if (!sweep_plan_ || sweep_plan_->capacity() < count) {
      sweep_plan_ = VerifyPlan<MemorySpace>::allocate(space, count);
    }
    sweep_plan_->assign(space, entries);
    kvcanary::verify(space, *sweep_plan_, sweep_endpoints_, sinks_.log, sinks_.verified);
  }

  KVPool<Space> kv;

 private:
  using Records = Kokkos::View<Record*, MemorySpace>;

  Sinks<MemorySpace> sinks_;
  std::optional<VerifyPlan<MemorySpace>> sweep_plan_;
  std::array<Records, 2> records_;
  std::array<Endpoint, 2> endpoints_, sweep_endpoints_;
};

}  // namespace kvcanary::tools
