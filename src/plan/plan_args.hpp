#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/expected_token.hpp"
#include "src/request_args.hpp"
#include "src/seed_slot.hpp"
#include "src/slot_finder.hpp"

/// \file
/// A batch and its plans as kernel arguments: the one place that says what a plan holds.
namespace kvcanary::detail {

/// What requests add to the sums of a plan.
struct PlanSums {
  std::int64_t extend = 0;    ///< entries to be written
  std::int64_t verified = 0;  ///< entries to be verified
  std::int64_t malformed = 0;

  KOKKOS_FUNCTION PlanSums& operator+=(const PlanSums& other) {
    extend += other.extend;
    verified += other.verified;
    malformed += other.malformed;
    return *this;
  }
  KOKKOS_FUNCTION PlanSums& operator-=(const PlanSums& other) {
    extend -= other.extend;
    verified -= other.verified;
    malformed -= other.malformed;
    return *this;
  }
};

/// Both plans, or the write plan alone.
struct PlanArgs {
  RequestArgs batch;
  SlotFinder finder;
  ExpectedTokenArgs expected;
  std::int64_t *offsets, *seed_slots, *rows;
  WritePlanState* write_state;
  std::int32_t write_capacity;
  VerifyPlanState* verify_state = nullptr;  ///< null: no verify plan
  VerifyEntry* entries = nullptr;
  std::int64_t verify_capacity = 0;

  template <class MemorySpace>
  PlanArgs(const RequestBatch& from, const WritePlan<MemorySpace>& plan)
      : batch(from),
        finder(from),
        expected(from.expected),
        offsets(plan.offsets.data()),
        seed_slots(plan.seed_slots.data()),
        rows(plan.request_rows.data()),
        write_state(plan.state.data()),
        write_capacity(static_cast<std::int32_t>(plan.capacity())) {}

  template <class MemorySpace>
  PlanArgs(const RequestBatch& from, const WritePlan<MemorySpace>& write_plan,
           const VerifyPlan<MemorySpace>& verify_plan)
      : PlanArgs(from, write_plan) {
    verify_state = verify_plan.state.data();
    entries = verify_plan.entries.data();
    verify_capacity = verify_plan.capacity();
  }

  KOKKOS_FUNCTION PlanSums sums_of(const RequestArgs::Request& request) const {
    const RequestArgs::Positions verified = batch.positions(request);
    return {request.extend, verified.end - verified.first, request.is_malformed ? 1 : 0};
  }

  /// What a write plan says of a request by itself.
  KOKKOS_FUNCTION void store_request(int r, const SlotFinder::List& list,
                                     const RequestArgs::Request& request) const {
    rows[r] = request.row;
    seed_slots[r] =
        seed_slot(finder, finder.row(list, request.row), request.prefix, request.extend);
  }

  /// `n` requests count of those `wanted`.
  KOKKOS_FUNCTION void store_states(int n, std::int64_t wanted, const PlanSums& total) const {
    const std::int64_t malformed = total.malformed + (wanted != n ? 1 : 0);
    *write_state = {.num_requests = n, .malformed = malformed};
    if (verify_state == nullptr) return;
    const bool fits = total.verified <= verify_capacity;
    verify_state->enabled = fits ? 1 : 0;
    verify_state->num_entries = fits ? total.verified : verify_capacity;
    verify_state->required_entries = total.verified;
    verify_state->malformed = malformed;
    if (!fits) ++verify_state->overflows;
  }
};

}  // namespace kvcanary::detail
