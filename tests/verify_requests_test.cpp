#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "tests/support/written_batch.hpp"

/// \file
/// Batches whose prefixes are in the pool, damaged or not, and what verify_requests must say.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

TYPED_TEST_SUITE(VerifyRequestsTest, OperationSpaces, SpaceName);

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
    const std::vector<Violation> found = TestFixture::run({job});
    ASSERT_EQ(found.size(), 1U) << "what follows the first of two damaged tokens";
    EXPECT_EQ(found[0].entry, requests - 1);
    EXPECT_EQ(found[0].expected_position, 299);
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
              testing::UnorderedElementsAre(Violation{.launch_tag = 7,
                                                      .slot = slot,
                                                      .position = 6,
                                                      .stored_token = token_at(2, 2),
                                                      .expected_token = -1,
                                                      .stored_chain_hash = prev_hash,
                                                      .expected_aux = prev_hash,
                                                      .fail_bits = bit::position,
                                                      .request_row = 2,
                                                      .entry = 1,
                                                      .expected_position = 2,
                                                      .stored_kv_hash = 0,
                                                      .expected_kv_hash = 0},
                                            Violation{.launch_tag = 7,
                                                      .slot = slot_of(job, 1, 3),
                                                      .position = 3,
                                                      .stored_token = token_at(2, 3),
                                                      .expected_token = -1,
                                                      .stored_chain_hash = last.prev_hash,
                                                      .expected_aux = last_hash,
                                                      .fail_bits = bit::chain_hash,
                                                      .request_row = 2,
                                                      .entry = 1,
                                                      .expected_position = 3,
                                                      .stored_kv_hash = 0,
                                                      .expected_kv_hash = 0}));
}

/// The KV hash, the expected token, and a chain that is not checked.
TYPED_TEST(VerifyRequestsTest, FieldsOfAKVViolation) {
  const oracle::RequestBatch batch = batch_of({5, 300}, 16);
  VerifyJob job{batch, {written(batch, 61, KVMode::all, {24, 8})}};
  job.batch.expected = expected_of(batch, 0);
  job.batch.window = 44;
  job.batch.table.entries[2 * batch.table.num_columns + 15] = -1;  // positions 240 to 255
  const std::int64_t slot = slot_of(job, 1, 260), edge = slot_of(job, 1, 256);
  const Record record = oracle::load(job.endpoints[0], slot);
  flip(job.endpoints[0], slot, &Record::kv_hash);
  flip(job.endpoints[0], edge, &Record::position, 1024);
  Violation kv{.launch_tag = 61,
               .slot = slot,
               .position = 260,
               .stored_token = token_at(2, 260),
               .expected_token = token_at(2, 260),
               .stored_chain_hash = record.prev_hash,
               .expected_aux = record.prev_hash,
               .fail_bits = bit::kv_hash,
               .request_row = 2,
               .entry = 1,
               .expected_position = 260,
               .stored_kv_hash = record.kv_hash ^ 1,
               .expected_kv_hash = record.kv_hash};
  const std::vector<Violation> found = TestFixture::run({job});
  EXPECT_THAT(found, testing::Contains(kv));
  ASSERT_EQ(found.size(), 3U) << "the edge, and what follows it";
  const Record at_edge = oracle::load(job.endpoints[0], edge);
  EXPECT_THAT(found, testing::Contains(Violation{.launch_tag = 61,
                                                 .slot = edge,
                                                 .position = 256 + 1024,
                                                 .stored_token = token_at(2, 256),
                                                 .expected_token = token_at(2, 256),
                                                 .stored_chain_hash = at_edge.prev_hash,
                                                 .expected_aux = at_edge.prev_hash,
                                                 .fail_bits = bit::position,
                                                 .request_row = 2,
                                                 .entry = 1,
                                                 .expected_position = 256,
                                                 .stored_kv_hash = at_edge.kv_hash,
                                                 .expected_kv_hash = at_edge.kv_hash}));
}

