#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "perf/harness/launch_timer.hpp"
#include "perf/write/write_inputs.hpp"
#include "src/launch.hpp"

/// \file
/// A launch that does nothing.
namespace kvcanary::perf {

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

/// One thread for each entry and endpoint: what a decode step can't be cheaper than.
template <class Space>
Launch<Space> empty_launch(const WriteInputs<Space>& inputs) {
  const WriteCase& write_case = inputs.write_case();
  const std::int64_t count =
      write_case.num_pools() * write_case.endpoints * write_case.pool_entries();
  return [count](const Space& space, int) {
    detail::launch_workers("perf::empty", space, count, Nothing{});
  };
}

}  // namespace kvcanary::perf
