// One request of eight tokens in a cache of sixteen slots: the first six are written, a slot is
// trampled, and the step that adds the last two reads the six and finds it.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <kvcanary/kvcanary.hpp>
#include <vector>

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

namespace {

template <class T>
Kokkos::View<T*, Memory> to_device(std::vector<T> values) {
  Kokkos::View<T*, Memory> device("input", values.size());
  Kokkos::deep_copy(device, kvcanary::host_view(values.data(), values.size()));
  return device;
}

// An engine has these on the device already: one request in row 1, whose pages of four slots are 2
// and 3.
struct Step {
  Kokkos::View<int*, Memory> rows = to_device<int>({1}), prefix, extend, tokens, positions, slots;
};
Step first_step() {
  return {.prefix = to_device<int>({0}),
          .extend = to_device<int>({6}),
          .tokens = to_device<int>({11, 12, 13, 14, 15, 16}),
          .positions = to_device<int>({0, 1, 2, 3, 4, 5}),
          .slots = to_device<int>({8, 9, 10, 11, 12, 13})};
}
Step second_step() {
  return {.prefix = to_device<int>({6}),
          .extend = to_device<int>({2}),
          .tokens = to_device<int>({17, 18}),
          .positions = to_device<int>({6, 7}),
          .slots = to_device<int>({14, 15})};
}

/// Whether the bug was found.
bool run() {
  const auto table = to_device<int>({0, 0, 2, 3});  // two rows of two pages
  const kvcanary::SlotTable slot_table(table.data(), 2, 2, 2, /*page_size=*/4);
  const Space space;

  // Set-up: once.
  Kokkos::View<kvcanary::Record*, Memory> records("canary", 16);
  const std::vector endpoints{kvcanary::Endpoint{kvcanary::LaunchTag::head_k_full, records}};
  const auto scratch = kvcanary::WriteScratch<Memory>::allocate(space);
  const auto log = kvcanary::ViolationLog<Memory>::allocate(space, /*capacity=*/256);
  const auto counters = kvcanary::LaunchCounters<Memory>::allocate(space);

  // Every step of the engine: verify what it reads, stamp what it adds.
  const auto canary_step = [&](const Step& step) {
    const kvcanary::RequestBatch batch{.request_rows = step.rows,
                                       .prefix_lengths = step.prefix,
                                       .extend_lengths = step.extend,
                                       .table = slot_table};
    kvcanary::step(space, kvcanary::StepSide::head, batch,
                   {.tokens = step.tokens, .positions = step.positions, .slots = step.slots},
                   endpoints, scratch, log, counters);
  };

  canary_step(first_step());
  Kokkos::deep_copy(Kokkos::subview(records, 10), kvcanary::Record{99, 0, 0, 0});  // the bug
  canary_step(second_step());

  const kvcanary::ViolationSnapshot found = log.fetch(space);
  for (const kvcanary::Violation& violation : found.rows) {
    std::puts(kvcanary::to_block(violation).c_str());
  }
  return found.total > 0;
}

}  // namespace

int main() {
  try {
    const Kokkos::ScopeGuard kokkos;
    return run() ? 0 : 1;
  } catch (const std::exception& error) {  // of an argument that is wrong: says which, and why
    std::puts(error.what());
    return 1;
  }
}
