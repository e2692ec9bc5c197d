#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>

#include "perf/harness/launch_timer.hpp"
#include "perf/write/write_inputs.hpp"
#include "src/launch.hpp"

/// \file
/// The floor of write: the hash chain alone.
namespace kvcanary::perf {

/// The chain of one request from registers: nothing is read, one word is stored.
struct FloorChain {
  std::uint64_t* results;
  std::int64_t entries, prefix;

  KOKKOS_FUNCTION void operator()(std::int64_t request) const {
    std::uint64_t hash = chain_start();
    for (std::int64_t i = 0; i < entries; ++i) {
      hash = chain_step(Chain::splitmix, hash, request + i, prefix + i);
    }
    results[request] = hash;
  }
};

/// No write can be done before the serial chain of its longest request is, whatever else
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

}  // namespace kvcanary::perf
