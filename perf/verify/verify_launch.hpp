#pragma once

#include <kvcanary/kvcanary.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/harness/timing.hpp"
#include "perf/verify/verify_inputs.hpp"

/// \file
/// verify_requests, plan and verify as they are measured.
namespace kvcanary::perf {

/// One launch for all pools.
template <class Space>
Launch<Space> verify_requests_launch(const VerifyInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    verify_requests(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

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

/// plan, for each pool.
template <class Space>
Launch<Space> plan_launch(const VerifyInputs<Space>& inputs, const Plans<Space>& plans) {
  return [&inputs, plans](const Space& space, int set) {
    for (std::size_t i = 0; i < inputs.jobs(set).size(); ++i) {
      plan(space, inputs.jobs(set)[i].batch, plans.write(i), plans.verify(i));
    }
  };
}

/// plan without a VerifyPlan, for each pool: what is left of it beside verify_requests.
template <class Space>
Launch<Space> write_half_launch(const VerifyInputs<Space>& inputs, const Plans<Space>& plans) {
  return [&inputs, plans](const Space& space, int set) {
    for (std::size_t i = 0; i < inputs.jobs(set).size(); ++i) {
      plan(space, inputs.jobs(set)[i].batch, plans.write(i));
    }
  };
}

/// plan and then verify, for each pool.
template <class Space>
Launch<Space> plan_verify_launch(const VerifyInputs<Space>& inputs, const Plans<Space>& plans) {
  return [&inputs, plans](const Space& space, int set) {
    for (std::size_t i = 0; i < inputs.jobs(set).size(); ++i) {
      const VerifyJob& job = inputs.jobs(set)[i];
      plan(space, job.batch, plans.write(i), plans.verify(i));
      verify(space, plans.verify(i), job.endpoints, inputs.log(), inputs.counters());
    }
  };
}

}  // namespace kvcanary::perf
