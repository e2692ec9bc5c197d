#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// Positions that a row of the slot table, or a list, does not reach.
namespace kvcanary::detail {

/// Reports positions [begin, end) of request `r`, which have no slot, in every endpoint of its job.
template <class Endpoints>
KOKKOS_FUNCTION void report_beyond(const Endpoints& endpoints, const VerifyJobArgs& job, int r,
                                   std::int64_t row, std::int64_t begin, std::int64_t end,
                                   const ViolationSink& sink) {
  const ExpectedTokenArgs::Tokens tokens = job.expected.tokens_of(r, row);
  for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
    const EndpointArgs& endpoint = endpoints.items[e];
    sink.push_many(static_cast<Count>(end - begin), [&](Count i) {
      const std::int64_t position = begin + static_cast<std::int64_t>(i);
      const VerifyEntry entry{.slot = invalid_slot,
                              .position = position,
                              .predecessor = invalid_slot,
                              .expected_token = job.expected.at(tokens, position),
                              .request_row = row};
      return entry_violation(endpoint, entry, r, Record{},
                             {.bits = fail_bit::slot_out_of_bounds, .prev_hash = 0, .kv_hash = 0});
    });
  }
}

}  // namespace kvcanary::detail
