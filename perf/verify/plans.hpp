#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/verify/verify_case.hpp"

/// \file
/// The plans that plan fills and verify reads.
namespace kvcanary::perf {

/// A plan for each pool, shared by the sets: verify reads what plan has just written, which in use
/// is in the cache too where the cache holds it.
template <class Space>
class Plans {
 public:
  using Memory = typename Space::memory_space;

  explicit Plans(const VerifyCase& of) {
    for (int i = 0; i < of.num_pools(); ++i) {
      entries_.push_back(of.positions(of.pool(i)));
      write_.push_back(WritePlan<Memory>::allocate(Space(), of.requests));
      verify_.push_back(VerifyPlan<Memory>::allocate(Space(), entries_.back()));
    }
  }

  const WritePlan<Memory>& write(std::size_t pool) const { return write_[pool]; }
  const VerifyPlan<Memory>& verify(std::size_t pool) const { return verify_[pool]; }

  /// \throws std::runtime_error when one lacks entries
  void expect_full() const {
    for (std::size_t i = 0; i < verify_.size(); ++i) {
      const VerifyPlanState state = verify_[i].fetch_state(Space());
      if (state.enabled != 0 && state.num_entries == entries_[i] && state.malformed == 0) continue;
      throw std::runtime_error("the plan has " + std::to_string(state.num_entries) +
                               " entries, not " + std::to_string(entries_[i]));
    }
  }

 private:
  std::vector<std::int64_t> entries_;
  std::vector<WritePlan<Memory>> write_;
  std::vector<VerifyPlan<Memory>> verify_;
};

}  // namespace kvcanary::perf
