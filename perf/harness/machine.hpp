#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "backends/execution_spaces.hpp"

/// \file
/// What the benchmarks have to know of the machine that an execution space runs on.
namespace kvcanary::perf {

/// Takes one fact of the machine: a name and its value.
using AddFact = std::function<void(const std::string&, const std::string&)>;

template <class Space>
struct Machine {
  /// The largest cache, about: inputs beyond it are read from memory.
  static std::int64_t cache_bytes() { return std::int64_t{is_host_space<Space> ? 32 : 256} << 20; }

  /// Facts that belong beside the results.
  static void describe(const AddFact& add) {
    add(std::string(Space::name()) + "_concurrency", std::to_string(Space().concurrency()));
  }
};

}  // namespace kvcanary::perf

#include "perf/harness/cuda.hpp"
