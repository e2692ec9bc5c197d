#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "oracle/plan.hpp"
#include "oracle/report.hpp"
#include "tests/support/written_slots.hpp"

/// \file
/// What must hold for the inputs and outputs of any call, whatever the oracle says. They are looked
/// at on the library's own results.
namespace invariant {

/// Lengths of one request, 0 where they can't be.
struct Lengths {
  std::int64_t prefix = 0, extend = 0;
};

inline Lengths sane_lengths(const oracle::RequestBatch& batch, std::int64_t r) {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  if (batch.rows_given && batch.padding_row == batch.request_rows[r]) return {};
  const auto sane = [](std::int64_t length) { return length >= 0 && length < limit ? length : 0; };
  Lengths lengths{sane(batch.prefix_lengths[r]), sane(batch.extend_lengths[r])};
  if (lengths.prefix + lengths.extend >= limit) lengths.extend = 0;
  return lengths;
}

/// Offsets grow by the extend lengths of real rows up to the last request, and seeds are there when
/// there is a prefix to go on from.
inline void expect_write_plan(const oracle::RequestBatch& batch, const oracle::WritePlan& plan) {
  ASSERT_GE(plan.num_requests, 0);
  ASSERT_LE(plan.num_requests, static_cast<std::int64_t>(batch.prefix_lengths.size()));
  EXPECT_EQ(plan.offsets[0], 0);
  for (std::int64_t r = 0; r < plan.num_requests; ++r) {
    const auto [prefix, extend] = sane_lengths(batch, r);
    EXPECT_EQ(plan.offsets[r + 1] - plan.offsets[r], extend) << "request " << r;
    EXPECT_EQ(plan.seed_slots[r] == oracle::no_slot, prefix == 0 || extend == 0) << "request " << r;
    EXPECT_EQ(plan.request_rows[r], oracle::row_of(batch, r)) << "request " << r;
  }
  for (std::size_t r = plan.num_requests; r < plan.offsets.size(); ++r) {
    EXPECT_EQ(plan.offsets[r], plan.offsets[plan.num_requests]) << "request " << r;
  }
}

/// Entry e follows entry e - 1 of the same request.
inline void expect_successor(const oracle::VerifyEntry& before, const oracle::VerifyEntry& entry,
                             std::int64_t e) {
  EXPECT_EQ(entry.position, before.position + 1) << "entry " << e;
  EXPECT_EQ(entry.predecessor, before.slot) << "entry " << e;
  EXPECT_EQ(entry.request_row, before.request_row) << "entry " << e;
}

/// The entries of each request are consecutive positions up to its end, linked by their slots.
inline void expect_verify_plan(const oracle::RequestBatch& batch, std::int64_t num_requests,
                               const oracle::VerifyPlan& plan) {
  const auto capacity = static_cast<std::int64_t>(plan.entries.size());
  EXPECT_EQ(plan.enabled, plan.required_entries <= capacity ? 1 : 0);
  EXPECT_EQ(plan.num_entries, std::min(plan.required_entries, capacity));
  if (plan.enabled == 0) return;

  std::int64_t e = 0;
  for (std::int64_t r = 0; r < num_requests; ++r) {
    const auto [prefix, extend] = sane_lengths(batch, r);
    const std::int64_t end =
        batch.verify_end != oracle::VerifyEnd::prefix ? prefix + extend : prefix;
    const std::int64_t window_end =
        batch.verify_end == oracle::VerifyEnd::whole_step ? prefix : end;
    const std::int64_t window =
        (batch.window > 0 ? std::min(batch.window, window_end) : window_end) + end - window_end;
    ASSERT_LE(e + window, plan.num_entries);
    for (std::int64_t last = e + window, first = e; e < last; ++e) {
      const oracle::VerifyEntry& entry = plan.entries[e];
      EXPECT_EQ(entry.position, end - (last - e)) << "entry " << e;
      EXPECT_EQ(entry.request_row, oracle::row_of(batch, r)) << "entry " << e;
      EXPECT_EQ(entry.predecessor == oracle::no_slot, entry.position == 0) << "entry " << e;
      EXPECT_TRUE(entry.slot >= 0 || entry.slot == oracle::invalid_slot) << "entry " << e;
      if (e > first) expect_successor(plan.entries[e - 1], entry, e);
    }
  }
  EXPECT_EQ(e, plan.num_entries);
}

/// Nothing but the records of slots in the batch changes.
inline void expect_only_batch_slots(const oracle::WritePlan& plan, const oracle::TokenBatch& batch,
                                    const std::vector<oracle::Endpoint>& before,
                                    const std::vector<oracle::Endpoint>& after) {
  const std::map<std::int64_t, Writer> by_slot = writers(plan, batch);
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t at = 0; at < before[i].canary.size(); ++at) {
      const auto slot = static_cast<std::int64_t>(at) / before[i].stride;
      const auto column = static_cast<std::int64_t>(at) % before[i].stride;
      if (before[i].canary[at] == after[i].canary[at]) continue;
      ASSERT_LT(column, 32) << "padding of slot " << slot << " changed, endpoint " << i;
      ASSERT_TRUE(by_slot.contains(slot)) << "slot " << slot << " changed, endpoint " << i;
    }
  }
}

/// Every violation has known reasons, and comes from a launch that was counted.
inline void expect_report(const oracle::Report& report) {
  constexpr std::int64_t known = 255 | oracle::bit::padding_read;
  EXPECT_GE(report.total, report.violations.size());
  for (const oracle::Violation& violation : report.violations) {
    EXPECT_GT(violation.fail_bits, 0) << violation;
    EXPECT_EQ(violation.fail_bits & ~known, 0) << violation;
    const oracle::TagCounts& counts = report.counts.at(violation.launch_tag);
    EXPECT_GE(counts.launches + counts.disabled, 1U) << violation;
  }
}

}  // namespace invariant
