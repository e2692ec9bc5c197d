#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>

#include "backends/execution_spaces.hpp"
#include "perf/baselines/empty.hpp"
#include "perf/baselines/floor.hpp"
#include "perf/baselines/scatter.hpp"
#include "perf/baselines/straight.hpp"
#include "perf/benchmarks.hpp"
#include "perf/harness/cases.hpp"
#include "perf/harness/expect_clean.hpp"
#include "perf/inputs/input_sets.hpp"
#include "perf/write/write_inputs.hpp"
#include "perf/write/write_launch.hpp"
#include "perf/write/write_matrix.hpp"

namespace kvcanary::perf {
namespace {

constexpr double straight_limit_us = 2.5e5;

/// The cases left out: on a device those that hold more than 8 GiB, on a host those that hold more
/// than 1 GiB or write more than 2^20 entries, which takes a few cores too long.
template <class Space>
bool is_left_out(const WriteCase& write_case) {
  if (is_host_space<Space> && write_case.pool_entries() > std::int64_t{1} << 20) return true;
  return exceeds_memory<Space>(write_case);
}

template <class Space>
void measure(benchmark::State& state, const WriteCase& write_case) {
  const WriteInputs<Space> inputs(write_case, num_input_sets<Space>(write_case));
  SideBySide<Space> subjects(write_launch(inputs), inputs.num_sets());
  subjects.add_baseline("floor", floor_launch(inputs));
  subjects.add_slow_baseline("straight", straight_launch(inputs), straight_limit_us);
  subjects.add_baseline("scatter", scatter_launch(inputs));
  subjects.add_baseline("write_requests", write_requests_launch(inputs));
  subjects.add_baseline("plan_and_write", plan_and_write_launch(inputs));
  if (write_case.is_decode()) subjects.add_baseline("empty", empty_launch(inputs));
  if (write_case.endpoints > 1) {
    subjects.add_baseline("one_endpoint", one_endpoint_launch(inputs));
  }
  if (write_case.check) subjects.add_baseline("unchecked", unchecked_launch(inputs));
  take_samples(state, subjects);
  expect_clean<Space>(inputs.log());
  state.counters["GB_per_s"] =
      1e-3 * static_cast<double>(bytes_moved(write_case)) / subjects.kernel_us();
}

}  // namespace

void register_write_benchmarks() {
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    add_cases<Space>("write", write_matrix(), is_left_out<Space>, measure<Space>);
  });
}

}  // namespace kvcanary::perf
