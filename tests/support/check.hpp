#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include "oracle/plan.hpp"
#include "oracle/step.hpp"
#include "oracle/verify.hpp"
#include "oracle/verify_requests.hpp"
#include "oracle/write.hpp"
#include "oracle/write_requests.hpp"
#include "tests/support/case.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/run_case.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/step_conflicts.hpp"
#include "tests/support/written_slots.hpp"

/// \file
/// Runs an operation on an execution space and in the oracle, and compares everything that comes
/// out.
namespace check {

inline std::vector<std::int64_t> fields(const oracle::VerifyEntry& entry) {
  return {entry.slot, entry.position, entry.predecessor, entry.expected_token, entry.request_row};
}

inline void expect_equal(const oracle::WritePlan& library, const oracle::WritePlan& oracle) {
  EXPECT_EQ(library.num_requests, oracle.num_requests);
  EXPECT_EQ(library.malformed, oracle.malformed);
  EXPECT_EQ(library.offsets, oracle.offsets);
  EXPECT_EQ(library.seed_slots, oracle.seed_slots);
  EXPECT_EQ(library.request_rows, oracle.request_rows);
}

inline void expect_equal(const oracle::VerifyPlan& library, const oracle::VerifyPlan& oracle) {
  EXPECT_EQ(library.enabled, oracle.enabled);
  EXPECT_EQ(library.num_entries, oracle.num_entries);
  EXPECT_EQ(library.required_entries, oracle.required_entries);
  EXPECT_EQ(library.malformed, oracle.malformed);
  EXPECT_EQ(library.overflows, oracle.overflows);
  for (std::size_t e = 0; e < oracle.entries.size(); ++e) {
    ASSERT_EQ(fields(library.entries[e]), fields(oracle.entries[e])) << "entry " << e;
  }
}

/// As sets: the order of violations is unspecified.
inline void expect_equal(oracle::Report library, oracle::Report oracle) {
  std::ranges::sort(library.violations);
  std::ranges::sort(oracle.violations);
  EXPECT_EQ(library.violations, oracle.violations);
  EXPECT_EQ(library.total, oracle.total);
  for (std::size_t tag = 0; tag < oracle.counts.size(); ++tag) {
    EXPECT_EQ(library.counts[tag].launches, oracle.counts[tag].launches) << "tag " << tag;
    EXPECT_EQ(library.counts[tag].entries, oracle.counts[tag].entries) << "tag " << tag;
    EXPECT_EQ(library.counts[tag].disabled, oracle.counts[tag].disabled) << "tag " << tag;
  }
}

/// Byte for byte, but for the records of `contested` slots.
inline void expect_equal(const std::vector<oracle::Endpoint>& library,
                         const std::vector<oracle::Endpoint>& oracle,
                         const std::set<std::int64_t>& contested) {
  for (std::size_t i = 0; i < oracle.size(); ++i) {
    if (library[i].canary == oracle[i].canary) continue;
    for (std::size_t at = 0; at < oracle[i].canary.size(); ++at) {
      const auto slot = static_cast<std::int64_t>(at) / oracle[i].stride;
      const auto column = static_cast<std::int64_t>(at) % oracle[i].stride;
      if (column < 32 && contested.contains(slot)) continue;
      ASSERT_EQ(library[i].canary[at], oracle[i].canary[at])
          << "endpoint " << i << ", slot " << slot << ", byte " << column;
    }
  }
}

/// Room for what the oracle found, and for nothing more.
inline std::int64_t log_capacity(const oracle::Report& report) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(report.violations.size()));
}

}  // namespace check

/// `plans` go in as an earlier step left them, and come back filled.
template <class Space>
void check_plan(const Layout& layout, const oracle::RequestBatch& batch, Plans& plans) {
  Plans library = plans;
  Library<Space>::plan(layout, batch, library.write, library.verify);
  oracle::plan(batch, plans.write, plans.verify);
  check::expect_equal(library.write, plans.write);
  check::expect_equal(library.verify, plans.verify);
  invariant::expect_write_plan(batch, library.write);
  invariant::expect_verify_plan(batch, library.write.num_requests, library.verify);
}

