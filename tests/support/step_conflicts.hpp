#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "oracle/step.hpp"
#include "oracle/verify_requests.hpp"
#include "oracle/write_requests.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/written_slots.hpp"

/// \file
/// Where a step's verify and write meet in a slot: what is unspecified depends on it.

/// Launch tag, request of the batch, position.
using StepPosition = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// Positions of which is unspecified what a step says: those that are read, where one of the two
/// records that say it is stamped in the same step, and those that are added, where several entries
/// stamp it. No slot is in two jobs.
inline std::set<StepPosition> affected_positions(oracle::StepSide side,
                                                 const std::vector<oracle::StepJob>& jobs) {
  std::set<StepPosition> affected;
  for (const oracle::StepJob& job : jobs) {
    oracle::RequestBatch batch = *job.requests;
    batch.verify_end =
        side == oracle::StepSide::head ? oracle::VerifyEnd::prefix : oracle::VerifyEnd::whole_step;
    const oracle::WritePlan plan = oracle::write_plan_of(batch);
    const std::map<std::int64_t, Writer> by_slot = writers(plan, *job.tokens);
    const std::set<std::int64_t> contested = contested_slots(plan, *job.tokens);
    const oracle::VerifyPlan verified = oracle::verify_plan_of({batch, *job.endpoints});
    std::size_t e = 0;
    const std::vector<std::int64_t> counts = oracle::verified_positions(batch);
    for (std::size_t r = 0; r < counts.size(); ++r) {
      const std::int64_t prefix =
          invariant::sane_lengths(batch, static_cast<std::int64_t>(r)).prefix;
      for (const std::size_t end = e + counts[r]; e < end; ++e) {
        const oracle::VerifyEntry& entry = verified.entries[e];
        const auto meets = [&](const auto& slots) {
          return slots.contains(entry.slot) || slots.contains(entry.predecessor);
        };
        if (entry.position < prefix ? !meets(by_slot) : !meets(contested)) continue;
        for (const oracle::Endpoint& endpoint : *job.endpoints) {
          affected.insert({endpoint.tag, static_cast<std::int64_t>(r), entry.position});
        }
      }
    }
  }
  return affected;
}
