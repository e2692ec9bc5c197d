#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/verify_requests.hpp>
#include <limits>
#include <span>

#include "src/clamp.hpp"
#include "src/divisor.hpp"
#include "src/endpoint_args.hpp"
#include "src/expected_token.hpp"
#include "src/request_args.hpp"
#include "src/slot_finder.hpp"
#include "src/verify/verify_entry.hpp"

/// \file
/// The work of a verify_requests, as kernel arguments.
namespace kvcanary::detail {

/// What is verified of a request. All of it comes from one look.
struct VerifiedRange {
  std::int64_t row;
  std::int32_t first, end;   ///< positions
  std::int32_t start, stop;  ///< those for which there are entries, in [first, end]
  SlotFinder::SlotRow slots;

  KOKKOS_FUNCTION std::int64_t num_entries() const { return end - first; }
  KOKKOS_FUNCTION std::int32_t count() const { return stop - start; }
  /// Positions for which there is no entry.
  KOKKOS_FUNCTION bool has_beyond() const { return start > first || stop < end; }
};

/// A request, counted in its job.
struct RequestIndex {
  int job, request;
};

/// A VerifyJob.
struct VerifyJobArgs {
  RequestArgs batch;
  SlotFinder finder;
  ExpectedTokenArgs expected;
  /// Slots that surely hold a token in each of the endpoints, which share a pool: one comparison
  /// for all of them.
  std::int64_t first_token_slot, num_token_slots;
  Divisor groups_per_request;                 ///< on a device, see work_split.hpp
  std::int16_t first_endpoint, endpoint_end;  ///< in the endpoints of all jobs

  VerifyJobArgs() = default;
  VerifyJobArgs(const VerifyJob& job, int first_endpoint)
      : batch(job.batch),
        finder(job.batch),
        expected(job.batch.expected),
        first_token_slot(0),
        num_token_slots(0),
        first_endpoint(static_cast<std::int16_t>(first_endpoint)),
        endpoint_end(static_cast<std::int16_t>(first_endpoint + job.endpoints.size())) {
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    for (const Endpoint& from : job.endpoints) {
      const EndpointArgs endpoint = to_args(from);
      first_token_slot = std::max(first_token_slot, endpoint.first_token_slot);
      end = std::min(end, endpoint.first_token_slot + endpoint.num_token_slots);
    }
    num_token_slots = std::max<std::int64_t>(0, end - first_token_slot);
  }

  KOKKOS_FUNCTION bool surely_holds_token(std::int64_t slot) const {
    return static_cast<std::uint64_t>(slot) - static_cast<std::uint64_t>(first_token_slot) <
           static_cast<std::uint64_t>(num_token_slots);
  }

  /// Positions that a request can have verified, where there are entries for them.
  std::int32_t longest() const { return batch.longest(finder.reach()); }

  KOKKOS_FUNCTION VerifiedRange range(int r) const {
    const SlotFinder::List list = finder.list(r);  // on its way together with the lengths
    const auto [row, positions] = batch.row_positions(r);
    return range(list, row, positions);
  }
  /// \param with_added whether what the request adds follows its prefix, which is verified here
  KOKKOS_FUNCTION VerifiedRange range(const SlotFinder::List& list,
                                      const RequestArgs::Request& request, bool with_added) const {
    auto [first, end] = batch.positions(request);
    if (with_added) end += request.extend;
    return range(list, request.row, {first, end});
  }
  KOKKOS_FUNCTION VerifiedRange range(const SlotFinder::List& list, std::int64_t row,
                                      const RequestArgs::Positions& positions) const {
    const SlotFinder::SlotRow slots = finder.row(list, row);
    const auto [first, end] = positions;
    const std::int32_t start = clamp(slots.first, first, end);
    return {row, first, end, start, clamp(slots.end(), start, end), slots};
  }

  /// The entry of a position of request `r`, as `plan` makes it.
  KOKKOS_FUNCTION VerifyEntry entry(int r, const VerifiedRange& range,
                                    std::int32_t position) const {
    return {.slot = slot_or_invalid(finder.find(range.slots, position)),
            .position = position,
            .predecessor = finder.find_predecessor(range.slots, position, range.first),
            .expected_token = expected.at(expected.tokens_of(r, range.row), position),
            .request_row = range.row};
  }
};

/// Whether pages lie in a table of int32, as mostly.
inline bool has_narrow_table(const RequestBatch& batch) {
  return !batch.lists.given() && batch.table.type == IntType::int32;
}

/// By value, so that no device array has to be filled before a launch. Room for fewer jobs and
/// endpoints than there may be makes a launch cheaper.
/// \tparam only_tables whether all jobs have narrow tables
template <int job_room = max_endpoints, int endpoint_room = max_endpoints, bool only_tables = false>
struct VerifyJobArray {
  static constexpr int job_capacity = job_room, endpoint_capacity = endpoint_room;

  VerifyJobArgs items[job_capacity];
  EndpointArray<endpoint_capacity> endpoints;  ///< of all jobs
  std::int32_t count;
  // How positions are split on a device, see work_split.hpp.
  std::int32_t num_groups;
  std::int32_t piece_shift;
  bool in_pieces;

  explicit VerifyJobArray(std::span<const VerifyJob> jobs)
      : items{},
        count(static_cast<std::int32_t>(jobs.size())),
        num_groups(0),
        piece_shift(0),
        in_pieces(false) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      items[j] = VerifyJobArgs(jobs[j], endpoints.count);
      endpoints.add(jobs[j].endpoints);
    }
  }

  KOKKOS_FUNCTION int num_jobs() const { return job_capacity == 1 ? 1 : count; }
  KOKKOS_FUNCTION const VerifyJobArgs& at(int j) const {
    const VerifyJobArgs& job = items[job_capacity == 1 ? 0 : j];
    // Spares those who have a table a tenth of the instructions.
    if constexpr (only_tables) {
      [[maybe_unused]] const bool is_narrow = job.finder.is_narrow_table();
      [[maybe_unused]] const bool has_rows = job.batch.has_rows();
      KOKKOS_IF_ON_DEVICE((__builtin_assume(is_narrow); __builtin_assume(has_rows);))
    }
    return job;
  }

  KOKKOS_FUNCTION const EndpointArgs& endpoint(int e) const {
    return endpoints.items[endpoint_capacity == 1 ? 0 : e];
  }

  /// The endpoints of a job.
  KOKKOS_FUNCTION int first_endpoint(int j) const {
    return job_capacity == 1 ? 0 : at(j).first_endpoint;
  }
  KOKKOS_FUNCTION int endpoint_end(int j) const {
    if (endpoint_capacity == 1) return 1;
    return job_capacity == 1 ? endpoints.count : at(j).endpoint_end;
  }

  /// Requests of all jobs, whether they count or not.
  KOKKOS_FUNCTION int num_requests() const {
    int requests = 0;
    for (int j = 0; j < num_jobs(); ++j) requests += at(j).batch.num_given();
    return requests;
  }
  /// The r-th of them.
  KOKKOS_FUNCTION RequestIndex find(int r) const {
    int j = 0;
    for (; j + 1 < num_jobs() && r >= at(j).batch.num_given(); ++j) r -= at(j).batch.num_given();
    return {j, r};
  }
};

}  // namespace kvcanary::detail
