#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/inputs/device_arrays.hpp"
#include "perf/step/step_case.hpp"
#include "perf/verify/verify_inputs.hpp"

/// \file
/// Steps that add once more what is in the cache already, several sets of them.
namespace kvcanary::perf {

/// The tokens of a step; worker i has the (i % most)-th of request i / most.
struct FillAdded {
  std::int64_t *tokens, *positions, *full_slots, *swa_slots;
  const std::int64_t *offsets, *rows;  ///< of the plan
  const std::int64_t* prefixes;
  SlotTable table;
  const std::int64_t* full_to_swa;
  std::int64_t most;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t request = i / most, entry = offsets[request] + i % most;
    if (entry >= offsets[request + 1]) return;
    const std::int64_t position = prefixes[request] + i % most, row = rows[request];
    const std::int64_t column = row * table.row_stride + position / table.page_size;
    tokens[entry] = token_of(row, position);
    positions[entry] = position;
    full_slots[entry] = table.entries[column] * table.page_size + position % table.page_size;
    if (swa_slots != nullptr) swa_slots[entry] = full_to_swa[full_slots[entry]];
  }
};

template <class Space>
class StepInputs {
 public:
  using Memory = typename Space::memory_space;

  StepInputs(const StepCase& of, int num_sets) : case_(of), inputs_(of.all, num_sets) {
    make_lengths();
    for (int i = 0; i < of.all.num_pools(); ++i) {
      plans_.push_back(WritePlan<Memory>::allocate(Space(), of.all.requests));
    }
    for (int set = 0; set < num_sets; ++set) {
      add_tokens(set);
      for (const StepSide side : {StepSide::head, StepSide::tail}) {
        std::vector<StepJob>& jobs = jobs_.emplace_back();
        for (int i = 0; i < of.all.num_pools(); ++i) jobs.push_back(make_job(set, side, i));
      }
    }
    Kokkos::fence("perf::step_inputs");
  }

  StepInputs(const StepInputs&) = delete;  // jobs refer to inputs
  StepInputs& operator=(const StepInputs&) = delete;

  const VerifyInputs<Space>& verify_inputs() const { return inputs_; }
  int num_sets() const { return inputs_.num_sets(); }

  /// Those of one side, one for each pool.
  std::span<const StepJob> jobs(int set, StepSide side) const {
    return jobs_[static_cast<std::size_t>(2 * set + (side == StepSide::head ? 0 : 1))];
  }
  const std::vector<WritePlan<Memory>>& plans() const { return plans_; }
  const WriteScratch<Memory>& scratch() const { return plans_[0].scratch; }
  const ViolationLog<Memory>& log() const { return inputs_.log(); }
  const LaunchCounters<Memory>& counters() const { return inputs_.counters(); }

 private:
  using Ints = Kokkos::View<std::int64_t*, Memory>;
  struct Tokens {
    Ints tokens, positions, full_slots, swa_slots;
  };

  void make_lengths() {
    std::vector<std::int64_t> prefixes, extends;
    for (std::int64_t r = 0; r < case_.all.requests; ++r) {
      prefixes.push_back(case_.read_of(r));
      extends.push_back(case_.all.added_of(r));
    }
    prefixes_ = upload<Memory>(prefixes);
    extends_ = upload<Memory>(extends);
  }

  RequestBatch requests(int set, int pool) const {
    RequestBatch batch = inputs_.jobs(set)[static_cast<std::size_t>(pool)].batch;
    batch.prefix_lengths = prefixes_;
    batch.extend_lengths = extends_;
    return batch;
  }

  void add_tokens(int set) {
    Tokens& to = tokens_.emplace_back();
    for (Ints* array : {&to.tokens, &to.positions, &to.full_slots, &to.swa_slots}) {
      *array = uninitialized<Ints>("perf::added", case_.tokens());
    }
    const Space space;
    plan(space, requests(set, 0), plans_[0]);
    const std::int64_t most = case_.most_added();
    fill<Space>("perf::fill_added", case_.all.requests * most,
                FillAdded{to.tokens.data(), to.positions.data(), to.full_slots.data(),
                          case_.all.checked == Checked::full ? nullptr : to.swa_slots.data(),
                          plans_[0].offsets.data(), plans_[0].request_rows.data(), prefixes_.data(),
                          inputs_.table().table(), inputs_.table().full_to_swa(), most});
    space.fence("perf::add_tokens");
  }

  StepJob make_job(int set, StepSide side, int pool) const {
    const Tokens& from = tokens_[static_cast<std::size_t>(set)];
    const std::int64_t most = case_.most_added();
    const std::span<const Endpoint> all =
        inputs_.jobs(set)[static_cast<std::size_t>(pool)].endpoints;
    const std::size_t half = all.size() / 2;
    return {requests(set, pool),
            {.tokens = from.tokens,
             .positions = from.positions,
             .slots = case_.all.pool(pool).is_swa ? from.swa_slots : from.full_slots,
             .max_entries_per_request = most == 1 ? 1 : 0},
            side == StepSide::head ? all.first(half) : all.last(half)};
  }

  StepCase case_;
  VerifyInputs<Space> inputs_;
  Ints prefixes_, extends_;
  std::vector<Tokens> tokens_;  // of each set
  std::vector<WritePlan<Memory>> plans_;
  std::vector<std::vector<StepJob>> jobs_;  // of each set and side
};

}  // namespace kvcanary::perf
