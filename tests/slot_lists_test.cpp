#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/written_batch.hpp"

/// \file
/// Batches whose pages lie in lists: what a list says that a row of a table can't. Random cases
/// have lists as well.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t limit = std::int64_t{1} << 30;  // of lengths

/// Requests whose prefixes are in the pool, in lists of exactly their pages.
VerifyJob job_with_lists(const Ints& lengths, std::int64_t page_size) {
  VerifyJob job = job_of(lengths, page_size);
  oracle::SlotLists& lists = job.batch.lists.emplace();
  lists.page_size = page_size;
  lists.offsets = {0};
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    for (std::int64_t p = 0; p < lengths[r]; p += page_size) {
      lists.pages.push_back(slot_of(job, r, p) / page_size);
    }
    lists.offsets.push_back(std::ssize(lists.pages));
  }
  return job;
}

/// The same, of which the list of the last request begins with `first`.
VerifyJob window_job(std::int64_t prefix, std::int64_t page_size, std::int64_t first,
                     std::int64_t window) {
  VerifyJob job = job_with_lists({5, prefix}, page_size);
  oracle::SlotLists& lists = *job.batch.lists;
  const auto begin = lists.pages.begin() + lists.offsets[1];
  lists.pages.erase(begin, begin + first / page_size);
  lists.offsets[2] = std::ssize(lists.pages);
  lists.first_positions = Ints{0, first};
  job.batch.window = window;
  return job;
}

const auto out_of_bounds = Each(Field(&Violation::fail_bits, bit::slot_out_of_bounds));

std::vector<std::int64_t> positions(std::vector<Violation> violations) {
  Ints result;
  for (const Violation& violation : violations) result.push_back(violation.expected_position);
  std::ranges::sort(result);
  return result;
}

template <class Space>
class SlotListsTest : public SpaceTest<Space> {
 protected:
  /// verify_requests and both plans, equal to the oracle's, of int32 and of int64.
  static std::vector<Violation> run(const VerifyJob& job) {
    std::vector<Violation> found;
    for (const bool is_wide : {false, true}) {
      const Layout layout{.narrow = is_wide ? 0 : ~0U, .wide_pages = is_wide};
      plans_of(job.batch, layout);
      found = check_verify_requests<Space>(layout, {job}).violations;
    }
    return found;
  }

  static Plans plans_of(const oracle::RequestBatch& batch, const Layout& layout = {}) {
    const std::int64_t requests = std::ssize(batch.prefix_lengths);
    Plans plans = stale_plans(std::max<std::int64_t>(1, requests), 1 << 10);
    check_plan<Space>(layout, batch, plans);
    return plans;
  }

  /// A step that adds a token to each request; what is reported.
  static std::vector<Violation> write(const oracle::RequestBatch& batch,
                                      std::vector<Endpoint> endpoints) {
    oracle::TokenBatch tokens;
    for (std::size_t r = 0; r < batch.prefix_lengths.size(); ++r) {
      tokens.tokens.push_back(7);
      tokens.positions.push_back(batch.prefix_lengths[r]);
      tokens.slots.push_back(1 + static_cast<std::int64_t>(r));
    }
    std::vector<Violation> found;
    for (const bool is_wide : {false, true}) {
      const Layout layout{.narrow = is_wide ? 0 : ~0U, .wide_pages = is_wide};
      found = check_write_requests<Space>(layout, {{&batch, &tokens, &endpoints}}).violations;
    }
    return found;
  }
};
TYPED_TEST_SUITE(SlotListsTest, OperationSpaces, SpaceName);

