#pragma once

#include <cstddef>
#include <kvcanary/kvcanary.hpp>

#include "perf/harness/launch_timer.hpp"
#include "perf/verify/plans.hpp"
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
