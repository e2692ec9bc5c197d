#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/write_plan.hpp>

#include "src/clamp.hpp"

/// \file
/// The requests of a write, as a plan holds them.
namespace kvcanary::detail {

/// What a plan says of one request.
struct PlannedRequest {
  std::int64_t begin, end, seed_slot, row;
};

/// Arrays may change at any moment: what is said of a request comes from one look at them.
struct PlannedRequests {
  using Request = PlannedRequest;
  using Totals = WritePlanState;

  const std::int64_t *offsets, *seed_slots, *rows;
  const WritePlanState* state;
  std::int32_t capacity;

  PlannedRequests() = default;
  template <class MemorySpace>
  explicit PlannedRequests(const WritePlan<MemorySpace>& plan)
      : offsets(plan.offsets.data()),
        seed_slots(plan.seed_slots.data()),
        rows(plan.request_rows.data()),
        state(plan.state.data()),
        capacity(static_cast<std::int32_t>(plan.capacity())) {}

  /// Requests for which there is room: the host knows no more.
  KOKKOS_FUNCTION std::int32_t max_requests() const { return capacity; }

  KOKKOS_FUNCTION Request request(std::int64_t r) const {
    return {offsets[r], offsets[r + 1], seed_slots[r], rows[r]};
  }
  /// The slot of the token before the first of a request.
  KOKKOS_FUNCTION static std::int64_t seed_slot(const Request& request, std::int64_t /*r*/) {
    return request.seed_slot;
  }

  KOKKOS_FUNCTION Totals totals() const { return *state; }
  /// Requests that count.
  KOKKOS_FUNCTION std::int64_t num_requests(const Totals& totals) const {
    return clamp(totals.num_requests, std::int64_t{0}, std::int64_t{capacity});
  }
  /// The same, as reports name it.
  KOKKOS_FUNCTION static std::int64_t reported_requests(const Totals& totals) {
    return totals.num_requests;
  }
  KOKKOS_FUNCTION bool is_malformed(const Totals& totals) const {
    return totals.num_requests < 0 || totals.num_requests > capacity || totals.malformed != 0;
  }
  KOKKOS_FUNCTION std::int64_t num_tokens(const Totals& totals) const {
    return offsets[num_requests(totals)];
  }
};

}  // namespace kvcanary::detail