TYPED_TEST(SlotListsTest, SameAsATable) {
  for (const std::int64_t page_size : {1, 3, 16}) {
    VerifyJob job = job_with_lists({5, 0, 300, 64}, page_size);
    EXPECT_THAT(TestFixture::run(job), IsEmpty());
    EXPECT_EQ(check_verify_requests<TypeParam>({}, {job}).counts[0], (oracle::TagCounts{1, 369}));
    const Plans plans = TestFixture::plans_of(job.batch);
    flip(job.endpoints[0], slot_of(job, 2, 170), &Record::token);
    EXPECT_EQ(positions(TestFixture::run(job)), (Ints{171}));
    EXPECT_THAT(TestFixture::write(job.batch, {written(job.batch)}), IsEmpty());
    job.batch.lists.reset();
    EXPECT_EQ(TestFixture::plans_of(job.batch).verify, plans.verify);
    EXPECT_EQ(TestFixture::plans_of(job.batch).write, plans.write);
  }
}

/// None of its positions has a slot, whatever the others do.
TYPED_TEST(SlotListsTest, EmptyList) {
  for (const std::int64_t page_size : {1, 16}) {
    VerifyJob job = job_with_lists({5, 70, 3}, page_size);
    oracle::SlotLists& lists = *job.batch.lists;
    const auto begin = lists.pages.begin();
    lists.pages.erase(begin + lists.offsets[1], begin + lists.offsets[2]);
    lists.offsets[2] = lists.offsets[1];
    lists.offsets[3] = std::ssize(lists.pages);
    const std::vector<Violation> found = TestFixture::run(job);
    EXPECT_EQ(positions(found), build::iota(70));
    EXPECT_THAT(found, out_of_bounds);
    EXPECT_THAT(found, Each(Field(&Violation::entry, 1)));
    EXPECT_THAT(found, Each(Field(&Violation::slot, oracle::invalid_slot)));
    EXPECT_EQ(TestFixture::plans_of(job.batch).write.seed_slots[1], oracle::invalid_slot);
    EXPECT_THAT(TestFixture::write(job.batch, job.endpoints), SizeIs(1));
  }
}

/// A list that ends before it begins is empty.
TYPED_TEST(SlotListsTest, OffsetsThatDescend) {
  VerifyJob job = job_with_lists({20, 20, 20}, 1);
  job.batch.lists->offsets = {0, 40, 20, 40};
  job.batch.lists->pages.resize(40);
  std::vector<Violation> found = TestFixture::run(job);
  std::erase_if(found, [](const Violation& violation) { return violation.entry != 1; });
  EXPECT_EQ(positions(found), build::iota(20));
  EXPECT_THAT(found, out_of_bounds);
}

/// Nothing outside the array is read: guards and the address sanitizer would see it.
TYPED_TEST(SlotListsTest, OffsetsOutsideTheArray) {
  const VerifyJob good = job_with_lists({20, 20}, 1);
  for (const std::int64_t end : {std::int64_t{41}, std::int64_t{1} << 40, INT64_MAX}) {
    VerifyJob job = good;
    job.batch.lists->offsets[2] = end;
    EXPECT_THAT(TestFixture::run(job), IsEmpty()) << "all of the list is there";
    job.batch.prefix_lengths[1] = 25;
    EXPECT_EQ(positions(TestFixture::run(job)), build::iota(5, 20));
    job.batch.lists->offsets[1] = end;
    job.batch.prefix_lengths[0] = 0;
    EXPECT_EQ(positions(TestFixture::run(job)), build::iota(25));
  }
  for (const std::int64_t begin : {std::int64_t{-1}, std::int64_t{INT32_MIN}, INT64_MIN}) {
    VerifyJob job = good;
    job.batch.lists->offsets[0] = begin;
    EXPECT_THAT(TestFixture::run(job), IsEmpty()) << "begins with the array";
    job.batch.lists->offsets[1] = begin;
    EXPECT_THAT(TestFixture::run(job), SizeIs(testing::Ge(20U)));
    job.batch.lists->offsets[2] = begin;
    EXPECT_EQ(TestFixture::run(job).size(), 40U);
  }
  VerifyJob job = good;
  job.batch.lists->pages.clear();
  EXPECT_EQ(TestFixture::run(job).size(), 40U);
}

