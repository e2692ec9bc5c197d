#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/inputs/device_arrays.hpp"
#include "perf/verify/verify_table.hpp"

/// \file
/// The records that a case checks, made by the library's own plan and write.
namespace kvcanary::perf {

/// Entries of a step that writes whole requests; i is position i % longest of request i / longest.
struct FillStamps {
  std::int64_t *tokens, *positions, *full_slots, *swa_slots;
  const std::int64_t *offsets, *rows;  ///< of the plan
  SlotTable table;
  const std::int64_t* full_to_swa;
  std::int64_t longest;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t request = i / longest, position = i % longest;
    const std::int64_t entry = offsets[request] + position;
    if (entry >= offsets[request + 1]) return;
    const std::int64_t column = rows[request] * table.row_stride + position / table.page_size;
    tokens[entry] = token_of(rows[request], position);
    positions[entry] = position;
    const std::int64_t page = static_cast<const std::int32_t*>(table.entries)[column];
    full_slots[entry] = page * table.page_size + position % table.page_size;
    if (swa_slots != nullptr) swa_slots[entry] = full_to_swa[full_slots[entry]];
  }
};

/// Writes sets of inputs, one after the other, with the same scratch.
template <class Space>
class Stamper {
 public:
  using Memory = typename Space::memory_space;

  explicit Stamper(const VerifyCase& of)
      : case_(of), plan_(WritePlan<Memory>::allocate(Space(), of.requests)) {
    for (Ints* array : {&tokens_, &positions_, &full_slots_, &swa_slots_}) {
      *array = uninitialized<Ints>("perf::stamps", of.positions());
    }
  }

  /// \param endpoints of each pool of the case
  void operator()(const VerifyTable<Space>& table, int set,
                  const std::vector<std::span<const Endpoint>>& endpoints,
                  const ViolationLog<Memory>& log, const LaunchCounters<Memory>& counters) const {
    const Space space;
    plan(space, table.first_batch(set), plan_);
    fill<Space>("perf::fill_stamps", case_.requests * case_.longest(),
                FillStamps{tokens_.data(), positions_.data(), full_slots_.data(),
                           case_.checked == Checked::full ? nullptr : swa_slots_.data(),
                           plan_.offsets.data(), plan_.request_rows.data(), table.table(),
                           table.full_to_swa(), case_.longest()});
    std::vector<WriteJob<Memory>> jobs;
    for (int i = 0; i < case_.num_pools(); ++i) {
      // What the sliding-window pool has evicted is -1 here, which write skips.
      const Ints& slots = case_.pool(i).is_swa ? swa_slots_ : full_slots_;
      jobs.push_back({plan_,
                      {.tokens = tokens_, .positions = positions_, .slots = slots},
                      endpoints[static_cast<std::size_t>(i)]});
    }
    write(space, std::span<const WriteJob<Memory>>(jobs), log, counters);
    space.fence("perf::stamp");
  }

 private:
  using Ints = Kokkos::View<std::int64_t*, Memory>;

  VerifyCase case_;
  WritePlan<Memory> plan_;
  Ints tokens_, positions_, full_slots_, swa_slots_;
};

}  // namespace kvcanary::perf
