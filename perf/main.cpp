#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <vector>

#include "perf/benchmarks.hpp"
#include "perf/harness/context.hpp"
#include "perf/harness/failure.hpp"

namespace {

/// Google Benchmark's own flags, and a table whose columns are the counters unless told otherwise.
std::vector<char*> with_defaults(int argc, char** argv) {
  static char tabular[] = "--benchmark_counters_tabular=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, tabular);
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments = with_defaults(argc, argv);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);  // on standard error, in the middle of the table
  const Kokkos::ScopeGuard guard(settings);
  kvcanary::perf::add_context();
  kvcanary::perf::register_copy_benchmarks();
  kvcanary::perf::register_write_benchmarks();
  kvcanary::perf::register_verify_benchmarks();
  kvcanary::perf::register_step_benchmarks();
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran == 0 || kvcanary::perf::any_failed ? 1 : 0;
}
