#pragma once

#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/harness/timing.hpp"
#include "perf/write/write_inputs.hpp"

/// \file
/// write itself, as it is measured: one launch for all pools.
namespace kvcanary::perf {

template <class Space>
Launch<Space> write_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    write(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

/// The same for the first endpoint of each pool alone: says what the others add.
template <class Space>
Launch<Space> one_endpoint_launch(const WriteInputs<Space>& inputs) {
  using Job = typename WriteInputs<Space>::Job;
  std::vector<std::vector<Job>> jobs;
  for (int set = 0; set < inputs.num_sets(); ++set) {
    jobs.emplace_back(inputs.jobs(set).begin(), inputs.jobs(set).end());
    for (Job& job : jobs.back()) job.endpoints = job.endpoints.first(1);
  }
  return [&inputs, jobs](const Space& space, int set) {
    write(space, std::span<const Job>(jobs[static_cast<std::size_t>(set)]), inputs.log(),
          inputs.counters());
  };
}

}  // namespace kvcanary::perf
