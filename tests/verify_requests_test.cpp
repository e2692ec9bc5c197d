#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/written_batch.hpp"

/// \file
/// Batches whose prefixes are in the pool, damaged or not, and what verify_requests must say.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

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
