#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify_plan.hpp>

#include "backends/execution_spaces.hpp"
#include "perf/baselines/gather.hpp"
#include "perf/benchmarks.hpp"
#include "perf/harness/cases.hpp"
#include "perf/inputs/input_sets.hpp"
#include "perf/verify/plans.hpp"
#include "perf/verify/verify_inputs.hpp"
#include "perf/verify/verify_launch.hpp"
#include "perf/verify/verify_matrix.hpp"

namespace kvcanary::perf {
namespace {

/// The cases left out: on a device those that hold more than 8 GiB, on a host those that hold more
/// than 1 GiB or read more than 2^21 positions, which takes a few cores too long.
template <class Space>
bool is_left_out(const VerifyCase& of) {
  if (is_host_space<Space> && of.positions() > std::int64_t{1} << 21) return true;
  return exceeds_memory<Space>(of);
}

void add_rates(benchmark::State& state, std::int64_t bytes, std::int64_t slots, double us) {
  state.counters["GB_per_s"] = 1e-3 * static_cast<double>(bytes) / us;
  state.counters["slots_per_us"] = static_cast<double>(slots) / us;
}

template <class Space>
void measure_verify(benchmark::State& state, const VerifyCase& of) {
  const VerifyInputs<Space> inputs(of, num_input_sets<Space>(of));
  const Plans<Space> plans(of);
  SideBySide<Space> subjects(verify_requests_launch(inputs), inputs.num_sets());
  subjects.add_baseline("gather", gather_launch(inputs));
  subjects.add_baseline("plan_verify", plan_verify_launch(inputs, plans));
  take_samples(state, subjects);
  inputs.expect_all_checked();
  plans.expect_full();
  add_rates(state, bytes_moved(of), slots_checked(of), subjects.kernel_us());
}

/// Its bytes are a table entry read and a plan entry written for each position.
template <class Space>
void measure_plan(benchmark::State& state, const VerifyCase& of) {
  const VerifyInputs<Space> inputs(of, num_input_sets<Space>(of));
  const Plans<Space> plans(of);
  SideBySide<Space> subjects(plan_launch(inputs, plans), inputs.num_sets());
  subjects.add_baseline("write_half", write_half_launch(inputs, plans));
  take_samples(state, subjects);
  plans.expect_full();
  const std::int64_t bytes = of.positions() * (sizeof(std::int32_t) + sizeof(VerifyEntry));
  add_rates(state, bytes, of.positions(), subjects.kernel_us());
}

}  // namespace

void register_verify_benchmarks() {
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    add_cases<Space>("verify", verify_matrix(), is_left_out<Space>, measure_verify<Space>);
    add_cases<Space>("plan", plan_matrix(), is_left_out<Space>, measure_plan<Space>);
  });
}

}  // namespace kvcanary::perf
