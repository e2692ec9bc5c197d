#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify_requests.hpp>
#include <span>

#include "clamp.hpp"
#include "endpoint_args.hpp"
#include "expected_token.hpp"
#include "plan/plan_args.hpp"
#include "slot_resolver.hpp"

/// \file
/// The work of a verify_requests.
namespace kvcanary::detail {

/// What a request has verified.
struct RequestRange {
  std::int64_t row;
  std::int64_t first;  ///< position
  std::int64_t stop;   ///< end of the positions for which the table may have a slot, >= first
  std::int64_t end;    ///< end of all positions: those from `stop` on have none

  KOKKOS_FUNCTION std::int64_t num_entries() const { return end - first; }
};

/// A VerifyJob as kernel arguments.
struct JobArgs {
  PlanArgs batch;
  SlotResolver resolve;
  ExpectedTokenArgs expected;
  std::int64_t reach;                ///< positions for which the table has columns
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
  KOKKOS_FUNCTION std::int64_t longest() const {
    return batch.window > 0 && batch.window < reach ? batch.window : reach;
  }

  KOKKOS_FUNCTION RequestRange range(int r) const {
    const std::int64_t row = batch.request_rows[r];
    if (row == padding_row) return {row, 0, 0, 0};
    const std::int64_t end = batch.prefix(r), first = batch.first_of(end);
    const std::int64_t known = resolve.has_row(row) ? reach : 0;
    return {row, first, clamp(known, first, end), end};
  }

 private:
  static std::int64_t reach_of(const SlotTable& table) {
    return std::min(table.num_columns, length_limit / table.page_size + 1) * table.page_size;
  }
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

  KOKKOS_FUNCTION const JobArgs& at(int j) const { return items[job_capacity == 1 ? 0 : j]; }

  KOKKOS_FUNCTION int job_of_endpoint(int e) const {
    int job = 0;
    while (e >= items[job].endpoint_end) ++job;
    return job;
  }
};

}  // namespace kvcanary::detail
