#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/builders.hpp"
#include "tests/support/run_case.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Batches in which everything is wrong: a report takes a time that is linear in what is wrong and,
/// where the table reaches no position, in no more than the log. In a time that were quadratic,
/// these tests would take hours.
namespace {

using build::Ints;
using oracle::Violation;
namespace bit = oracle::bit;

constexpr std::int64_t many = sanitizer::is_on ? 1 << 16 : 1 << 20;
constexpr std::int64_t longest = (std::int64_t{1} << 30) - 1;
constexpr std::int64_t capacity = 1000;
constexpr oracle::Chain both_chains[] = {oracle::Chain::splitmix, oracle::Chain::polynomial};

/// Requests that all read the same row of the table, whose slots hold no record.
oracle::VerifyJob job_of(std::int64_t requests, std::int64_t length, std::int64_t columns) {
  oracle::SlotTable table{{}, 1, columns, columns, 1};
  for (std::int64_t c = 0; c < columns; ++c) {
    table.entries.push_back(c + 1);
  }
  oracle::RequestBatch batch{
      Ints(requests, 0), Ints(requests, length), Ints(requests, 0), {}, table};
  batch.padding_row.reset();
  return {batch, {build::endpoint(5, columns + 1)}};
}

template <class Space>
class LinearReportTest : public SpaceTest<Space> {
 protected:
  static constexpr Layout layout{~0U, 0};

  static oracle::Report verify(const oracle::VerifyJob& job) {
    oracle::Report report;
    Library<Space>::verify_requests(layout, {job}, capacity, report);
    return report;
  }

  /// The log is full of different entries, which are all wrong for the same reason.
  static void expect_full(const oracle::Report& report, std::int64_t total, std::int64_t bits) {
    EXPECT_EQ(report.total, static_cast<std::uint64_t>(total));
    ASSERT_EQ(report.violations.size(), static_cast<std::size_t>(capacity));
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (const Violation& violation : report.violations) {
      EXPECT_EQ(violation.fail_bits, bits);
      EXPECT_EQ(violation.launch_tag, 5);
      places.emplace(violation.entry, violation.expected_position);
    }
    EXPECT_EQ(places.size(), report.violations.size());
  }
};
TYPED_TEST_SUITE(LinearReportTest, Spaces, SpaceName);

constexpr std::int64_t all_wrong = bit::chain_hash | bit::position | bit::kv_hash;

TYPED_TEST(LinearReportTest, ManyRequests) {
  const oracle::Report report = TestFixture::verify(job_of(many, 1, 1));
  TestFixture::expect_full(report, many, all_wrong);
  EXPECT_EQ(report.counts[5], (oracle::TagCounts{1, static_cast<std::uint64_t>(many)}));
}

TYPED_TEST(LinearReportTest, ManyRequestsOutOfTheTable) {
  oracle::VerifyJob job = job_of(many, 3, 1);
  job.batch.request_rows.assign(many, 7);
  TestFixture::expect_full(TestFixture::verify(job), 3 * many, bit::slot_out_of_bounds);
}

TYPED_TEST(LinearReportTest, ManyMalformedRequests) {
  const oracle::Report report = TestFixture::verify(job_of(many, -1, 1));
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].fail_bits, bit::malformed_plan);
  EXPECT_EQ(report.violations[0].expected_aux, 0);
}

TYPED_TEST(LinearReportTest, ManyEntries) {
  constexpr std::int64_t length = sanitizer::is_on ? 100 : 4000;
  TestFixture::expect_full(TestFixture::verify(job_of(1000, length, length)), 1000 * length,
                           all_wrong);
}

/// Garbage lengths: a thousand times a billion positions, of which the table has a hundred.
TYPED_TEST(LinearReportTest, ManyEntriesBeyondTheTable) {
  oracle::VerifyJob job = job_of(1000, longest, 100);
  const oracle::Report report = TestFixture::verify(job);
  EXPECT_EQ(report.total, static_cast<std::uint64_t>(1000 * longest));
  EXPECT_EQ(report.violations.size(), static_cast<std::size_t>(capacity));
  EXPECT_EQ(report.counts[5].entries, static_cast<std::uint64_t>(1000 * longest));
  job.batch.request_rows.assign(1000, -1);
  TestFixture::expect_full(TestFixture::verify(job), 1000 * longest, bit::slot_out_of_bounds);
}

/// The windows of garbage lengths lie behind all that the table has.
TYPED_TEST(LinearReportTest, ManyWindowsBeyondTheTable) {
  oracle::VerifyJob job = job_of(many, longest, 100);
  job.batch.window = 1000;
  TestFixture::expect_full(TestFixture::verify(job), 1000 * many, bit::slot_out_of_bounds);
}

/// Seeds that nobody has, of requests that write nothing; and offsets that can't be.
TYPED_TEST(LinearReportTest, ManySeedsAndOffsets) {
  oracle::WritePlan plan = build::write_plan(Ints(many, 0), Ints(many, oracle::no_slot));
  const oracle::TokenBatch batch{{1, 2}, {0, 1}, {1, 2}};
  std::vector<oracle::Endpoint> endpoints = {build::endpoint(5, 4)};
  const auto write = [&] {
    oracle::Report report;
    Library<TypeParam>::write(TestFixture::layout, {{&plan, &batch, &endpoints}},
                              WriteShape::unhinted, capacity, report);
    return report;
  };
  const Ints good_offsets = plan.offsets;
  for (const oracle::Chain chain : both_chains) {
    endpoints[0].chain = chain;
    plan.offsets = good_offsets;
    plan.seed_slots.assign(many, 99);
    TestFixture::expect_full(write(), many, bit::slot_out_of_bounds);
    plan.seed_slots.assign(many, oracle::no_slot);
    plan.offsets.assign(many + 1, 7);
    TestFixture::expect_full(write(), many, bit::malformed_plan);
  }
}

/// A thousand requests of which every entry is out of range.
TYPED_TEST(LinearReportTest, ManyWrites) {
  constexpr std::int64_t length = sanitizer::is_on ? 20 : 1000;
  const oracle::WritePlan plan = build::write_plan(Ints(1000, length), Ints(1000, oracle::no_slot));
  const oracle::TokenBatch batch{Ints(1000 * length, 3), Ints(1000 * length, 0),
                                 Ints(1000 * length, 77)};
  std::vector<oracle::Endpoint> endpoints = {build::endpoint(5, 4)};
  for (const oracle::Chain chain : both_chains) {
    endpoints[0].chain = chain;
    oracle::Report report;
    Library<TypeParam>::write(TestFixture::layout, {{&plan, &batch, &endpoints}},
                              WriteShape::unhinted, capacity, report);
    EXPECT_EQ(report.total, static_cast<std::uint64_t>(1000 * length));
    std::set<std::int64_t> entries;
    for (const Violation& violation : report.violations) entries.insert(violation.entry);
    EXPECT_EQ(entries.size(), static_cast<std::size_t>(capacity));
  }
}

}  // namespace
