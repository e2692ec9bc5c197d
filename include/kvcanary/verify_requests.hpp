#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/plan.hpp>
#include <kvcanary/violation_log.hpp>
#include <span>

/// \file
/// Checks what the requests of a batch read, straight from the slot table.
namespace kvcanary {

/// One pool's part of a launch: the batch with the pool's table, translation and window, and the
/// buffers that lie beside the pool.
struct VerifyJob {
  PlanBatch batch;  ///< extend_lengths may be left out, and are then all right
  std::span<const Endpoint> endpoints;
};

/// Finds and counts exactly what `plan` and then `verify` would with a VerifyPlan that is large
/// enough, on every input, valid or not, job after job: the same violations, whose `entry` is the
/// index in that plan, and the same counters. It makes no VerifyPlan and has no capacity: each
/// record is read once, and shared by the positions before and after it. The work is split evenly
/// over requests of any lengths. Reads the arrays of the batches, records and KV bytes; adds to
/// `log` and `counters`. One launch on `space`; no allocation, no fence, capturable.
/// \param jobs at most max_jobs with at most 2^23 requests each and at most max_endpoints endpoints
/// together, read on the host before the call returns
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void verify_requests(const ExecSpace& space, std::span<const VerifyJob> jobs,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// The same for one pool.
template <class ExecSpace>
void verify_requests(const ExecSpace& space, const PlanBatch& batch,
                     std::span<const Endpoint> endpoints,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const VerifyJob job{batch, endpoints};
  verify_requests(space, std::span<const VerifyJob>(&job, 1), log, counters);
}

}  // namespace kvcanary
