#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "builders.hpp"
#include "check.hpp"
#include "oracle/record.hpp"
#include "oracle/write.hpp"
#include "spaces.hpp"

/// \file
/// Batches whose prefixes are in the pool, damaged or not, and what verify_requests must say.
namespace {

using build::Ints;
using oracle::Endpoint;
using oracle::KVMode;
using oracle::Record;
using oracle::VerifyJob;
using oracle::Violation;
namespace bit = oracle::bit;

/// The ends of tiles and units, and their neighbours.
const Ints boundaries = {0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513};

std::int64_t token_at(std::int64_t row, std::int64_t position) {
  return row * 100'003 + position * 17 + 5;
}

/// Requests in rows 1, 2, ... whose pages lie backwards in the pool; page 0 is nobody's.
oracle::PlanBatch batch_of(const Ints& lengths, std::int64_t page_size) {
  const std::int64_t longest = lengths.empty() ? 0 : std::ranges::max(lengths);
  const std::int64_t columns = longest / page_size + 1;
  const auto requests = static_cast<std::int64_t>(lengths.size());
  oracle::PlanBatch batch{build::iota(requests, 1), lengths, Ints(lengths.size(), 1), {}, {}};
  batch.table = {{}, requests + 1, columns, columns, page_size};
  for (std::int64_t page = (requests + 1) * columns; page > 0; --page) {
    batch.table.entries.push_back(static_cast<std::int32_t>(page));
  }
  return batch;
}

std::int64_t num_slots(const oracle::PlanBatch& batch) {
  return (batch.table.num_rows * batch.table.num_columns + 1) * batch.table.page_size;
}

/// Writes all prefixes of a batch into an endpoint.
void write_prefixes(const oracle::PlanBatch& batch, Endpoint& endpoint) {
  oracle::WriteBatch tokens;
  for (std::size_t r = 0; r < batch.request_rows.size(); ++r) {
    const std::int64_t row = batch.request_rows[r];
    for (std::int64_t p = 0; p < batch.prefix_lengths[r]; ++p) {
      tokens.tokens.push_back(token_at(row, p));
      tokens.positions.push_back(p);
      tokens.slots.push_back(oracle::resolve(batch.table, row, p).slot);
    }
  }
  std::vector<Endpoint> endpoints = {std::move(endpoint)};
  oracle::Report report;
  const Ints seeds(batch.request_rows.size(), oracle::no_slot);
  oracle::write(build::write_plan(batch.prefix_lengths, seeds), tokens, endpoints, report);
  endpoint = std::move(endpoints[0]);
}

/// A buffer for the pool of `batch` that holds its prefixes. `read_bytes` of each KV source.
Endpoint written(const oracle::PlanBatch& batch, int tag = 0, KVMode mode = KVMode::none,
                 const Ints& read_bytes = {}) {
  Endpoint endpoint = build::endpoint(tag, num_slots(batch), 32 + 16 * (tag % 3));
  endpoint.mode = mode;
  for (const std::int64_t bytes : read_bytes) {
    endpoint.sources.push_back(build::kv_source(num_slots(batch), 1, bytes, bytes));
  }
  write_prefixes(batch, endpoint);
  return endpoint;
}

VerifyJob job_of(const Ints& lengths, std::int64_t page_size, int tag = 0) {
  const oracle::PlanBatch batch = batch_of(lengths, page_size);
  return {batch, {written(batch, tag)}};
}

std::int64_t slot_of(const VerifyJob& job, std::size_t r, std::int64_t position) {
  return oracle::resolve(job.batch.table, job.batch.request_rows.at(r), position).slot;
}

void flip(Endpoint& endpoint, std::int64_t slot, std::int64_t Record::* field,
          std::int64_t bits = 1) {
  Record record = oracle::load(endpoint, slot);
  record.*field ^= bits;
  oracle::store(endpoint, slot, record);
}

/// The token table in which every expectation is right.
oracle::ExpectedTokens expected_of(const oracle::PlanBatch& batch, std::int64_t offset) {
  const std::int64_t columns = batch.table.num_columns * batch.table.page_size;
  oracle::ExpectedTokens expected{{}, batch.table.num_rows, columns, columns, {}, offset};
  for (std::int64_t row = 0; row < expected.num_rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      expected.tokens.push_back(token_at(row, c - offset));
    }
  }
  return expected;
}

