#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/clamp.hpp"
#include "src/expected_token.hpp"
#include "src/launch.hpp"
#include "src/request_args.hpp"
#include "src/slot_finder.hpp"

/// \file
/// The second part of plan: the verify entries of all requests.
namespace kvcanary::detail {

/// Each worker takes chunks of entries, and looks up whose they are.
template <class ExecSpace>
struct PlanEntries {
  RequestArgs batch;
  SlotFinder finder;
  ExpectedTokenArgs expected;
  const std::int64_t* verify_offsets;
  const WritePlanState* write_state;
  const VerifyPlanState* verify_state;
  VerifyEntry* entries;
  std::int64_t capacity;  ///< of entries
  std::int64_t num_workers;

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    if (verify_state->enabled == 0) return;
    // Plans lie in memory that others may write as well: nothing in them is a bound by itself.
    const int n = batch.num_counted(write_state->num_requests);
    for_each_chunk<ExecSpace>(
        worker, num_workers, clamp(verify_state->num_entries, std::int64_t{0}, capacity),
        [this, n](std::int64_t begin, std::int64_t end) { fill(n, begin, end); });
  }

 private:
  KOKKOS_FUNCTION void fill(int n, std::int64_t begin, std::int64_t end) const {
    int r = request_of(n, begin);
    for (std::int64_t e = begin; e < end && r < n; ++r) {
      const std::int64_t last = verify_offsets[r + 1], stop = last < end ? last : end;
      if (e < stop) fill_request(r, e, stop);
      e = e < stop ? stop : e;
    }
  }

  /// The request with verify_offsets[r] <= e < verify_offsets[r + 1].
  KOKKOS_FUNCTION int request_of(int n, std::int64_t e) const {
    int low = 0, high = n;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (verify_offsets[middle] <= e ? low : high) = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void fill_request(int r, std::int64_t begin, std::int64_t end) const {
    const auto [row, positions] = batch.row_positions(r);
    const ExpectedTokenArgs::Tokens tokens = expected.tokens_of(r, row);
    const auto done = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) -
                                                static_cast<std::uint64_t>(verify_offsets[r]));
    std::int64_t position = positions.first + (is_length(done) ? done : 0);
    std::int64_t predecessor = finder.find_predecessor(row, position, positions.first);
    for (std::int64_t e = begin; e < end; ++e, ++position) {
      const std::int64_t slot = slot_or_invalid(finder.find(row, position));
      entries[e] = {.slot = slot,
                    .position = position,
                    .predecessor = predecessor,
                    .expected_token = expected.at(tokens, position),
                    .request_row = row};
      predecessor = slot;
    }
  }
};

}  // namespace kvcanary::detail
