#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>
#include <span>

#include "src/clamp.hpp"
#include "src/endpoint_args.hpp"
#include "src/expected_token.hpp"
#include "src/plan/plan_args.hpp"
#include "src/slot_resolver.hpp"

/// \file
/// The work of a verify_requests.
namespace kvcanary::detail {

/// What a request has verified.
struct RequestRange {
  std::int64_t row;
  std::int32_t first;  ///< position
  std::int32_t stop;   ///< end of the positions for which the table may have a slot, >= first
  std::int32_t end;    ///< end of all positions: those from `stop` on have none

  KOKKOS_FUNCTION std::int64_t num_entries() const { return end - first; }
};

/// A VerifyJob as kernel arguments.
struct JobArgs {
  PlanArgs batch;
  SlotResolver resolve;
  ExpectedTokenArgs expected;
  std::int32_t reach;                ///< positions for which the table has columns
  int first_endpoint, endpoint_end;  ///< in the endpoints of all jobs

  JobArgs() = default;
  JobArgs(const VerifyJob& job, int first_endpoint)
      : batch(job.batch),
        resolve(job.batch.table, job.batch.full_to_swa),
        expected(job.batch.expected),
        reach(reach_of(job.batch.table)),
        first_endpoint(first_endpoint),
        endpoint_end(first_endpoint + static_cast<int>(job.endpoints.size())) {}

  /// Positions that a request can have verified, where the table has slots for them.
  KOKKOS_FUNCTION std::int32_t longest() const {
    return batch.window > 0 && batch.window < reach ? static_cast<std::int32_t>(batch.window)
                                                    : reach;
  }

  KOKKOS_FUNCTION RequestRange range(int r) const {
    const std::int64_t row = batch.request_rows[r], prefix = batch.prefix_lengths[r];
    if (row == padding_row || !is_length(prefix)) return {row, 0, 0, 0};
    const auto end = static_cast<std::int32_t>(prefix);
    const auto first = static_cast<std::int32_t>(batch.first_of(prefix));
    return {row, first, clamp(resolve.has_row(row) ? reach : 0, first, end), end};
  }

 private:
  static std::int32_t reach_of(const SlotTable& table) {
    const std::int64_t columns = std::min(table.num_columns, length_limit / table.page_size + 1);
    return static_cast<std::int32_t>(std::min(columns * table.page_size, length_limit));
  }
};

/// A request, counted in its job.
struct RequestIndex {
  int job, request;
};

/// By value, so that no device array has to be filled before a launch. Room for fewer jobs and
/// endpoints than there may be makes a launch cheaper.
template <int job_capacity = max_jobs, int endpoint_capacity = max_endpoints>
struct JobArray {
  JobArgs items[job_capacity];
  EndpointArray<endpoint_capacity> endpoints;  ///< of all jobs
  int count;

  explicit JobArray(std::span<const VerifyJob> jobs)
      : items{}, count(static_cast<int>(jobs.size())) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      items[j] = JobArgs(jobs[j], endpoints.count);
      endpoints.add(jobs[j].endpoints);
    }
  }

  KOKKOS_FUNCTION int num_jobs() const { return job_capacity == 1 ? 1 : count; }
  KOKKOS_FUNCTION const JobArgs& at(int j) const { return items[job_capacity == 1 ? 0 : j]; }

  KOKKOS_FUNCTION const EndpointArgs& endpoint(int e) const {
    return endpoints.items[endpoint_capacity == 1 ? 0 : e];
  }

  /// The endpoints of a job.
  KOKKOS_FUNCTION int first_endpoint(int j) const {
    return endpoint_capacity == 1 ? 0 : at(j).first_endpoint;
  }
  KOKKOS_FUNCTION int endpoint_end(int j) const {
    return endpoint_capacity == 1 ? 1 : at(j).endpoint_end;
  }

  /// Requests of all jobs, whether they count or not.
  KOKKOS_FUNCTION int num_requests() const {
    int requests = 0;
    for (int j = 0; j < num_jobs(); ++j) requests += static_cast<int>(at(j).batch.given);
    return requests;
  }
  /// The r-th of them.
  KOKKOS_FUNCTION RequestIndex find(int r) const {
    int j = 0;
    for (; j + 1 < job_capacity && r >= at(j).batch.given; ++j) {
      r -= static_cast<int>(at(j).batch.given);
    }
    return {j, r};
  }
};

}  // namespace kvcanary::detail