/// Several jobs in one launch of a shape; the endpoints stay as they were.
template <class Space>
void check_write_shape(const Layout& layout, const std::vector<WriteCall>& jobs, WriteShape shape) {
  SCOPED_TRACE(testing::Message() << "launch shape " << static_cast<int>(shape));
  std::vector<std::vector<oracle::Endpoint>> expected, library;
  for (const WriteCall& job : jobs) expected.push_back(*job.endpoints);
  library = expected;
  oracle::Report report, library_report;
  std::vector<WriteCall> calls = jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    oracle::write(*jobs[i].plan, *jobs[i].batch, expected[i], report);
    calls[i].endpoints = &library[i];
  }
  Library<Space>::write(layout, calls, shape, check::log_capacity(report), library_report);
  check::expect_equal(library_report, report);
  invariant::expect_report(library_report);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& [plan, batch, before] = jobs[i];
    check::expect_equal(library[i], expected[i], contested_slots(*plan, *batch));
    invariant::expect_only_batch_slots(*plan, *batch, *before, library[i]);
  }
}

/// In every launch shape.
template <class Space>
void check_write_jobs(const Layout& layout, const std::vector<WriteCall>& jobs) {
  check_write_shape<Space>(layout, jobs, WriteShape::unhinted);
  check_write_shape<Space>(layout, jobs, WriteShape::hinted);
  // On a device, the hint chooses it.
  if (runs_host_kernels<Space>) {
    check_write_shape<Space>(layout, jobs, WriteShape::by_thread);
  }
}

/// The endpoints come back with what was written.
template <class Space>
oracle::Report check_write(const Layout& layout, const oracle::WritePlan& plan,
                           const oracle::TokenBatch& batch,
                           std::vector<oracle::Endpoint>& endpoints) {
  check_write_jobs<Space>(layout, {{&plan, &batch, &endpoints}});
  oracle::Report report;
  oracle::write(plan, batch, endpoints, report);
  return report;
}

/// Several jobs in one call of write_requests, with the hint and without it; the endpoints stay as
/// they were.
template <class Space>
oracle::Report check_write_requests(const Layout& layout,
                                    const std::vector<oracle::StepJob>& jobs) {
  std::vector<std::vector<oracle::Endpoint>> expected, before;
  std::vector<oracle::WritePlan> plans;  // what the requests would be in one
  for (const oracle::StepJob& job : jobs) {
    before.push_back(*job.endpoints);
    plans.push_back(oracle::write_plan_of(*job.requests));
  }
  expected = before;
  oracle::Report report;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    oracle::write_requests(*jobs[i].requests, *jobs[i].tokens, expected[i], report);
  }
  for (const WriteShape shape : {WriteShape::unhinted, WriteShape::hinted}) {
    SCOPED_TRACE(testing::Message() << "launch shape " << static_cast<int>(shape));
    std::vector<std::vector<oracle::Endpoint>> library = before;
    std::vector<oracle::StepJob> calls = jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) calls[i].endpoints = &library[i];
    oracle::Report library_report;
    Library<Space>::write_requests(layout, calls, shape, check::log_capacity(report),
                                   library_report);
    check::expect_equal(library_report, report);
    invariant::expect_report(library_report);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      check::expect_equal(library[i], expected[i], contested_slots(plans[i], *jobs[i].tokens));
      invariant::expect_only_batch_slots(plans[i], *jobs[i].tokens, before[i], library[i]);
    }
  }
  return report;
}

template <class Space>
oracle::Report check_verify(const Layout& layout, const oracle::VerifyPlan& plan,
                            const std::vector<oracle::Endpoint>& endpoints) {
  oracle::Report report, library_report;
  oracle::verify(plan, endpoints, report);
  Library<Space>::verify(layout, plan, endpoints, check::log_capacity(report), library_report);
  check::expect_equal(library_report, report);
  invariant::expect_report(library_report);
  return report;
}

template <class Space>
oracle::Report check_verify_requests(const Layout& layout,
                                     const std::vector<oracle::VerifyJob>& jobs) {
  oracle::Report report, library_report;
  oracle::verify_requests(jobs, report);
  Library<Space>::verify_requests(layout, jobs, check::log_capacity(report), library_report);
  check::expect_equal(library_report, report);
  invariant::expect_report(library_report);
  return report;
}

