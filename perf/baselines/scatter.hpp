#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>

#include "perf/harness/launch_timer.hpp"
#include "perf/write/write_inputs.hpp"
#include "src/launch.hpp"

/// \file
/// A copy of ready-made records to their slots.
namespace kvcanary::perf {

struct ScatterCopy {
  struct Target {
    const Record* from;
    const std::int64_t* slots;
    Record* to;
  };
  Target targets[max_endpoints];
  std::int64_t entries;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Target& target = targets[i / entries];
    const std::int64_t entry = i % entries;
    target.to[target.slots[entry]] = target.from[entry];
  }
};

/// 32 bytes for each entry and endpoint: what moving the records costs.
template <class Space>
Launch<Space> scatter_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    ScatterCopy copy{.targets = {}, .entries = inputs.write_case().pool_entries()};
    std::int64_t count = 0;
    for (const PoolInputs<Space>& pool : inputs.pools()) {
      for (const Endpoint& endpoint : pool.endpoints()) {
        copy.targets[count++] = {pool.ready_made(set), pool.slots(set),
                                 reinterpret_cast<Record*>(endpoint.buffer.data)};
      }
    }
    detail::launch_workers("perf::scatter", space, count * copy.entries, copy);
  };
}

}  // namespace kvcanary::perf
