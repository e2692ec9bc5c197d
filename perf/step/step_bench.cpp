#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "backends/execution_spaces.hpp"
#include "perf/baselines/gather.hpp"
#include "perf/benchmarks.hpp"
#include "perf/harness/cases.hpp"
#include "perf/harness/expect_clean.hpp"
#include "perf/inputs/input_sets.hpp"
#include "perf/step/step_case.hpp"
#include "perf/step/step_inputs.hpp"

namespace kvcanary::perf {
namespace {

/// The cases left out: on a device those that hold more than 8 GiB, on a host those that hold more
/// than 1 GiB or read more than 2^21 positions, which takes a few cores too long.
template <class Space>
bool is_left_out(const StepCase& of) {
  if (is_host_space<Space> && of.all.positions() > std::int64_t{1} << 21) return true;
  return exceeds_memory<Space>(of);
}

template <class Space>
Launch<Space> side_launch(const StepInputs<Space>& inputs, StepSide side) {
  return [&inputs, side](const Space& space, int set) {
    step(space, side, inputs.jobs(set, side), inputs.scratch(), inputs.log(), inputs.counters());
  };
}

/// Head and tail, as an engine has them around a forward pass.
template <class Space>
Launch<Space> step_launch(const StepInputs<Space>& inputs) {
  const auto head = side_launch(inputs, StepSide::head), tail = side_launch(inputs, StepSide::tail);
  return [=](const Space& space, int set) {
    head(space, set);
    tail(space, set);
  };
}

/// verify_requests of what the step reads, on one side.
template <class Space>
Launch<Space> verify_side_launch(const StepInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    std::vector<VerifyJob> jobs;
    for (const StepJob& job : inputs.jobs(set, StepSide::head)) {
      jobs.push_back({job.requests, job.endpoints});
    }
    verify_requests(space, std::span<const VerifyJob>(jobs), inputs.log(), inputs.counters());
  };
}

/// The same step of plan, verify_requests and write, which finds less: the tail does not look at
/// what was added.
template <class Space>
Launch<Space> parts_launch(const StepInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    const std::span<const StepJob> first = inputs.jobs(set, StepSide::head);
    for (std::size_t i = 0; i < first.size(); ++i) {
      plan(space, first[i].requests, inputs.plans()[i]);
    }
    for (const StepSide side : {StepSide::head, StepSide::tail}) {
      std::vector<VerifyJob> verified;
      std::vector<WriteJob<typename Space::memory_space>> written;
      for (const StepJob& job : inputs.jobs(set, side)) {
        verified.push_back({job.requests, job.endpoints});
        written.push_back({inputs.plans()[written.size()], job.tokens, job.endpoints});
      }
      verify_requests(space, std::span<const VerifyJob>(verified), inputs.log(), inputs.counters());
      write(space, std::span<const WriteJob<typename Space::memory_space>>(written), inputs.log(),
            inputs.counters());
    }
  };
}

template <class Space>
void measure(benchmark::State& state, const StepCase& of) {
  const StepInputs<Space> inputs(of, num_input_sets<Space>(of));
  SideBySide<Space> subjects(step_launch(inputs), inputs.num_sets());
  subjects.add_baseline("head", side_launch(inputs, StepSide::head));
  subjects.add_baseline("tail", side_launch(inputs, StepSide::tail));
  subjects.add_baseline("verify_side", verify_side_launch(inputs));
  subjects.add_baseline("parts", parts_launch(inputs));
  subjects.add_baseline("gather", gather_launch(inputs.verify_inputs()));
  take_samples(state, subjects);
  expect_clean<Space>(inputs.log());
}

}  // namespace

void register_step_benchmarks() {
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    add_cases<Space>("step", step_matrix(), is_left_out<Space>, measure<Space>);
  });
}

}  // namespace kvcanary::perf
