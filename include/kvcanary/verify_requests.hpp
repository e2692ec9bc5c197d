#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/request_batch.hpp>
#include <kvcanary/violation_log.hpp>
#include <span>

/// \file
/// Checks what the requests of a batch read, straight from the slot table or lists.
namespace kvcanary {

/// One pool's part of a launch: the batch with the pool's table, translation and window, and the
/// buffers that lie beside the pool.
struct VerifyJob {
  RequestBatch batch;  ///< extend_lengths may be left out where verify_end is the prefix
  std::span<const Endpoint> endpoints;
};

/// Finds and counts what `plan` and then `verify` would with a VerifyPlan that is large enough, on
/// every input, valid or not, job after job: the same counters, and the same violations, but that
/// their `entry` is the index of the request in the batch. It makes no VerifyPlan and has no
/// capacity: each record is read once, and shared by the positions before and after it. The work is
/// split evenly over requests of any lengths. Reads the arrays of the batches, records and KV
/// bytes; adds to `log` and `counters`. One launch on `space`; no allocation, no fence, capturable.
/// \param jobs with at most 2^23 requests and 1 to max_endpoints endpoints, all together; read on
/// the host before the call returns
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void verify_requests(const ExecSpace& space, std::span<const VerifyJob> jobs,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// The same for one pool.
template <class ExecSpace>
void verify_requests(const ExecSpace& space, const RequestBatch& batch,
                     std::span<const Endpoint> endpoints,
                     const ViolationLog<typename ExecSpace::memory_space>& log,
                     const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const VerifyJob job{batch, endpoints};
  verify_requests(space, std::span<const VerifyJob>(&job, 1), log, counters);
}

}  // namespace kvcanary