TYPED_TEST(VerifyRequestsTest, FieldsOfAnEntryOutOfBounds) {
  VerifyJob job = job_of({3, 4}, 1, 2);
  job.batch.expected = expected_of(job.batch, 0);
  job.batch.table.entries[2 * job.batch.table.num_columns + 1] = 1000;
  const Record next = oracle::load(job.endpoints[0], slot_of(job, 1, 2));
  EXPECT_THAT(TestFixture::run({job}),
              testing::UnorderedElementsAre(Violation{.launch_tag = 2,
                                                      .slot = 1000,
                                                      .position = 0,
                                                      .stored_token = 0,
                                                      .expected_token = token_at(2, 1),
                                                      .stored_chain_hash = 0,
                                                      .expected_aux = 0,
                                                      .fail_bits = bit::slot_out_of_bounds,
                                                      .request_row = 2,
                                                      .entry = 1,
                                                      .expected_position = 1,
                                                      .stored_kv_hash = 0,
                                                      .expected_kv_hash = 0},
                                            Violation{.launch_tag = 2,
                                                      .slot = slot_of(job, 1, 2),
                                                      .position = 2,
                                                      .stored_token = next.token,
                                                      .expected_token = next.token,
                                                      .stored_chain_hash = next.prev_hash,
                                                      .expected_aux = next.prev_hash,
                                                      .fail_bits = bit::slot_out_of_bounds,
                                                      .request_row = 2,
                                                      .entry = 1,
                                                      .expected_position = 2,
                                                      .stored_kv_hash = 0,
                                                      .expected_kv_hash = 0}));
}

/// All 13 fields of a token that the table puts into a padding slot; the one after it is right.
TYPED_TEST(VerifyRequestsTest, FieldsOfAPaddingRead) {
  VerifyJob job = job_of({3, 4}, 1, 2);
  job.batch.expected = expected_of(job.batch, 0);
  job.endpoints[0].padding = {.first = slot_of(job, 1, 1), .count = 1};
  EXPECT_THAT(TestFixture::run({job}),
              testing::ElementsAre(Violation{.launch_tag = 2,
                                             .slot = slot_of(job, 1, 1),
                                             .position = 0,
                                             .stored_token = 0,
                                             .expected_token = token_at(2, 1),
                                             .stored_chain_hash = 0,
                                             .expected_aux = 0,
                                             .fail_bits = bit::padding_read,
                                             .request_row = 2,
                                             .entry = 1,
                                             .expected_position = 1,
                                             .stored_kv_hash = 0,
                                             .expected_kv_hash = 0}));
  job.endpoints[0].padding.skip_reads = true;
  const oracle::Report skipped = check_verify_requests<TypeParam>({}, {job});
  EXPECT_TRUE(skipped.violations.empty());
  EXPECT_EQ(skipped.counts[2], (oracle::TagCounts{1, 7})) << "padding slots count as entries";
}

/// Padding slots at every place of a request, one or many: they are named or skipped, and what is
/// around them is verified all the same.
TYPED_TEST(VerifyRequestsTest, PaddingRanges) {
  const VerifyJob good = job_of({5, 300, 70}, 16);
  const std::int64_t page = slot_of(good, 1, 0);  // pages lie backwards in the pool
  for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{page, 1},
                                     {page, 16},
                                     {page + 15, 1},
                                     {page - 16, 32},
                                     {page - 16 * 15, 16 * 15},
                                     {page - 16 * 4 + 3, 9},
                                     {0, 1},
                                     {num_slots(good.batch) - 1, 1},
                                     {page, 0}}) {
    VerifyJob job = good;
    job.endpoints[0].padding = {first, count};
    std::int64_t padding = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::int64_t p = 0; p < job.batch.prefix_lengths[r]; ++p) {
        if (!job.endpoints[0].padding.contains(slot_of(job, r, p))) continue;
        ++padding;
        flip(job.endpoints[0], slot_of(job, r, p), &Record::token);
      }
    }
    const std::vector<Violation> found = TestFixture::run({job});
    EXPECT_EQ(std::ssize(found), padding) << first << ", " << count;
    for (const Violation& violation : found) EXPECT_EQ(violation.fail_bits, bit::padding_read);
    job.endpoints[0].padding.skip_reads = true;
    EXPECT_TRUE(TestFixture::run({job}).empty()) << first << ", " << count;
  }
}

/// Buffers of one job with different padding slots.
TYPED_TEST(VerifyRequestsTest, PaddingOfEndpoints) {
  VerifyJob job{batch_of({300, 9}, 16), {}};
  for (int tag = 0; tag < 4; ++tag) job.endpoints.push_back(written(job.batch, tag));
  const std::int64_t slot = slot_of(job, 0, 100);
  job.endpoints[0].padding = build::no_padding;
  job.endpoints[1].padding = {slot, 3};
  job.endpoints[2].padding = {slot, 3, true};
  const std::vector<Violation> found = TestFixture::run({job});
  EXPECT_EQ(found.size(), 3U);
  for (const Violation& violation : found) EXPECT_EQ(violation.launch_tag, 1);
}

