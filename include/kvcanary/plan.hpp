#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/int_span.hpp>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/write_plan.hpp>

/// \file
/// From a batch of requests to what has to be written and verified.
namespace kvcanary {

/// The requests of one engine step. Arrays lie in memory of the execution space, one element a
/// request. Lengths are below 2^30: others are malformed.
struct PlanBatch {
  IntSpan request_rows;    ///< row in the slot table; row 0 is padding and contributes nothing
  IntSpan prefix_lengths;  ///< tokens already in the cache, which the step reads
  IntSpan extend_lengths;  ///< tokens that the step adds
  IntSpan num_requests =
      {};  ///< optional device scalar: how many of the requests count; all when not given
  SlotTable table;
  IntSpan full_to_swa =
      {};                   ///< optional: slot of the sliding-window pool, by slot of the full pool
  std::int64_t window = 0;  ///< tokens of the prefix that are verified; 0: all
  ExpectedTokens expected = {};  ///< optional: tokens that the verified slots must hold
};

/// Fills a WritePlan (offsets, seed slots) and a VerifyPlan (one entry for each prefix position
/// inside the window) from `batch`; docs/semantics.md says how, also for malformed input. Follows
/// SGLang's pull request 26807. Reads the arrays of `batch`, writes both plans. Two launches on
/// `space`; no allocation, no fence, capturable. More entries than `verify_plan` holds: it is
/// disabled for this step and its `overflows` counts it.
/// \throws std::invalid_argument naming the argument, what it was and what it must be
template <class ExecSpace>
void plan(const ExecSpace& space, const PlanBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan);

/// Fills the same WritePlan and nothing else, for engines that verify with verify_requests. One
/// launch.
template <class ExecSpace>
void plan(const ExecSpace& space, const PlanBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan);

}  // namespace kvcanary
