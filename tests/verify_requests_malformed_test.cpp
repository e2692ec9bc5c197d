#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/written_batch.hpp"

/// \file
/// Batches that ask for what is not there, or for nothing, and what verify_requests must say.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

template <class Space>
class VerifyRequestsMalformedTest : public VerifyRequestsTest<Space> {};
TYPED_TEST_SUITE(VerifyRequestsMalformedTest, Spaces, SpaceName);

TYPED_TEST(VerifyRequestsMalformedTest, PaddingRowsAndSlots) {
  VerifyJob job = job_of({5, 300, 2}, 1);
  job.batch.request_rows[0] = 0;
  job.batch.prefix_lengths[0] = -3;
  job.batch.table.entries[2 * job.batch.table.num_columns + 7] = 0;
  const oracle::Report report = check_verify_requests<TypeParam>({}, {job});
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 301}));
}

TYPED_TEST(VerifyRequestsMalformedTest, NothingToDo) {
  TestFixture::expect_clean(job_of({}, 16));
  TestFixture::expect_clean(job_of({0, 0}, 16));
  VerifyJob job = job_of({7}, 1);
  job.batch.num_requests = 0;
  EXPECT_EQ(check_verify_requests<TypeParam>({}, {job}).counts[0], (oracle::TagCounts{1, 0}));
  job.batch.request_rows = {0};
  job.batch.num_requests = 1;
  EXPECT_EQ(check_verify_requests<TypeParam>({}, {job}).counts[0], (oracle::TagCounts{1, 0}));
}

TYPED_TEST(VerifyRequestsMalformedTest, NumRequestsOutOfRange) {
  VerifyJob job = job_of({5, 300}, 16);
  const auto malformed = [](std::int64_t entries) {
    return std::vector<Violation>{{0, -1, -1, 0, -1, 0, entries, bit::malformed_plan, -1, -1}};
  };
  for (const std::int64_t wanted : {std::int64_t{-1}, INT64_MIN}) {
    job.batch.num_requests = wanted;
    EXPECT_EQ(TestFixture::run({job}), malformed(0));
  }
  for (const std::int64_t wanted : {std::int64_t{3}, INT64_MAX}) {
    job.batch.num_requests = wanted;
    EXPECT_EQ(TestFixture::run({job}), malformed(305));
  }
}

TYPED_TEST(VerifyRequestsMalformedTest, MalformedLengths) {
  const VerifyJob good = job_of({5, 300}, 16);
  for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{1} << 30, INT64_MAX}) {
    VerifyJob job = good;
    job.batch.extend_lengths[1] = length;
    EXPECT_EQ(TestFixture::run({job}).at(0).expected_aux, 305);
    job.batch.prefix_lengths[1] = length;
    EXPECT_EQ(TestFixture::run({job}).at(0).expected_aux, 5);
    job.batch.extend_lengths.clear();
    EXPECT_EQ(TestFixture::run({job}).size(), 1U);
  }
  VerifyJob job = good;
  job.batch.extend_lengths.clear();
  EXPECT_TRUE(TestFixture::run({job}).empty()) << "extend lengths that are not given are right";
}

/// Positions that the table does not reach are out of bounds, as are rows that it does not have.
TYPED_TEST(VerifyRequestsMalformedTest, TableTooSmall) {
  const VerifyJob good = job_of({300, 100}, 16);
  for (const std::int64_t columns : {0, 1, 4, 16, 18}) {
    VerifyJob job = good;
    job.batch.table.num_columns = columns;
    job.batch.expected = expected_of(good.batch, 0);
    EXPECT_GE(TestFixture::run({job}).size(), 12U);
    job.batch.window = 3;
    EXPECT_GE(TestFixture::run({job}).size(), 3U);
  }
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{3}, INT64_MAX, INT64_MIN}) {
    VerifyJob job = good;
    job.batch.request_rows[1] = row;
    EXPECT_EQ(TestFixture::run({job}).size(), 100U);
  }
}

TYPED_TEST(VerifyRequestsMalformedTest, TableEntriesOutOfRange) {
  for (const std::int32_t entry : {-1, INT32_MIN, 1000, INT32_MAX}) {
    for (const std::int64_t page_size : {1, 3, 64}) {
      VerifyJob job = job_of({200}, page_size);
      job.batch.table.entries[job.batch.table.num_columns + 1] = entry;
      EXPECT_GE(TestFixture::run({job}).size(), 2U);
    }
  }
}

/// A garbage length is reported in no more time than the log takes.
TYPED_TEST(VerifyRequestsMalformedTest, HugeLength) {
  VerifyJob job = job_of({5, 300, 4}, 16);
  constexpr std::int64_t huge = (std::int64_t{1} << 30) - 1;
  job.batch.prefix_lengths[1] = huge;
  oracle::Report report;
  Library<TypeParam>::verify_requests({}, {job}, 40, report);
  // The table has slots up to position 304, of which those from 300 on were never written.
  const std::uint64_t entries = 5 + huge + 4;
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, entries}));
  EXPECT_EQ(report.total, entries - 309);
  EXPECT_EQ(report.violations.size(), 40U);
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.entry, violation.position + 5);
    EXPECT_EQ(violation.request_row, 2);
    EXPECT_EQ(violation.fail_bits == bit::slot_out_of_bounds, violation.position >= 304);
  }
}

TYPED_TEST(VerifyRequestsMalformedTest, KVRowOutOfRange) {
  const oracle::PlanBatch batch = batch_of({300}, 16);
  for (const Ints& read_bytes : {Ints{16}, Ints{16, 16, 8}}) {
    VerifyJob job{batch, {written(batch, 3, KVMode::all, read_bytes)}};
    oracle::KVSource& source = job.endpoints[0].sources.back();
    source.num_rows = slot_of(job, 0, 200);
    source.bytes.resize(source.num_rows * source.row_stride);
    EXPECT_FALSE(TestFixture::run({job}).empty());
  }
}

}  // namespace
