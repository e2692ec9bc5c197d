#pragma once

#include <kvcanary/request_batch.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/write_plan.hpp>

/// \file
/// From a batch of requests to what has to be written and verified.
namespace kvcanary {

/// Fills a WritePlan (offsets, seed slots) and a VerifyPlan (one entry for each position that is to
/// be verified) from `batch`; docs/semantics.md says how, also for malformed input. Follows
/// SGLang's pull request 26807. Reads the arrays of `batch`, writes both plans. One launch on
/// `space`; no allocation, no fence, capturable. More entries than `verify_plan` holds: it is
/// disabled for this step and its `overflows` counts it.
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan);

/// Fills the same WritePlan and nothing else, for engines that verify with verify_requests. One
/// launch.
template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan);

}  // namespace kvcanary