/// Of a sliding window, the token before the first that is verified need not be in the list.
TYPED_TEST(SlotListsTest, ListsOfAWindow) {
  for (const std::int64_t first : {0, 64, 70, 79}) {
    VerifyJob job = window_job(100, 1, first, 20);
    EXPECT_THAT(TestFixture::run(job), IsEmpty());
    flip(job.endpoints[0], slot_of(job, 1, 79), &Record::token);
    EXPECT_EQ(positions(TestFixture::run(job)), (Ints{80})) << "its predecessor is in the list";
  }
  VerifyJob job = window_job(100, 1, 80, 20);
  flip(job.endpoints[0], slot_of(job, 1, 79), &Record::token);
  EXPECT_THAT(TestFixture::run(job), IsEmpty()) << "nobody knows where its predecessor is";
  EXPECT_EQ(TestFixture::plans_of(job.batch).verify.entries[5].predecessor, oracle::unchecked_slot);
  // A whole page that is gone, and one of which the window has a part.
  EXPECT_THAT(TestFixture::run(window_job(100, 16, 80, 20)), IsEmpty());
  EXPECT_THAT(TestFixture::run(window_job(100, 16, 64, 20)), IsEmpty());
}

/// A position before the list is wrong inside the window, as is the one that follows it.
TYPED_TEST(SlotListsTest, ListThatBeginsInsideTheWindow) {
  for (const std::int64_t first : {81, 90, 99}) {
    const std::vector<Violation> found = TestFixture::run(window_job(100, 1, first, 20));
    EXPECT_EQ(positions(found), build::iota(first - 79, 80));
    EXPECT_THAT(found, out_of_bounds);
  }
  EXPECT_EQ(positions(TestFixture::run(window_job(100, 16, 96, 0))), build::iota(97));
}

/// As are all of a prefix that ends before it: nothing is there to go on from.
TYPED_TEST(SlotListsTest, ListThatBeginsBehindThePrefix) {
  for (const std::int64_t first : {std::int64_t{100}, std::int64_t{101}, limit - 1}) {
    VerifyJob job = window_job(100, 1, 96, 20);
    job.batch.lists->first_positions->back() = first;
    const std::vector<Violation> found = TestFixture::run(job);
    EXPECT_EQ(positions(found), build::iota(20, 80));
    EXPECT_THAT(found, out_of_bounds);
    EXPECT_THAT(TestFixture::write(job.batch, job.endpoints), SizeIs(1)) << "its seed";
  }
}

/// A list that begins nowhere is empty: not even what is before the window is gone on purpose.
TYPED_TEST(SlotListsTest, FirstPositionsOutOfRange) {
  for (const std::int64_t first : {std::int64_t{-1}, limit, INT64_MIN, INT64_MAX}) {
    VerifyJob job = window_job(100, 1, 96, 20);
    job.batch.lists->first_positions->back() = first;
    EXPECT_EQ(positions(TestFixture::run(job)), build::iota(20, 80));
    EXPECT_EQ(TestFixture::plans_of(job.batch).verify.entries[5].predecessor, oracle::invalid_slot);
  }
}

/// Garbage is reported in no more time than the log takes, before a list and behind it.
TYPED_TEST(SlotListsTest, HugeLengths) {
  VerifyJob job = job_with_lists({4, 40, 3}, 1);
  job.batch.prefix_lengths[1] = limit - 1;
  job.batch.extend_lengths[1] = 0;
  for (const std::int64_t first : {std::int64_t{0}, limit / 2, limit - 41, limit - 2}) {
    job.batch.lists->first_positions = Ints{0, first, 0};
    oracle::Report report;
    Library<TypeParam>::verify_requests({}, {job}, 40, report);
    EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, limit - 1 + 7}));
    // The records that are found have other positions, unless the list begins as it should.
    EXPECT_EQ(report.total, limit - 1 - (first == 0 ? 40 : 0));
    EXPECT_EQ(report.violations.size(), 40U);
    EXPECT_THAT(report.violations, Each(Field(&Violation::entry, 1)));
  }
}