template <class Space>
class VerifyRequestsTest : public SpaceTest<Space> {
 protected:
  static std::vector<Violation> run(const std::vector<VerifyJob>& jobs) {
    return check_verify_requests<Space>({}, jobs).violations;
  }
  static void expect_clean(const VerifyJob& job) {
    const oracle::Report report = check_verify_requests<Space>({}, {job});
    EXPECT_TRUE(report.violations.empty()) << report.violations.at(0);
    const Ints& lengths = job.batch.prefix_lengths;
    const std::int64_t entries = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    for (const Endpoint& endpoint : job.endpoints) {
      EXPECT_EQ(report.counts[endpoint.tag],
                (oracle::TagCounts{1, static_cast<std::uint64_t>(entries)}));
    }
  }
};
TYPED_TEST_SUITE(VerifyRequestsTest, Spaces, SpaceName);

TYPED_TEST(VerifyRequestsTest, CleanAtEveryBoundary) {
  for (const std::int64_t page_size : {1, 3, 16, 64}) {
    TestFixture::expect_clean(job_of(boundaries, page_size));
    for (const std::int64_t length : boundaries) {
      TestFixture::expect_clean(job_of({length}, page_size));
    }
  }
}

TYPED_TEST(VerifyRequestsTest, OneLongAmongManyShort) {
  Ints lengths(200);
  for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = static_cast<std::int64_t>(r % 7);
  lengths[123] = 3000;
  VerifyJob job = job_of(lengths, 16);
  TestFixture::expect_clean(job);
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    if (lengths[r] > 0) flip(job.endpoints[0], slot_of(job, r, lengths[r] - 1), &Record::position);
  }
  for (std::int64_t p = 1; p < 3000; p *= 2) {
    flip(job.endpoints[0], slot_of(job, 123, p), &Record::prev_hash);
  }
  EXPECT_GT(TestFixture::run({job}).size(), 180U);
}

/// As many requests as lanes of a team, and around that.
TYPED_TEST(VerifyRequestsTest, NumbersOfRequests) {
  for (const std::int64_t requests : {1, 2, 127, 128, 129, 255, 256, 257, 1000}) {
    Ints lengths(requests, 3);
    lengths.back() = 300;
    VerifyJob job = job_of(lengths, 1);
    TestFixture::expect_clean(job);
    flip(job.endpoints[0], slot_of(job, requests - 1, 299), &Record::token);
    flip(job.endpoints[0], slot_of(job, requests - 1, 298), &Record::token);
    EXPECT_EQ(TestFixture::run({job}).at(0).entry, 3 * (requests - 1) + 299);
  }
}

TYPED_TEST(VerifyRequestsTest, EveryFieldOfARecordAtEveryBoundary) {
  const VerifyJob good = job_of({600, 70}, 16);
  for (const auto field :
       {&Record::token, &Record::position, &Record::prev_hash, &Record::kv_hash}) {
    for (const std::int64_t position : boundaries) {
      VerifyJob job = good;
      flip(job.endpoints[0], slot_of(job, 0, position), field, std::int64_t{1} << 40);
      EXPECT_FALSE(TestFixture::run({job}).empty());
    }
  }
}

TYPED_TEST(VerifyRequestsTest, FieldsOfAViolation) {
  VerifyJob job = job_of({3, 4}, 2, 7);
  const std::int64_t slot = slot_of(job, 1, 2);
  const std::int64_t prev_hash = oracle::load(job.endpoints[0], slot).prev_hash;
  flip(job.endpoints[0], slot, &Record::position, 4);
  Record last = oracle::load(job.endpoints[0], slot_of(job, 1, 3));
  const auto last_hash =
      static_cast<std::int64_t>(oracle::next(oracle::load(job.endpoints[0], slot)));
  EXPECT_THAT(TestFixture::run({job}),
              testing::UnorderedElementsAre(
                  Violation{7, slot, 2, token_at(2, 2), -1, prev_hash, 6, bit::position, 2, 5},
                  Violation{7, slot_of(job, 1, 3), 3, token_at(2, 3), -1, last.prev_hash, last_hash,
                            bit::chain_hash, 2, 6}));
}

TYPED_TEST(VerifyRequestsTest, Window) {
  for (const std::int64_t window : {1, 2, 64, 255, 256, 257, 599, 600, 601}) {
    VerifyJob job = job_of({600, 256, 1, 0}, 16);
    job.batch.window = window;
    EXPECT_TRUE(TestFixture::run({job}).empty());
    flip(job.endpoints[0], slot_of(job, 0, 600 - std::min<std::int64_t>(window, 600)),
         &Record::prev_hash);
    EXPECT_FALSE(TestFixture::run({job}).empty());
  }
}

