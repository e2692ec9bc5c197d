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
};

/// Writes the record of every entry of every request to every endpoint's buffer, and compares the
/// input with what the caller expects of it; docs/semantics.md says how, also for malformed input.
/// Follows SGLang's pull request 26806. Reads `plan`, `batch`, seed records and KV bytes; writes
/// records; adds to `log` and `counters`. One launch on `space`, a team per request and endpoint;
/// no allocation, no fence, capturable. A seed slot must not be written by another request of the
/// same launch.
/// \param endpoints at most max_endpoints, read on the host before the call returns; they share the
/// batch and the plan
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void write(const ExecSpace& space, const WritePlan<typename ExecSpace::memory_space>& plan,
           const WriteBatch& batch, std::span<const Endpoint> endpoints,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters);

}  // namespace kvcanary