/// Entries that no int32 holds, in lists and in tables: no pool is so large.
TYPED_TEST(SlotListsTest, WideEntries) {
  constexpr std::int64_t max_pages = std::int64_t{1} << 32;
  for (const std::int64_t page_size : {1, 16}) {
    for (const bool in_table : {false, true}) {
      for (const std::int64_t page : {std::int64_t{1} << 31, max_pages - 1, max_pages,
                                      max_pages + 1, INT64_MAX, INT64_MIN, -max_pages + 1}) {
        VerifyJob job = job_with_lists({3 * page_size}, page_size);
        job.batch.lists->pages[2] = page;
        if (in_table) {
          job.batch.table.entries[job.batch.table.num_columns + 2] = page;
          job.batch.lists.reset();
        }
        const std::vector<Violation> found = TestFixture::run(job);
        EXPECT_EQ(positions(found), build::iota(page_size, 2 * page_size));
        EXPECT_THAT(found, out_of_bounds);
        const bool is_slot = page >= 0 && page < max_pages;
        const std::int64_t slot = is_slot ? (page + 1) * page_size - 1 : oracle::invalid_slot;
        EXPECT_EQ(TestFixture::plans_of(job.batch).write.seed_slots[0], slot);
        EXPECT_THAT(TestFixture::write(job.batch, job.endpoints), SizeIs(1));
      }
    }
  }
}

/// A request's row is its index, and none is padding.
TYPED_TEST(SlotListsTest, WithoutRows) {
  VerifyJob job = job_with_lists({20, 30}, 16);
  job.batch.expected = expected_of(job.batch, 0);
  oracle::ExpectedTokens& expected = *job.batch.expected;
  expected.tokens.erase(expected.tokens.begin(), expected.tokens.begin() + expected.row_stride);
  expected.num_rows = 2;
  job.batch.rows_given = false;
  for (const auto padding_row : {std::optional<std::int64_t>(), std::optional<std::int64_t>(0),
                                 std::optional<std::int64_t>(1)}) {
    job.batch.padding_row = padding_row;
    VerifyJob bad = job;
    EXPECT_THAT(TestFixture::run(bad), IsEmpty());
    EXPECT_EQ(check_verify_requests<TypeParam>({}, {bad}).counts[0].entries, 50U);
    EXPECT_EQ(TestFixture::plans_of(bad.batch).write.request_rows, (Ints{0, 1}));
    flip(bad.endpoints[0], slot_of(job, 0, 19), &Record::token);
    const std::vector<Violation> found = TestFixture::run(bad);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].request_row, 0);
    EXPECT_EQ(found[0].fail_bits, bit::verify_token);
  }
}

/// Requests that don't count have lists that nobody trusts.
TYPED_TEST(SlotListsTest, RequestsThatDoNotCount) {
  VerifyJob job = job_with_lists({20, 30, 40}, 1);
  job.batch.num_requests = 2;
  job.batch.lists->offsets[3] = -5;
  job.batch.lists->pages.resize(50);
  EXPECT_THAT(TestFixture::run(job), IsEmpty());
  job.batch.num_requests = 0;
  EXPECT_THAT(TestFixture::run(job), IsEmpty());
  EXPECT_THAT(TestFixture::run(job_with_lists({}, 1)), IsEmpty()) << "no requests, one offset";
}

/// Slots of the full pool, translated.
TYPED_TEST(SlotListsTest, Translation) {
  VerifyJob job = window_job(100, 16, 64, 20);
  Ints& to_swa = job.batch.lists->full_to_swa.emplace(build::iota(num_slots(job.batch)));
  EXPECT_THAT(TestFixture::run(job), IsEmpty());
  to_swa[slot_of(job, 1, 79)] = -1;
  EXPECT_THAT(TestFixture::run(job), IsEmpty()) << "before the window";
  to_swa[slot_of(job, 1, 90)] = -1;
  EXPECT_EQ(positions(TestFixture::run(job)), (Ints{90, 91}));
}

}  // namespace
