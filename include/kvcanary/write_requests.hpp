#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/request_batch.hpp>
#include <kvcanary/step_job.hpp>
#include <kvcanary/token_batch.hpp>
#include <kvcanary/violation_log.hpp>
#include <kvcanary/write_scratch.hpp>
#include <span>

/// \file
/// Stamps the records of the tokens that the requests of a batch add, without a plan.
namespace kvcanary {

/// Writes, finds and counts what `plan` and then `write` would, on every input, valid or not, job
/// after job: the same records, counters and violations. Reads the arrays of the batches, seed
/// records and KV bytes; writes records; adds to `log` and `counters`. One launch on `space`, two
/// where buffers have chains of both kinds; no allocation, no fence, capturable. A seed slot must
/// not be written by another request of the same job, and no slot of a buffer by two jobs.
/// \param jobs with 1 to max_endpoints endpoints together; read on the host before the call
/// returns; window, verify_end and expected of their requests say nothing here
/// \param scratch needed on a device where a buffer's chain is polynomial; else it may be empty
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void write_requests(const ExecSpace& space, std::span<const StepJob> jobs,
                    const WriteScratch<typename ExecSpace::memory_space>& scratch,
                    const ViolationLog<typename ExecSpace::memory_space>& log,
                    const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// The same for one pool.
template <class ExecSpace>
void write_requests(const ExecSpace& space, const RequestBatch& requests, const TokenBatch& tokens,
                    std::span<const Endpoint> endpoints,
                    const WriteScratch<typename ExecSpace::memory_space>& scratch,
                    const ViolationLog<typename ExecSpace::memory_space>& log,
                    const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const StepJob job{requests, tokens, endpoints};
  write_requests(space, std::span<const StepJob>(&job, 1), scratch, log, counters);
}

}  // namespace kvcanary