namespace check {

/// The operations of a step in the oracle. What ends with the last token is verified after it was
/// written.
inline oracle::Report planned_step(const Step& step, Plans& plans,
                                   std::vector<oracle::Endpoint>& endpoints) {
  const bool after_write = step.batch.verify_end != oracle::VerifyEnd::prefix;
  oracle::Report report;
  oracle::plan(step.batch, plans.write, plans.verify);
  if (!after_write) oracle::verify(plans.verify, endpoints, report);
  oracle::write(plans.write, step.tokens, endpoints, report);
  if (after_write) oracle::verify(plans.verify, endpoints, report);
  return report;
}

}  // namespace check

/// A whole step, plan, verify and write in one go; the endpoints come back with what was written.
template <class Space>
oracle::Report check_planned_step(const Layout& layout, const Step& step,
                                  std::vector<oracle::Endpoint>& endpoints) {
  const std::vector<oracle::Endpoint> before = endpoints;
  std::vector<oracle::Endpoint> library = endpoints;
  check_write_requests<Space>(layout, {{&step.batch, &step.tokens, &library}});
  Plans plans = stale_plans(step.max_requests, step.max_entries);
  Plans library_plans = plans;
  const oracle::Report report = check::planned_step(step, plans, endpoints);
  oracle::Report library_report;
  Library<Space>::planned_step(layout, step, library_plans, library, check::log_capacity(report),
                               library_report);
  check::expect_equal(library_plans.write, plans.write);
  check::expect_equal(library_plans.verify, plans.verify);
  check::expect_equal(library_report, report);
  check::expect_equal(library, endpoints, contested_slots(plans.write, step.tokens));
  invariant::expect_write_plan(step.batch, library_plans.write);
  invariant::expect_verify_plan(step.batch, library_plans.write.num_requests, library_plans.verify);
  invariant::expect_only_batch_slots(plans.write, step.tokens, before, library);
  invariant::expect_report(library_report);
  return report;
}

namespace check {

/// As sets, but for what is said of `affected` positions, which is unspecified.
inline void expect_equal(oracle::Report library, oracle::Report oracle,
                         const std::set<StepPosition>& affected) {
  if (affected.empty()) return expect_equal(std::move(library), std::move(oracle));
  std::ranges::sort(library.violations);
  std::ranges::sort(oracle.violations);
  std::vector<oracle::Violation> differing;
  std::ranges::set_symmetric_difference(library.violations, oracle.violations,
                                        std::back_inserter(differing));
  for (const oracle::Violation& row : differing) {
    const StepPosition position{row.launch_tag, row.entry, row.expected_position};
    EXPECT_TRUE(affected.contains(position)) << row;
  }
  EXPECT_EQ(library.total, library.violations.size());
  EXPECT_EQ(library.counts, oracle.counts);
}

}  // namespace check

/// Several jobs in one call of step, with the hint and without it; the endpoints stay as they were.
template <class Space>
oracle::Report check_step(const Layout& layout, oracle::StepSide side,
                          const std::vector<oracle::StepJob>& jobs) {
  std::vector<std::vector<oracle::Endpoint>> before;
  for (const oracle::StepJob& job : jobs) before.push_back(*job.endpoints);
  const auto on = [&](std::vector<std::vector<oracle::Endpoint>>& endpoints) {
    std::vector<oracle::StepJob> calls = jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) calls[i].endpoints = &endpoints[i];
    return calls;
  };
  std::vector<std::vector<oracle::Endpoint>> expected = before;
  oracle::Report report;
  oracle::step(side, on(expected), report);
  const std::set<StepPosition> affected = affected_positions(side, jobs);
  for (const WriteShape shape : {WriteShape::unhinted, WriteShape::hinted}) {
    SCOPED_TRACE(testing::Message() << "side " << static_cast<int>(side) << ", launch shape "
                                    << static_cast<int>(shape));
    std::vector<std::vector<oracle::Endpoint>> library = before;
    oracle::Report library_report;
    const auto room = static_cast<std::int64_t>(affected.size());
    Library<Space>::step(layout, side, on(library), shape, check::log_capacity(report) + room,
                         library_report);
    check::expect_equal(library_report, report, affected);
    invariant::expect_report(library_report);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const oracle::WritePlan plan = oracle::write_plan_of(*jobs[i].requests);
      check::expect_equal(library[i], expected[i], contested_slots(plan, *jobs[i].tokens));
      invariant::expect_only_batch_slots(plan, *jobs[i].tokens, before[i], library[i]);
    }
  }
  return report;
}
