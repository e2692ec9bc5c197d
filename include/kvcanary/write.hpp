#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/token_batch.hpp>
#include <kvcanary/violation_log.hpp>
#include <kvcanary/write_plan.hpp>
#include <span>

/// \file
/// Stamps the records of the tokens that a step adds.
namespace kvcanary {

/// One write among several that share a launch: a step's tokens in the full pool, say, and in the
/// sliding-window pool, each with a plan and slots of its own.
template <class MemorySpace>
struct WriteJob {
  WritePlan<MemorySpace> plan;
  TokenBatch batch;
  std::span<const Endpoint> endpoints;
};

/// Writes the record of every entry of every request to every endpoint's buffer, and compares the
/// input with what the caller expects of it; docs/semantics.md says how, also for malformed input.
/// Follows SGLang's pull request 26806. Reads plans, batches, seed records and KV bytes; writes
/// records; adds to `log` and `counters`. One launch on `space`; no allocation, no fence,
/// capturable. A seed slot must not be written by another request of the same job, and no slot of a
/// buffer by two jobs.
/// \param jobs with 1 to max_endpoints endpoints together; read on the host before the call
/// returns. The result is that of one call for each.
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void write(const ExecSpace& space, std::span<const WriteJob<typename ExecSpace::memory_space>> jobs,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// One job. \param endpoints share the batch and the plan
template <class ExecSpace>
void write(const ExecSpace& space, const WritePlan<typename ExecSpace::memory_space>& plan,
           const TokenBatch& batch, std::span<const Endpoint> endpoints,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const WriteJob<typename ExecSpace::memory_space> job{plan, batch, endpoints};
  write(space, std::span<const WriteJob<typename ExecSpace::memory_space>>(&job, 1), log, counters);
}

}  // namespace kvcanary