/// The pool of the window has its slots in another order, and has lost those before the window.
TYPED_TEST(VerifyRequestsTest, Translation) {
  oracle::PlanBatch batch = batch_of({600, 40}, 16);
  Ints to_swa = build::iota(num_slots(batch));
  std::reverse(to_swa.begin() + 1, to_swa.end());
  batch.table.full_to_swa = to_swa;
  VerifyJob job{batch, {written(batch)}};
  job.batch.window = 300;
  const auto evict = [&](std::int64_t position) {
    oracle::SlotTable full = batch.table;
    full.full_to_swa.reset();
    (*job.batch.table.full_to_swa)[oracle::resolve(full, 1, position).slot] = -1;
  };
  for (std::int64_t p = 0; p < 300; ++p) evict(p);
  EXPECT_TRUE(TestFixture::run({job}).empty());
  flip(job.endpoints[0], slot_of(job, 0, 300), &Record::prev_hash);
  EXPECT_EQ(TestFixture::run({job}).size(), 1U) << "the chain before the window is not known";
  evict(556);
  EXPECT_EQ(TestFixture::run({job}).size(), 3U) << "an evicted slot, and the one after it";
  job.batch.table.full_to_swa->resize(200);
  EXPECT_GT(TestFixture::run({job}).size(), 3U);
}

TYPED_TEST(VerifyRequestsTest, PaddingRowsAndSlots) {
  VerifyJob job = job_of({5, 300, 2}, 1);
  job.batch.request_rows[0] = 0;
  job.batch.prefix_lengths[0] = -3;
  job.batch.table.entries[2 * job.batch.table.num_columns + 7] = 0;
  const oracle::Report report = check_verify_requests<TypeParam>({}, {job});
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 301}));
}

TYPED_TEST(VerifyRequestsTest, NothingToDo) {
  TestFixture::expect_clean(job_of({}, 16));
  TestFixture::expect_clean(job_of({0, 0}, 16));
  VerifyJob job = job_of({7}, 1);
  job.batch.num_requests = 0;
  EXPECT_EQ(check_verify_requests<TypeParam>({}, {job}).counts[0], (oracle::TagCounts{1, 0}));
  job.batch.request_rows = {0};
  job.batch.num_requests = 1;
  EXPECT_EQ(check_verify_requests<TypeParam>({}, {job}).counts[0], (oracle::TagCounts{1, 0}));
}

