#pragma once

#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/harness/launch_timer.hpp"
#include "perf/write/write_inputs.hpp"

/// \file
/// write itself, as it is measured, and with less to do: one launch for all pools.
namespace kvcanary::perf {

template <class Space>
Launch<Space> write_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    write(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

/// write_requests of the same.
template <class Space>
Launch<Space> write_requests_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    write_requests(space, inputs.requests_jobs(set), inputs.jobs(set)[0].plan.scratch, inputs.log(),
                   inputs.counters());
  };
}

/// What it stands for: plan, once for each pool, and write.
template <class Space>
Launch<Space> plan_and_write_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    for (const PoolInputs<Space>& pool : inputs.pools()) plan(space, pool.requests(), pool.plan());
    write(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

/// The same after `change(job)` for every job.
template <class Space, class Change>
Launch<Space> changed_write_launch(const WriteInputs<Space>& inputs, const Change& change) {
  using Job = typename WriteInputs<Space>::Job;
  std::vector<std::vector<Job>> jobs;
  for (int set = 0; set < inputs.num_sets(); ++set) {
    jobs.emplace_back(inputs.jobs(set).begin(), inputs.jobs(set).end());
    for (Job& job : jobs.back()) change(job);
  }
  return [&inputs, jobs](const Space& space, int set) {
    write(space, std::span<const Job>(jobs[static_cast<std::size_t>(set)]), inputs.log(),
          inputs.counters());
  };
}

/// To the first endpoint of each pool alone: says what the others add.
template <class Space>
Launch<Space> one_endpoint_launch(const WriteInputs<Space>& inputs) {
  return changed_write_launch(inputs, [](auto& job) { job.endpoints = job.endpoints.first(1); });
}

/// Without the check of positions: says what that adds.
template <class Space>
Launch<Space> unchecked_launch(const WriteInputs<Space>& inputs) {
  return changed_write_launch(inputs, [](auto& job) { job.batch.check_positions = {}; });
}

}  // namespace kvcanary::perf
