#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include "perf/harness/benchmarks.hpp"
#include "perf/harness/preemptions.hpp"
#include "perf/harness/side_by_side.hpp"
#include "src/launch.hpp"

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
                                   note_failure();
                                   state.SkipWithError(error.what());
                                 }
                               })
      ->Iterations(num_rounds)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
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

inline void say_left_out(const char* space, const char* operation, int count) {
  std::fprintf(stderr, "%s: %d cases of %s left out, too large for this kind of machine\n", space,
               count, operation);
}

}  // namespace kvcanary::perf
