#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>

#include "perf/harness/timing.hpp"
#include "perf/write/write_inputs.hpp"
#include "src/launch.hpp"
#include "src/write/write_by_thread.hpp"

/// \file
/// What write is compared with.
namespace kvcanary::perf {

/// The chain of one request from registers: nothing is read, one word is stored.
struct FloorChain {
  std::uint64_t* results;
  std::int64_t entries, prefix;

  KOKKOS_FUNCTION void operator()(std::int64_t request) const {
    std::uint64_t hash = SplitmixChain::start();
    for (std::int64_t i = 0; i < entries; ++i) {
      hash = SplitmixChain::step(hash, request + i, prefix + i);
    }
    results[request] = hash;
  }
};

/// The floor: no write can be done before the serial chain of its longest request is, whatever else
/// it does. One thread a request, for all endpoints and pools together.
template <class Space>
Launch<Space> floor_launch(const WriteInputs<Space>& inputs) {
  const WriteCase& write_case = inputs.write_case();
  const Kokkos::View<std::uint64_t*, typename Space::memory_space> results(
      "perf::floor", static_cast<std::size_t>(write_case.requests));
  return [=](const Space& space, int) {
    // Small blocks: hundreds of chains in a few large ones would fight for one multiprocessor.
    using Policy =
        Kokkos::RangePolicy<Space, Kokkos::LaunchBounds<64>, Kokkos::Schedule<Kokkos::Dynamic>,
                            Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("perf::floor", detail::light_weight(Policy(space, 0, write_case.requests)),
                         FloorChain{results.data(), write_case.entries, write_case.prefix});
  };
}

/// The straightforward kernel: one thread a request and endpoint, everything in its serial loop.
template <class Space>
Launch<Space> straight_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    detail::write_by_thread(space, inputs.jobs(set), inputs.log(), inputs.counters());
  };
}

/// A copy of ready-made records to their slots.
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

/// A plain scatter copy of 32 bytes for each entry and endpoint: what moving the records costs.
template <class Space>
Launch<Space> scatter_launch(const WriteInputs<Space>& inputs) {
  return [&inputs](const Space& space, int set) {
    ScatterCopy copy{.targets = {}, .entries = inputs.write_case().pool_entries()};
    std::int64_t count = 0;
    for (const PoolInputs<Space>& pool : inputs.pools()) {
      for (const Endpoint& endpoint : pool.endpoints()) {
        copy.targets[count++] = {pool.staged(set), pool.slots(set),
                                 reinterpret_cast<Record*>(endpoint.buffer.data)};
      }
    }
    detail::launch_workers("perf::scatter", space, count * copy.entries, copy);
  };
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

/// A launch of one thread for each entry and endpoint that does nothing: what a decode step can't
/// be cheaper than.
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
