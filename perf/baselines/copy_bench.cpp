#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "backends/execution_spaces.hpp"
#include "perf/benchmarks.hpp"
#include "perf/harness/cases.hpp"
#include "perf/harness/side_by_side.hpp"
#include "src/launch.hpp"

namespace kvcanary::perf {
namespace {

struct alignas(16) Words {
  std::uint64_t first, second;
};

struct CopyWords {
  const Words* from;
  Words* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

/// Copied at a time: well beyond every cache.
template <class Space>
constexpr std::int64_t copy_mib = is_host_space<Space> ? 256 : 1024;

template <class Space>
void measure(benchmark::State& state) {
  using Array = Kokkos::View<Words*, typename Space::memory_space>;
  constexpr std::int64_t bytes = copy_mib<Space> << 20;
  constexpr std::int64_t count = bytes / sizeof(Words);
  const Array from("perf::copy_from", count), to("perf::copy_to", count);
  const Launch<Space> copy = [&](const Space& space, int) {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("perf::copy", detail::light_weight(Policy(space, 0, count)),
                         CopyWords{from.data(), to.data()});
  };
  Kokkos::fence("perf::copy");
  SideBySide<Space> subjects(copy, 4);
  take_samples(state, subjects);
  state.counters["GB_per_s"] = 1e-3 * 2 * bytes / subjects.kernel_us();
}

}  // namespace

void register_copy_benchmarks() {
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    add_case(std::string("copy/") + Space::name() + "/" + std::to_string(copy_mib<Space>) + "MiB",
             measure<Space>);
  });
}

}  // namespace kvcanary::perf
