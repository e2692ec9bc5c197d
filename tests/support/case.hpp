#pragma once

#include <cstdint>
#include <vector>

#include "oracle/plan.hpp"
#include "oracle/write.hpp"

/// \file
/// A whole scenario as host data: a pool, and steps of an engine that read and write it.

/// How the arrays of a case lie in memory: what no result may depend on.
struct Layout {
  std::uint32_t narrow = 0;          ///< bit i: the i-th array is int32 where its values fit
  std::int64_t kv_misalignment = 0;  ///< bytes that KV sources start after a multiple of 64
  bool wide_pages = false;  ///< entries of tables and lists are int64, and not int32 where they fit

  bool is_narrow(int array) const { return (narrow >> array & 1U) != 0; }
};

/// One engine step: which requests there are, and the tokens that they add.
struct Step {
  oracle::RequestBatch batch;
  oracle::TokenBatch tokens;
  std::int64_t max_requests = 1;  ///< capacity of the write plan
  std::int64_t max_entries = 1;   ///< capacity of the verify plan
};

struct Case {
  Layout layout;
  std::vector<oracle::Endpoint> endpoints;  ///< of one pool, before the first step
  std::vector<Step> steps;
};

/// Both plans of a step.
struct Plans {
  oracle::WritePlan write;
  oracle::VerifyPlan verify;
};

/// Plans as an earlier step may have left them: whatever `plan` leaves alone is recognisable.
inline Plans stale_plans(std::int64_t max_requests, std::int64_t max_entries) {
  constexpr std::int64_t stale = 0x5A5A5A5A5A5A5A5A;
  Plans plans;
  plans.write = {std::vector<std::int64_t>(max_requests + 1, stale),
                 std::vector<std::int64_t>(max_requests, stale),
                 std::vector<std::int64_t>(max_requests, stale), stale, stale};
  plans.verify.entries.assign(max_entries, {stale, stale, stale, stale, stale});
  plans.verify.enabled = plans.verify.num_entries = stale;
  plans.verify.required_entries = plans.verify.malformed = stale;
  return plans;
}
