#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "baselines.hpp"
#include "benchmarks.hpp"
#include "machine.hpp"
#include "preemptions.hpp"
#include "side_by_side.hpp"
#include "tools/backends.hpp"
#include "write_inputs.hpp"
#include "write_launch.hpp"
#include "write_matrix.hpp"

namespace kvcanary::perf {
namespace {

constexpr int num_rounds = 5;
constexpr double round_seconds = 0.06;
constexpr double straight_limit_us = 2.5e5;

template <class Space>
constexpr std::int64_t memory_bytes = std::int64_t{detail::is_host_space<Space> ? 1 : 8} << 30;

template <class Space>
int num_input_sets(const WriteCase& write_case) {
  return num_input_sets(write_case, Machine<Space>::cache_bytes(), memory_bytes<Space>);
}

/// The cases left out: on a device those that hold more than 8 GiB, on a host those that hold more
/// than 1 GiB or write more than 2^20 entries, which takes a few cores too long.
template <class Space>
bool is_left_out(const WriteCase& write_case) {
  if (detail::is_host_space<Space> && write_case.pool_entries() > std::int64_t{1} << 20)
    return true;
  return bytes_held(write_case, num_input_sets<Space>(write_case)) > memory_bytes<Space>;
}

template <class Space>
void measure(benchmark::State& state, const WriteCase& write_case) {
  const WriteInputs<Space> inputs(write_case, num_input_sets<Space>(write_case));
  SideBySide<Space> subjects(write_launch(inputs), inputs.num_sets());
  subjects.add_baseline("floor", floor_launch(inputs));
  subjects.add_slow_baseline("straight", straight_launch(inputs), straight_limit_us);
  subjects.add_baseline("scatter", scatter_launch(inputs));
  if (write_case.is_decode()) subjects.add_baseline("empty", empty_launch(inputs));
  if (write_case.endpoints > 1) {
    subjects.add_baseline("one_endpoint", one_endpoint_launch(inputs));
  }
  const Preemptions preemptions;
  for (auto _ : state) state.SetIterationTime(subjects.round(round_seconds));
  if (detail::is_host_space<Space>) {
    state.counters["preemptions_per_s"] = preemptions.per_second();
  }
  inputs.expect_clean();
  subjects.report(state.counters);
  state.counters["GB_per_s"] =
      1e-3 * static_cast<double>(bytes_moved(write_case)) / subjects.kernel_us();
}

template <class Space>
void run(benchmark::State& state, const WriteCase& write_case) {
  try {
    measure<Space>(state, write_case);
  } catch (const std::exception& error) {
    note_failure();
    state.SkipWithError(error.what());
  }
}

template <class Space>
void register_space() {
  int left_out = 0;
  for (const WriteCase& write_case : write_matrix()) {
    if (is_left_out<Space>(write_case)) {
      ++left_out;
      continue;
    }
    benchmark::RegisterBenchmark(
        name(write_case, Space::name()).c_str(),
        [write_case](benchmark::State& state) { run<Space>(state, write_case); })
        ->Iterations(num_rounds)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  std::fprintf(stderr, "%s: %d cases of write left out, too large for this kind of machine\n",
               Space::name(), left_out);
}

}  // namespace

void register_write_benchmarks() {
  tools::for_each_space(tools::AllSpaces{}, [&]<class Space> { register_space<Space>(); });
}

}  // namespace kvcanary::perf
