#pragma once

#include <kvcanary/kvcanary.hpp>
#include <span>

#include "timing.hpp"
#include "write_inputs.hpp"

/// \file
/// write itself, as it is measured.
namespace kvcanary::perf {

template <class Space>
Launch<Space> write_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    for (const auto& job : inputs.jobs(set)) {
      write(space, job.plan, job.batch, job.endpoints, inputs.log(), inputs.counters());
    }
  };
}

/// The same for the first endpoint of each pool alone: says what the others add.
template <class Space>
Launch<Space> one_endpoint_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    for (const auto& job : inputs.jobs(set)) {
      write(space, job.plan, job.batch, job.endpoints.first(1), inputs.log(), inputs.counters());
    }
  };
}

}  // namespace kvcanary::perf
