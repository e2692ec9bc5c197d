#pragma once

#include <kvcanary/endpoint.hpp>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/violation_log.hpp>
#include <span>

/// \file
/// Checks slots against a plan.
namespace kvcanary {

/// Checks every entry of `plan` in every endpoint's buffer: chain hash against the predecessor's
/// record, position, token, KV hash; docs/semantics.md says how, also for malformed input. Follows
/// SGLang's pull request 26805. Reads `plan`, records and KV bytes; adds one violation for each
/// bad entry to `log`, and to `counters`. One launch on `space`; no allocation, no fence,
/// capturable.
/// \param endpoints at most max_endpoints, read on the host before the call returns; they share the
/// plan
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void verify(const ExecSpace& space, const VerifyPlan<typename ExecSpace::memory_space>& plan,
            std::span<const Endpoint> endpoints,
            const ViolationLog<typename ExecSpace::memory_space>& log,
            const LaunchCounters<typename ExecSpace::memory_space>& counters);

}  // namespace kvcanary
