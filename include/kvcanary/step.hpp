#pragma once

#include <cstdint>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/step_job.hpp>
#include <kvcanary/violation_log.hpp>
#include <kvcanary/write_scratch.hpp>
#include <span>

/// \file
/// All that an engine step does to the records on one side of the forward pass.
namespace kvcanary {

/// An engine has buffers for each side of a forward pass, and calls `step` once for each: what is
/// right before it may be wrong behind it.
enum class StepSide : std::uint8_t {
  head,  ///< before the forward pass: checks what the step reads, and stamps what it adds
  tail   ///< behind it: stamps what the step adds, and checks what it read and what it added
};

/// Verifies what a step reads, and stamps what it adds: finds, writes and counts what these would
/// with the same jobs, on every input, valid or not:
/// - head: `verify_requests` with verify_end `prefix`, then `write_requests`;
/// - tail: `write_requests`, then `verify_requests` with verify_end `whole_step`: a slot that two
///   requests wrote, or that was overwritten after its stamp, is found in the step it happens in.
///
/// What runs at once may differ from that in one thing: what is said of a slot that one request
/// reads and another one stamps in the same step is what would be said before the stamp, or behind
/// it. It is found in this step, or in the next one that reads it.
///
/// One launch on `space` where the host knows that requests add few tokens
/// (`max_entries_per_request`: decode), with at most 4 endpoints of one chain in one or two jobs,
/// and at most 64 KV bytes of a slot; otherwise those of the two operations. No allocation, no
/// fence, capturable.
/// \param jobs with at most 2^23 requests and 1 to max_endpoints endpoints, all together; read on
/// the host before the call returns; verify_end of their requests says nothing here
/// \param scratch needed on a device; of no other write or step that runs at the same time
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void step(const ExecSpace& space, StepSide side, std::span<const StepJob> jobs,
          const WriteScratch<typename ExecSpace::memory_space>& scratch,
          const ViolationLog<typename ExecSpace::memory_space>& log,
          const LaunchCounters<typename ExecSpace::memory_space>& counters);

/// The same for one pool.
template <class ExecSpace>
void step(const ExecSpace& space, StepSide side, const RequestBatch& requests,
          const TokenBatch& tokens, std::span<const Endpoint> endpoints,
          const WriteScratch<typename ExecSpace::memory_space>& scratch,
          const ViolationLog<typename ExecSpace::memory_space>& log,
          const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  const StepJob job{requests, tokens, endpoints};
  step(space, side, std::span<const StepJob>(&job, 1), scratch, log, counters);
}

}  // namespace kvcanary
