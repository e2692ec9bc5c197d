#include "perf/harness/context.hpp"

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "backends/execution_spaces.hpp"
#include "perf/harness/machine.hpp"
#include "perf_commit.hpp"

namespace kvcanary::perf {
namespace {

/// As Linux names it.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Of the sources: KVCANARY_COMMIT where they are a copy without their history.
std::string commit() {
  const char* given = std::getenv("KVCANARY_COMMIT");
  return given != nullptr && *given != '\0' ? given : KVCANARY_PERF_COMMIT;
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

void add(const std::string& key, const std::string& value) {
  benchmark::AddCustomContext(key, value);
}

}  // namespace

void add_context() {
  add("commit", commit());
  add("cpu", cpu_name());
  add("kokkos", kokkos_version());
  add("compiler", KVCANARY_PERF_COMPILER);
  add("build_type", KVCANARY_PERF_BUILD_TYPE);
  for_each_space(ExecutionSpaces{}, [&]<class Space> { Machine<Space>::describe(add); });
}

}  // namespace kvcanary::perf
