// Stamps the records of four tokens with the installed library, and compares the last with its
// known answer.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <kvcanary/kvcanary.hpp>
#include <string>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

template <class T, std::size_t size>
Kokkos::View<T*, Memory> on_device(const std::string& label, const std::array<T, size>& values) {
  Kokkos::View<T*, Memory> view(label, size);
  auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < size; ++i) host(i) = values[i];
  Kokkos::deep_copy(view, host);
  return view;
}

kvcanary::Record last_of_four_records() {
  const auto tokens = on_device<std::int64_t, 4>("tokens", {101, 7592, 2088, 102});
  const auto positions = on_device<std::int64_t, 4>("positions", {0, 1, 2, 3});
  const auto slots = on_device<std::int64_t, 4>("slots", {5, 3, 6, 1});
  const Kokkos::View<kvcanary::Record*, Memory> records("records", 8);

  const Space space;
  auto plan = kvcanary::WritePlan<Memory>::allocate(space, 1);
  plan.offsets = on_device<std::int64_t, 2>("offsets", {0, 4});
  Kokkos::deep_copy(plan.seed_slots, -1);
  Kokkos::deep_copy(plan.state, kvcanary::WritePlanState{1, 0});

  const std::array endpoints{kvcanary::Endpoint{kvcanary::LaunchTag::head_k_full, records}};
  kvcanary::write(space, plan, {tokens, positions, slots}, endpoints,
                  kvcanary::ViolationLog<Memory>::allocate(space, 1),
                  kvcanary::LaunchCounters<Memory>::allocate(space));
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, records)(1);
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const kvcanary::Record record = last_of_four_records();
  const bool right = record.token == 102 && record.position == 3 &&
                     static_cast<std::uint64_t>(record.prev_hash) == 0x71D597355A083809ULL;
  std::printf("record of the fourth token: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
