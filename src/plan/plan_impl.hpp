#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/arguments.hpp"
#include "src/expected_token.hpp"
#include "src/launch.hpp"
#include "src/plan/plan_args.hpp"
#include "src/slot_resolver.hpp"

/// \file
/// plan: one team scans the requests, then workers fill the verify entries.
namespace kvcanary::detail {

/// One team: offsets, seed slots and rows of all requests, and the states of both plans. Without a
/// verify_state, the write plan alone.
template <class ExecSpace>
struct PlanRequests {
  PlanArgs batch;
  SlotResolver resolve;
  std::int64_t *offsets, *verify_offsets, *seed_slots, *rows;
  WritePlanState* write_state;
  VerifyPlanState* verify_state;
  std::int64_t verify_capacity;

  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = batch.count();

    scan(team, n, offsets, [this](int r) { return batch.extend(r); });
    if (verify_state != nullptr)
      scan(team, n, verify_offsets, [this](int r) { return batch.num_entries(r); });

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [this](int r) {
      rows[r] = batch.request_rows[r];
      seed_slots[r] = seed(r);
    });
    std::int64_t malformed = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, n),
        [this](int r, std::int64_t& sum) { sum += batch.is_malformed(r) ? 1 : 0; }, malformed);
    if (batch.wanted() != n) ++malformed;

    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { store_states(n, malformed); });
  }

 private:
  /// sums[r] = length(0) + ... + length(r - 1), for r up to and including n.
  template <class Length>
  KOKKOS_FUNCTION static void scan(const Member& team, int n, std::int64_t* sums,
                                   const Length& length) {
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums[0] = 0; });
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, n),
                          [&](int r, std::int64_t& sum, bool is_final) {
                            sum += length(r);
                            if (is_final) sums[r + 1] = sum;
                          });
  }

  KOKKOS_FUNCTION std::int64_t seed(int r) const {
    const std::int64_t prefix = batch.prefix(r);
    if (batch.is_padding(r) || prefix == 0) return no_slot;
    return resolve.present(batch.request_rows[r], prefix - 1);
  }

  KOKKOS_FUNCTION void store_states(int n, std::int64_t malformed) const {
    *write_state = {.num_requests = n, .malformed = malformed};
    if (verify_state == nullptr) return;
    const std::int64_t required = verify_offsets[n];
    const bool fits = required <= verify_capacity;
    verify_state->enabled = fits ? 1 : 0;
    verify_state->num_entries = fits ? required : 0;
    verify_state->required_entries = required;
    verify_state->malformed = malformed;
    if (!fits) ++verify_state->overflows;
  }
};

/// Workers: the verify entries of all requests.
template <class ExecSpace>
struct PlanEntries {
  PlanArgs batch;
  SlotResolver resolve;
  ExpectedTokenArgs expected;
  const std::int64_t* verify_offsets;
  const WritePlanState* write_state;
  const VerifyPlanState* verify_state;
  VerifyEntry* entries;
  std::int64_t num_workers;

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    for_each_chunk<ExecSpace>(worker, num_workers, verify_state->num_entries,
                              [this](std::int64_t begin, std::int64_t end) { fill(begin, end); });
  }

 private:
  KOKKOS_FUNCTION void fill(std::int64_t begin, std::int64_t end) const {
    int r = request_of(begin);
    for (std::int64_t e = begin; e < end;) {
      while (verify_offsets[r + 1] <= e) ++r;
      const std::int64_t stop = verify_offsets[r + 1] < end ? verify_offsets[r + 1] : end;
      fill_request(r, e, stop);
      e = stop;
    }
  }

  /// The request with verify_offsets[r] <= e < verify_offsets[r + 1].
  KOKKOS_FUNCTION int request_of(std::int64_t e) const {
    int low = 0, high = static_cast<int>(write_state->num_requests);
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (verify_offsets[middle] <= e ? low : high) = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void fill_request(int r, std::int64_t begin, std::int64_t end) const {
    const std::int64_t row = batch.request_rows[r];
    const std::int64_t first = batch.first(r);
    std::int64_t position = first + (begin - verify_offsets[r]);
    std::int64_t predecessor = resolve.predecessor(row, position, first);
    for (std::int64_t e = begin; e < end; ++e, ++position) {
      const std::int64_t slot = resolve.present(row, position);
      entries[e] = {.slot = slot,
                    .position = position,
                    .predecessor = predecessor,
                    .expected_token = expected(row, position),
                    .request_row = row};
      predecessor = slot;
    }
  }
};

template <class ExecSpace>
void launch_plan_requests(const ExecSpace& space, const PlanBatch& batch,
                          const WritePlan<typename ExecSpace::memory_space>& plan,
                          VerifyPlanState* verify_state, std::int64_t verify_capacity) {
  launch_teams<256>(
      "kvcanary::plan_requests", space, 1, 0,
      PlanRequests<ExecSpace>{PlanArgs(batch), SlotResolver(batch.table, batch.full_to_swa),
                              plan.offsets.data(), plan.verify_offsets.data(),
                              plan.seed_slots.data(), plan.request_rows.data(), plan.state.data(),
                              verify_state, verify_capacity});
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void plan(const ExecSpace& space, const PlanBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan) {
  detail::check_plan(batch, write_plan.capacity(), detail::unreachable_memory<ExecSpace>());
  detail::launch_plan_requests(space, batch, write_plan, nullptr, 0);
}

template <class ExecSpace>
void plan(const ExecSpace& space, const PlanBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan) {
  detail::check_plan(batch, write_plan.capacity(), detail::unreachable_memory<ExecSpace>());
  detail::check_verify_plan("plan", "verify_plan", verify_plan.capacity());
  detail::launch_plan_requests(space, batch, write_plan, verify_plan.state.data(),
                               verify_plan.capacity());
  const std::int64_t workers = detail::num_workers(space, verify_plan.capacity());
  detail::launch_workers(
      "kvcanary::plan_entries", space, workers,
      detail::PlanEntries<ExecSpace>{
          detail::PlanArgs(batch), detail::SlotResolver(batch.table, batch.full_to_swa),
          detail::ExpectedTokenArgs(batch.expected), write_plan.verify_offsets.data(),
          write_plan.state.data(), verify_plan.state.data(), verify_plan.entries.data(), workers});
}

}  // namespace kvcanary