/// A token whose predecessor is a padding slot starts a chain of its own, as it were.
TYPED_TEST(VerifyRequestsTest, ChainBehindPadding) {
  for (const std::int64_t position : {1, 63, 64, 127, 128, 255, 256}) {
    VerifyJob job = job_of({300}, 1);
    job.endpoints[0].padding = {slot_of(job, 0, position - 1), 1, true};
    flip(job.endpoints[0], slot_of(job, 0, position), &Record::prev_hash);
    const std::vector<Violation> found = TestFixture::run({job});
    ASSERT_EQ(found.size(), 1U) << position;
    EXPECT_EQ(found[0].expected_position, position + 1) << "the next one follows a damaged token";
  }
}

/// Row 0 is a request's where there is no padding row, and any other may be the padding row.
TYPED_TEST(VerifyRequestsTest, PaddingRow) {
  VerifyJob job = job_of({5, 300, 2}, 16);
  job.batch.request_rows = {0, 1, 2};
  job.batch.padding_row.reset();
  job.batch.table.entries.erase(job.batch.table.entries.begin(),
                                job.batch.table.entries.begin() + job.batch.table.row_stride);
  job.batch.table.num_rows = 3;
  job.endpoints = {written(job.batch, 0)};
  TestFixture::expect_clean(job);
  flip(job.endpoints[0], slot_of(job, 0, 4), &Record::position);
  const std::vector<Violation> found = TestFixture::run({job});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].request_row, 0);
  for (const std::int64_t row : {0, 1, 2, 3, -1}) {
    job.batch.padding_row = row;
    const oracle::Report report = check_verify_requests<TypeParam>({}, {job});
    EXPECT_EQ(report.violations.size(), row == 0 ? 0U : 1U);
    const std::uint64_t entries = row == 0 ? 302 : row == 1 ? 7 : row == 2 ? 305 : 307;
    EXPECT_EQ(report.counts[0].entries, entries);
  }
}

/// What the step adds is verified as well.
TYPED_TEST(VerifyRequestsTest, VerifyEnd) {
  const Ints lengths = {300, 64, 1, 257, 0};
  for (const std::int64_t page_size : {1, 16}) {
    VerifyJob job{batch_of(lengths, page_size), {}};
    job.endpoints = {written(job.batch)};
    job.batch.extend_lengths = {1, 64, 1, 200, 0};
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      job.batch.prefix_lengths[r] -= job.batch.extend_lengths[r];
    }
    flip(job.endpoints[0], slot_of(job, 0, 299), &Record::position);
    flip(job.endpoints[0], slot_of(job, 3, 256), &Record::position);
    for (const std::int64_t window : {0, 1, 100, 300}) {
      job.batch.window = window;
      job.batch.verify_end = oracle::VerifyEnd::prefix;
      EXPECT_TRUE(TestFixture::run({job}).empty());
      job.batch.verify_end = oracle::VerifyEnd::last_token;
      EXPECT_EQ(TestFixture::run({job}).size(), 2U) << "window " << window;
    }
  }
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
  oracle::RequestBatch batch = batch_of({600, 40}, 16);
  Ints to_swa = build::iota(num_slots(batch));
  std::reverse(to_swa.begin() + 1, to_swa.end());
  batch.table.full_to_swa = to_swa;
  VerifyJob job{batch, {written(batch)}};
  job.batch.window = 300;
  const auto forget = [&](std::int64_t position) {
    oracle::SlotTable full = batch.table;
    full.full_to_swa.reset();
    (*job.batch.table.full_to_swa)[oracle::find(full, 1, position).slot] = -1;
  };
  for (std::int64_t p = 0; p < 300; ++p) forget(p);
  EXPECT_TRUE(TestFixture::run({job}).empty());
  flip(job.endpoints[0], slot_of(job, 0, 300), &Record::prev_hash);
  EXPECT_EQ(TestFixture::run({job}).size(), 1U) << "the chain before the window is not known";
  forget(556);
  EXPECT_EQ(TestFixture::run({job}).size(), 3U) << "a slot that is gone, and the one after it";
  job.batch.table.full_to_swa->resize(200);
  EXPECT_GT(TestFixture::run({job}).size(), 3U);
}

/// Without a translation, what has left the window is gone when the table has no page for it; or it
/// lies in a page of padding.
TYPED_TEST(VerifyRequestsTest, PagesBeforeTheWindow) {
  for (const std::int32_t entry : {-1, -1000, 0}) {
    for (const std::int64_t page_size : {1, 16}) {
      for (const std::int64_t window : {1, 16, 44, 100, 284, 299}) {
        VerifyJob job = job_of({300, 9}, page_size);
        job.endpoints[0].padding = {0, page_size};
        job.batch.window = window;
        const std::int64_t first = 300 - window;
        for (std::int64_t column = 0; column < first / page_size; ++column) {
          job.batch.table.entries[job.batch.table.num_columns + column] = entry;
        }
        EXPECT_TRUE(TestFixture::run({job}).empty());
        if (first % page_size != 0) continue;
        flip(job.endpoints[0], slot_of(job, 0, first), &Record::prev_hash);
        EXPECT_EQ(TestFixture::run({job}).size(), window == 1 ? 0U : 1U)
            << "the chain before the window is not known";
        job.batch.window = window + 1;
        const std::vector<Violation> found = TestFixture::run({job});
        EXPECT_EQ(found.size(), entry == 0 ? (window == 1 ? 1U : 2U) : (window == 1 ? 2U : 3U));
      }
    }
  }
}

