#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "arguments.hpp"
#include "launch.hpp"
#include "slot_resolver.hpp"

/// \file
/// plan: one team scans the requests, then workers fill the verify entries.
namespace kvcanary::detail {

/// Lengths from 0 up to this are taken; sums of millions of them stay far from overflow.
inline constexpr std::int64_t length_limit = std::int64_t{1} << 40;

KOKKOS_INLINE_FUNCTION bool is_length(std::int64_t length) {
  return length >= 0 && length < length_limit;
}

/// The batch as kernel arguments, with malformed lengths taken as 0.
struct PlanArgs {
  IntSpan request_rows, prefix_lengths, extend_lengths, num_requests;
  std::int64_t window;

  explicit PlanArgs(const PlanBatch& batch)
      : request_rows(batch.request_rows),
        prefix_lengths(batch.prefix_lengths),
        extend_lengths(batch.extend_lengths),
        num_requests(batch.num_requests),
        window(batch.window) {}

  KOKKOS_FUNCTION bool is_padding(int r) const { return request_rows[r] == padding_row; }
  KOKKOS_FUNCTION std::int64_t prefix(int r) const { return valid(prefix_lengths[r]); }
  KOKKOS_FUNCTION std::int64_t extend(int r) const {
    return is_padding(r) ? 0 : valid(extend_lengths[r]);
  }
  /// First position that is verified.
  KOKKOS_FUNCTION std::int64_t first(int r) const {
    return window > 0 && prefix(r) > window ? prefix(r) - window : 0;
  }
  KOKKOS_FUNCTION std::int64_t num_entries(int r) const {
    return is_padding(r) ? 0 : prefix(r) - first(r);
  }
  KOKKOS_FUNCTION bool is_malformed(int r) const {
    return !is_padding(r) && !(is_length(prefix_lengths[r]) && is_length(extend_lengths[r]));
  }

 private:
  KOKKOS_FUNCTION static std::int64_t valid(std::int64_t length) {
    return is_length(length) ? length : 0;
  }
};

/// One team: offsets, seed slots and rows of all requests, and the states of both plans.
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
    const std::int64_t given = batch.request_rows.size();
    const std::int64_t wanted = batch.num_requests.given() ? batch.num_requests[0] : given;
    const int n = static_cast<int>(clamp(wanted, std::int64_t{0}, given));

    scan(team, n, offsets, [this](int r) { return batch.extend(r); });
    scan(team, n, verify_offsets, [this](int r) { return batch.num_entries(r); });

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [this](int r) {
      rows[r] = batch.request_rows[r];
      seed_slots[r] = seed(r);
    });
    std::int64_t malformed = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, n),
        [this](int r, std::int64_t& sum) { sum += batch.is_malformed(r) ? 1 : 0; }, malformed);
    if (wanted != n) ++malformed;

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
  ExpectedTokens expected;
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
    std::int64_t predecessor = predecessor_of(row, position, first);
    for (std::int64_t e = begin; e < end; ++e, ++position) {
      const std::int64_t slot = resolve.present(row, position);
      entries[e] = {.slot = slot,
                    .position = position,
                    .predecessor = predecessor,
                    .expected_token = expected_token(row, position),
                    .request_row = row};
      predecessor = slot;
    }
  }

  KOKKOS_FUNCTION std::int64_t predecessor_of(std::int64_t row, std::int64_t position,
                                              std::int64_t first) const {
    if (position == 0) return no_slot;
    if (position > first) return resolve.present(row, position - 1);
    // The token before the window may be gone from a sliding-window pool: nothing to chain from.
    const std::int64_t slot = resolve(row, position - 1);
    return slot == evicted_slot ? padding_slot : slot;
  }

  KOKKOS_FUNCTION std::int64_t expected_token(std::int64_t row, std::int64_t position) const {
    if (!expected.tokens.given() || row < 0 || row >= expected.num_rows) return -1;
    const std::int64_t column = position + expected.token_offset;
    if (column < 0 || column >= expected.num_columns) return -1;
    if (expected.valid_lengths.given()) {
      const std::int64_t valid =
          row < expected.valid_lengths.size() ? expected.valid_lengths[row] : 0;
      if (column >= valid) return -1;
    }
    return expected.tokens[row * expected.row_stride + column];
  }
};

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void plan(const ExecSpace& space, const PlanBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan) {
  detail::check_plan(batch, write_plan.capacity(), verify_plan.capacity(),
                     detail::unreachable_memory<ExecSpace>());
  const detail::PlanArgs args(batch);
  const detail::SlotResolver resolve(batch.table, batch.full_to_swa);

  detail::launch_teams<256>(
      "kvcanary::plan_requests", space, 1, 0,
      detail::PlanRequests<ExecSpace>{
          args, resolve, write_plan.offsets.data(), write_plan.verify_offsets.data(),
          write_plan.seed_slots.data(), write_plan.request_rows.data(), write_plan.state.data(),
          verify_plan.state.data(), verify_plan.capacity()});

  const std::int64_t workers = detail::num_workers(space, verify_plan.capacity());
  detail::launch_workers(
      "kvcanary::plan_entries", space, workers,
      detail::PlanEntries<ExecSpace>{
          args, resolve, batch.expected, write_plan.verify_offsets.data(), write_plan.state.data(),
          verify_plan.state.data(), verify_plan.entries.data(), workers});
}

}  // namespace kvcanary
