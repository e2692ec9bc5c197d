#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/written_batch.hpp"

/// \file
/// Batches that ask for what is not there, or for nothing, and what verify_requests must say.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

template <class Space>
class VerifyRequestsMalformedTest : public VerifyRequestsTest<Space> {};
TYPED_TEST_SUITE(VerifyRequestsMalformedTest, OperationSpaces, SpaceName);

/// Lengths of padded requests are not looked at.
TYPED_TEST(VerifyRequestsMalformedTest, PaddingRows) {
  for (const std::int64_t row : {0, 1, -1}) {
    VerifyJob job = job_of({5, 300, 2}, 1);
    job.batch.padding_row = row;
    job.batch.request_rows[0] = row;
    job.batch.prefix_lengths[0] = -3;
    job.batch.extend_lengths[0] = INT64_MAX;
    const oracle::Report report = check_verify_requests<TypeParam>({}, {job});
    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 302}));
  }
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
  for (const std::int64_t wanted : {std::int64_t{-1}, INT64_MIN}) {
    job.batch.num_requests = wanted;
    EXPECT_EQ(TestFixture::run({job}), std::vector<Violation>{build::plan_violation(0, 0)});
  }
  for (const std::int64_t wanted : {std::int64_t{3}, INT64_MAX}) {
    job.batch.num_requests = wanted;
    EXPECT_EQ(TestFixture::run({job}), std::vector<Violation>{build::plan_violation(0, 305)});
  }
}

TYPED_TEST(VerifyRequestsMalformedTest, MalformedLengths) {
  const VerifyJob good = job_of({5, 300}, 16, 63);
  for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{1} << 30, INT64_MAX}) {
    VerifyJob job = good;
    job.batch.extend_lengths[1] = length;
    EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(63, 305)}));
    job.batch.prefix_lengths[1] = length;
    EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(63, 5)}));
    job.extends_given = false;
    EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(63, 5)}));
  }
  VerifyJob job = good;
  job.batch.extend_lengths.clear();
  job.extends_given = false;
  EXPECT_TRUE(TestFixture::run({job}).empty()) << "extend lengths that are not given are right";
}

/// Together too long: the extend is taken as 0.
TYPED_TEST(VerifyRequestsMalformedTest, SumOfLengths) {
  VerifyJob job = job_of({5, 300}, 16);
  for (const auto end : {oracle::VerifyEnd::prefix, oracle::VerifyEnd::last_token}) {
    job.batch.verify_end = end;
    job.batch.extend_lengths = {0, (std::int64_t{1} << 30) - 300};
    EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(0, 305)}));
  }
  job.batch.verify_end = oracle::VerifyEnd::prefix;
  --job.batch.extend_lengths[1];
  EXPECT_TRUE(TestFixture::run({job}).empty());
}

/// The last token of a malformed request is that of its prefix, or of its extend.
TYPED_TEST(VerifyRequestsMalformedTest, LastTokenOfMalformedLengths) {
  VerifyJob job = job_of({5, 300}, 16);
  job.batch.verify_end = oracle::VerifyEnd::last_token;
  job.batch.prefix_lengths = {-1, 250};
  job.batch.extend_lengths = {5, 50};
  EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(0, 305)}));
  job.batch.extend_lengths = {5, -1};
  EXPECT_EQ(TestFixture::run({job}), (std::vector<Violation>{build::plan_violation(0, 255)}));
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
  for (const std::int64_t entry : {std::int64_t{-1}, std::int64_t{INT32_MIN}, std::int64_t{1000},
                                   std::int64_t{INT32_MAX}, std::int64_t{1} << 32, INT64_MAX}) {
    for (const std::int64_t page_size : {1, 3, 64}) {
      VerifyJob job = job_of({200}, page_size);
      job.batch.table.entries[job.batch.table.num_columns + 1] = entry;
      EXPECT_GE(TestFixture::run({job}).size(), 2U);
    }
  }
}

/// Entries that the table has no page for are gone, and inside a prefix that is out of bounds.
TYPED_TEST(VerifyRequestsMalformedTest, GoneInsideTheWindow) {
  VerifyJob job = job_of({200}, 16);
  job.batch.table.entries[job.batch.table.num_columns + 3] = -1;  // positions 48 to 63
  const std::vector<Violation> found = TestFixture::run({job});
  EXPECT_EQ(found.size(), 17U) << "and the one after them";
  for (const Violation& violation : found) {
    EXPECT_EQ(violation.fail_bits, bit::slot_out_of_bounds);
    EXPECT_EQ(violation.slot == oracle::invalid_slot, violation.expected_position < 64);
  }
}

/// A garbage length is reported in no more time than the log takes.
TYPED_TEST(VerifyRequestsMalformedTest, HugeLength) {
  VerifyJob job = job_of({5, 300, 4}, 16);
  constexpr std::int64_t huge = (std::int64_t{1} << 30) - 1;
  job.batch.prefix_lengths[1] = huge;
  job.batch.extend_lengths[1] = 0;
  oracle::Report report;
  Library<TypeParam>::verify_requests({}, {job}, 40, report);
  // The table has slots up to position 304, of which those from 300 on were never written.
  const std::uint64_t entries = 5 + huge + 4;
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, entries}));
  EXPECT_EQ(report.total, entries - 309);
  EXPECT_EQ(report.violations.size(), 40U);
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.entry, 1);
    EXPECT_EQ(violation.request_row, 2);
    EXPECT_GE(violation.expected_position, 300);
    EXPECT_LT(violation.expected_position, huge);
    EXPECT_EQ(violation.fail_bits == bit::slot_out_of_bounds, violation.expected_position >= 304);
  }
}

TYPED_TEST(VerifyRequestsMalformedTest, KVRowOutOfRange) {
  const oracle::RequestBatch batch = batch_of({300}, 16);
  for (const Ints& read_bytes : {Ints{16}, Ints{16, 16, 8}}) {
    VerifyJob job{batch, {written(batch, 3, KVMode::all, read_bytes)}};
    oracle::KVSource& source = job.endpoints[0].sources.back();
    source.num_rows = slot_of(job, 0, 200);
    source.bytes.resize(source.num_rows * source.row_stride);
    EXPECT_FALSE(TestFixture::run({job}).empty());
  }
}

}  // namespace
