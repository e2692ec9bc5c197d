#pragma once

#include "perf/harness/launch_timer.hpp"
#include "perf/write/write_inputs.hpp"
#include "src/write/write_by_thread.hpp"

/// \file
/// The straightforward write.
namespace kvcanary::perf {

/// One thread a request and endpoint, everything in its serial loop: what write does for decode on
/// a device, here for every case.
template <class Space>
Launch<Space> straight_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    detail::write_by_thread(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

}  // namespace kvcanary::perf