TYPED_TEST(VerifyRequestsTest, NumRequestsOutOfRange) {
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

TYPED_TEST(VerifyRequestsTest, MalformedLengths) {
  const VerifyJob good = job_of({5, 300}, 16);
  for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX}) {
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

TYPED_TEST(VerifyRequestsTest, ExpectedTokens) {
  for (const std::int64_t offset : {0, 1, -1}) {
    VerifyJob job = job_of({300, 9}, 16);
    job.batch.expected = expected_of(job.batch, offset);
    TestFixture::expect_clean(job);
    flip(job.endpoints[0], slot_of(job, 0, 299), &Record::token);
    EXPECT_EQ(TestFixture::run({job}).at(0).fail_bits, bit::verify_token);
    job.batch.expected->valid_lengths = Ints{0, 299 + offset, 100};
    EXPECT_TRUE(TestFixture::run({job}).empty());
    job.batch.expected->num_rows = 1;
    EXPECT_TRUE(TestFixture::run({job}).empty());
  }
}

/// Positions that the table does not reach are out of bounds, as are rows that it does not have.
TYPED_TEST(VerifyRequestsTest, TableTooSmall) {
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

TYPED_TEST(VerifyRequestsTest, TableEntriesOutOfRange) {
  for (const std::int32_t entry : {-1, INT32_MIN, 1000, INT32_MAX}) {
    for (const std::int64_t page_size : {1, 3, 64}) {
      VerifyJob job = job_of({200}, page_size);
      job.batch.table.entries[job.batch.table.num_columns + 1] = entry;
      EXPECT_GE(TestFixture::run({job}).size(), 2U);
    }
  }
}

/// A garbage length is reported in no more time than the log takes.
TYPED_TEST(VerifyRequestsTest, HugeLength) {
  VerifyJob job = job_of({5, 300, 4}, 16);
  constexpr std::int64_t huge = (std::int64_t{1} << 40) - 1;
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

TYPED_TEST(VerifyRequestsTest, KVHashes) {
  const oracle::PlanBatch batch = batch_of({300, 9}, 16);
  for (const KVMode mode : {KVMode::none, KVMode::partial, KVMode::all}) {
    for (const Ints& read_bytes : {Ints{}, Ints{24}, Ints{1024}, Ints{16, 13}, Ints(70, 8)}) {
      VerifyJob job{batch, {written(batch, 3, mode, read_bytes)}};
      TestFixture::expect_clean(job);
      if (read_bytes.empty()) continue;
      for (const std::int64_t position : {0, 3, 4, 127, 128, 255, 256, 299}) {
        const std::int64_t at = slot_of(job, 0, position) * read_bytes.back();
        job.endpoints[0].sources.back().bytes[at] ^= std::byte{1};
      }
      EXPECT_EQ(TestFixture::run({job}).size(), mode == KVMode::none ? 0U : 8U);
    }
  }
}

TYPED_TEST(VerifyRequestsTest, KVRowOutOfRange) {
  const oracle::PlanBatch batch = batch_of({300}, 16);
  for (const Ints& read_bytes : {Ints{16}, Ints{16, 16, 8}}) {
    VerifyJob job{batch, {written(batch, 3, KVMode::all, read_bytes)}};
    oracle::KVSource& source = job.endpoints[0].sources.back();
    source.num_rows = slot_of(job, 0, 200);
    source.bytes.resize(source.num_rows * source.row_stride);
    EXPECT_FALSE(TestFixture::run({job}).empty());
  }
}

/// Buffers of different sizes, of which one is damaged: each is checked on its own.
TYPED_TEST(VerifyRequestsTest, TwelveEndpoints) {
  VerifyJob job{batch_of({300, 9}, 16), {}};
  for (int tag = 0; tag < 12; ++tag) {
    const Ints read_bytes = tag % 4 == 0 ? Ints{} : Ints(tag % 4, 24);
    job.endpoints.push_back(written(job.batch, tag, static_cast<KVMode>(tag % 3), read_bytes));
  }
  TestFixture::expect_clean(job);
  flip(job.endpoints[10], slot_of(job, 0, 256), &Record::position);
  job.endpoints[11].num_slots /= 2;
  job.endpoints[11].canary.resize(job.endpoints[11].num_slots * job.endpoints[11].stride);
  for (const Violation& violation : TestFixture::run({job})) EXPECT_GE(violation.launch_tag, 10);
}

/// Entries count from 0 in each job.
TYPED_TEST(VerifyRequestsTest, TwoJobs) {
  for (const Ints& lengths : {Ints{}, Ints{1}, Ints{300, 2}, Ints(200, 5)}) {
    VerifyJob full = job_of({257, 40}, 16, 0), window = job_of(lengths, 3, 6);
    window.batch.window = 200;
    full.batch.num_requests = 2;
    EXPECT_TRUE(TestFixture::run({full, window}).empty());
    EXPECT_TRUE(TestFixture::run({window, full}).empty());
    flip(full.endpoints[0], slot_of(full, 1, 39), &Record::position);
    if (!lengths.empty()) {
      flip(window.endpoints[0], slot_of(window, 0, lengths[0] - 1), &Record::position);
    }
    window.batch.num_requests = -1;
    EXPECT_EQ(TestFixture::run({full, window}).size(), 2U);
    window.batch.num_requests.reset();
    TestFixture::run({full, window});
    window.endpoints[0].tag = 0;
    TestFixture::run({window, full});
  }
}

/// The same as the library's own plan and verify, and more than these when the plan is too small.
TYPED_TEST(VerifyRequestsTest, EqualsPlanAndVerify) {
  VerifyJob job = job_of({300, 40, 257}, 16);
  job.batch.extend_lengths[1] = -1;
  for (const std::int64_t p : {0, 40, 255, 256}) {
    flip(job.endpoints[0], slot_of(job, 2, p), &Record::position);
  }
  oracle::Report one_pass;
  Library<TypeParam>::verify_requests({}, {job}, 100, one_pass);
  const auto planned = [&](std::int64_t capacity) {
    Plans plans = stale_plans(3, capacity);
    oracle::Report report;
    Library<TypeParam>::plan({}, job.batch, plans.write, plans.verify);
    Library<TypeParam>::verify({}, plans.verify, job.endpoints, 100, report);
    return report;
  };
  check::expect_equal(one_pass, planned(597));
  EXPECT_EQ(planned(596).violations.size(), 1U) << "disabled, but still malformed";
  EXPECT_EQ(one_pass.violations.size(), 7U);
}

}  // namespace
