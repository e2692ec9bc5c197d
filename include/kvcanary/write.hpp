#pragma once

#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/int_span.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/violation_log.hpp>
#include <kvcanary/write_plan.hpp>
#include <span>

/// \file
/// Stamps the records of the tokens that a step adds.
namespace kvcanary {

/// The tokens that a step adds, all requests one after the other. Arrays lie in memory of the
/// execution space.
struct WriteBatch {
  IntSpan tokens;
  IntSpan positions;
  IntSpan slots;  ///< in the pool of the endpoints (already translated); negative: skip the entry
  IntSpan expected_tokens = {};     ///< optional: what `tokens` must be
  IntSpan expected_positions = {};  ///< optional: what `positions` must be
  /// Optional device scalar: when not 0, a request that writes exactly one entry after a seed must
  /// write the position after the seed's. Leave it 0 during warm-up.
  IntSpan check_positions = {};
  /// Hint: the largest number of entries of a request, where the host knows it (1 for decode); 0:
  /// unknown. It shapes the launch, and never changes what is written or reported.
  std::int64_t max_entries_per_request = 0;
};

/// One write among several that share a launch: a step's tokens in the full pool, say, and in the
/// sliding-window pool, each with a plan and slots of its own.
template <class MemorySpace>
struct WriteJob {
  WritePlan<MemorySpace> plan;
  WriteBatch batch;
  std::span<const Endpoint> endpoints;
};

/// Writes the record of every entry of every request to every endpoint's buffer, and compares the
/// input with what the caller expects of it; docs/semantics.md says how, also for malformed input.
/// Follows SGLang's pull request 26806. Reads plans, batches, seed records and KV bytes; writes
/// records; adds to `log` and `counters`. One launch on `space`; no allocation, no fence,
/// capturable. A seed slot must not be written by another request of the same job, and no slot of a
/// buffer by two jobs.
/// \param jobs 1 to max_jobs, with at most max_endpoints endpoints together; read on the host
/// before the call returns. The result is that of one call for each.
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void write(const ExecSpace& space, std::span<const WriteJob<typename ExecSpace::memory_space>> jobs,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// One job. \param endpoints share the batch and the plan
template <class ExecSpace>
void write(const ExecSpace& space, const WritePlan<typename ExecSpace::memory_space>& plan,
           const WriteBatch& batch, std::span<const Endpoint> endpoints,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const WriteJob<typename ExecSpace::memory_space> job{plan, batch, endpoints};
  write(space, std::span<const WriteJob<typename ExecSpace::memory_space>>(&job, 1), log, counters);
}

}  // namespace kvcanary
