#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "backends/execution_spaces.hpp"
#include "perf/harness/failure.hpp"
#include "perf/harness/preemptions.hpp"
#include "perf/harness/side_by_side.hpp"

/// \file
/// What the benchmarks of all operations have in common.
namespace kvcanary::perf {

/// Registers one case. What `measure` throws fails it, and the run.
inline void add_case(const std::string& name,
                     const std::function<void(benchmark::State&)>& measure) {
  constexpr int num_rounds = 5;
  benchmark::RegisterBenchmark(name.c_str(),
                               [measure](benchmark::State& state) {
                                 try {
                                   measure(state);
                                 } catch (const std::exception& error) {
                                   any_failed = true;
                                   state.SkipWithError(error.what());
                                 }
                               })
      ->Iterations(num_rounds)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

/// Registers the cases of an operation on an execution space, but for those that are left out, and
/// says how many these are. A case is named by its function `describe`.
template <class Space, class Case>
void add_cases(const std::string& operation, const std::vector<Case>& cases,
               bool (*is_left_out)(const Case&), void (*measure)(benchmark::State&, const Case&)) {
  int left_out = 0;
  for (const Case& of : cases) {
    if (is_left_out(of)) {
      ++left_out;
      continue;
    }
    add_case(operation + "/" + Space::name() + "/" + describe(of),
             [=](benchmark::State& state) { measure(state, of); });
  }
  std::fprintf(stderr, "%s: %d cases of %s left out, too large for this kind of machine\n",
               Space::name(), left_out, operation.c_str());
}

/// All rounds of a case, and their counters.
template <class Space>
void take_samples(benchmark::State& state, SideBySide<Space>& subjects) {
  constexpr double round_seconds = 0.06;
  const Preemptions preemptions;
  for (auto _ : state) state.SetIterationTime(subjects.round(round_seconds));
  if (is_host_space<Space>) {
    state.counters["preemptions_per_s"] = preemptions.per_second();
  }
  subjects.report(state.counters);
}

}  // namespace kvcanary::perf