TYPED_TEST(VerifyRequestsTest, ExpectedTokens) {
  for (const std::int64_t offset : {0, 1, -1}) {
    VerifyJob job = job_of({300, 9}, 16);
    job.batch.expected = expected_of(job.batch, offset);
    TestFixture::expect_clean(job);
    flip(job.endpoints[0], slot_of(job, 0, 299), &Record::token);
    EXPECT_EQ(TestFixture::run({job}).at(0).fail_bits, bit::verify_token);
    job.batch.expected->valid_lengths = Ints{300 + offset, 0};
    EXPECT_EQ(TestFixture::run({job}).size(), 1U);
    job.batch.expected->valid_lengths = Ints{299 + offset, 100};
    EXPECT_TRUE(TestFixture::run({job}).empty());
    job.batch.expected->valid_lengths.reset();
    job.batch.expected->num_rows = 1;
    EXPECT_TRUE(TestFixture::run({job}).empty());
  }
}

TYPED_TEST(VerifyRequestsTest, KVHashes) {
  const oracle::RequestBatch batch = batch_of({300, 9}, 16);
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
      EXPECT_EQ(job.endpoints[0].mode, mode);
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

/// An entry is a request of its own job.
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
    for (const Violation& violation : TestFixture::run({full, window})) {
      EXPECT_EQ(violation.entry, violation.launch_tag == 0 ? 1 : 0);
    }
  }
}

/// Pools of any number: each has its own table, padding, window, end and lengths.
TYPED_TEST(VerifyRequestsTest, TwelveJobs) {
  std::vector<VerifyJob> jobs;
  for (int j = 0; j < 12; ++j) {
    Ints lengths(j % 5 * 3 + 1, 7 * j);
    lengths.back() = 40 * j;
    jobs.push_back(job_of(lengths, j % 2 == 0 ? 16 : 1, 63 - 3 * j));
    jobs[j].batch.window = j % 3 == 0 ? 0 : 25 * j;
    if (j % 4 == 1) jobs[j].endpoints[0].padding = build::no_padding;
    if (j % 4 == 2) jobs[j].batch.padding_row.reset();
    EXPECT_TRUE(TestFixture::run(jobs).empty());
  }
  for (int j = 1; j < 12; ++j) {
    const std::int64_t last = 40 * j - 1;
    flip(jobs[j].endpoints[0], slot_of(jobs[j], j % 5 * 3, last), &Record::position);
  }
  const std::vector<Violation> found = TestFixture::run(jobs);
  EXPECT_EQ(found.size(), 11U);
  for (const Violation& violation : found) {
    const std::int64_t j = (63 - violation.launch_tag) / 3;
    EXPECT_EQ(violation.entry, j % 5 * 3);
    EXPECT_EQ(violation.expected_position, 40 * j - 1);
  }
}

/// The same pool twice in a launch: what the step reads, and what the request wrote long ago.
TYPED_TEST(VerifyRequestsTest, OneTableInSeveralJobs) {
  VerifyJob all = job_of({300, 40}, 16, 0);
  VerifyJob recent{all.batch, {written(all.batch, 30)}};
  recent.batch.window = 10;
  for (VerifyJob* job : {&all, &recent}) {
    flip(job->endpoints[0], slot_of(*job, 0, 17), &Record::position);
  }
  EXPECT_EQ(TestFixture::run({all, recent}).size(), 2U);
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
  // The plan's entries are those of the third request.
  oracle::Report two_passes = planned(597);
  for (Violation& violation : two_passes.violations) {
    if (violation.entry >= 0) violation.entry = 2;
  }
  check::expect_equal(one_pass, two_passes);
  const oracle::Report disabled = planned(596);
  EXPECT_EQ(disabled.violations, (std::vector<Violation>{build::plan_violation(0, 596)}));
  EXPECT_EQ(disabled.counts[0], (oracle::TagCounts{0, 0, 1}));
  EXPECT_EQ(one_pass.violations.size(), 7U);
}

}  // namespace
