#pragma once

#include <Kokkos_Core.hpp>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/inputs/kv_inputs.hpp"
#include "perf/verify/verify_case.hpp"

/// \file
/// What is checked in one pool.
namespace kvcanary::perf {

/// The buffers of one pool, with slots for all sets.
template <class Space>
class CheckedBuffers {
 public:
  CheckedBuffers(const VerifyCase& of, int num_sets, const CheckedPool& pool)
      : kv_(of.kv, 1 + num_sets * of.pages(), of.page) {
    for (int i = 0; i < of.endpoints; ++i) {
      records_.emplace_back("perf::records", of.pool_slots(num_sets));
      endpoints_.push_back({.tag = static_cast<LaunchTag>(pool.first_tag + i),
                            .buffer = {records_.back(), PaddingSlots{}, of.chain},
                            .sources = kv_.list(),
                            .kv_hash_mode = of.mode});
    }
  }

  std::span<const Endpoint> endpoints() const { return endpoints_; }

 private:
  KVInputs<Space> kv_;
  std::vector<Kokkos::View<Record*, typename Space::memory_space>> records_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace kvcanary::perf
