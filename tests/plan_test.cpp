#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/builders.hpp"
#include "tests/support/check.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Hand-made batches and the plans that they must give.
namespace {

using build::Ints;
using oracle::invalid_slot;
using oracle::no_slot;
using oracle::unchecked_slot;
using oracle::VerifyEnd;
using oracle::VerifyEntry;

constexpr std::int64_t too_long = std::int64_t{1} << 30;

/// Row 0 is padding; row 1 has pages 3 1 4 and row 2 pages 2 7 6.
oracle::RequestBatch two_rows(std::int64_t page_size, const Ints& rows, const Ints& prefixes,
                              const Ints& extends) {
  return {rows, prefixes, extends, {}, build::table(page_size, {{9, 9, 9}, {3, 1, 4}, {2, 7, 6}})};
}

template <class Space>
class PlanTest : public SpaceTest<Space> {
 protected:
  /// Both plans of `batch`, equal to the oracle's, for int32 and for int64 arrays.
  static Plans run(const oracle::RequestBatch& batch, std::int64_t max_entries = 64) {
    const auto requests = static_cast<std::int64_t>(batch.prefix_lengths.size());
    Plans plans;
    for (const std::uint32_t narrow : {0U, ~0U, 0b0101'0101U, 0b1010'1010U}) {
      plans = stale_plans(requests + 2, max_entries);
      check_plan<Space>({narrow}, batch, plans);
    }
    return plans;
  }
};
TYPED_TEST_SUITE(PlanTest, OperationSpaces, SpaceName);

std::vector<VerifyEntry> entries(const Plans& plans) {
  return {plans.verify.entries.begin(), plans.verify.entries.begin() + plans.verify.num_entries};
}

Ints offsets(const Plans& plans) {
  return {plans.write.offsets.begin(), plans.write.offsets.begin() + plans.write.num_requests + 1};
}

Ints seeds(const Plans& plans) {
  return {plans.write.seed_slots.begin(),
          plans.write.seed_slots.begin() + plans.write.num_requests};
}

TYPED_TEST(PlanTest, EmptyBatch) {
  const Plans none = this->run(two_rows(1, {}, {}, {}));
  EXPECT_EQ(none.write.num_requests, 0);
  EXPECT_EQ(offsets(none), (Ints{0}));
  EXPECT_EQ(none.verify.num_entries, 0);
  EXPECT_EQ(none.verify.enabled, 1);

  oracle::RequestBatch batch = two_rows(1, {1, 2}, {2, 2}, {1, 1});
  batch.num_requests = 0;
  const Plans counted = this->run(batch);
  EXPECT_EQ(offsets(counted), (Ints{0}));
  EXPECT_EQ(counted.write.malformed, 0);
}

TYPED_TEST(PlanTest, TwoRequests) {
  const Plans plans = this->run(two_rows(1, {1, 2}, {2, 3}, {1, 4}));
  EXPECT_EQ(offsets(plans), (Ints{0, 1, 5}));
  EXPECT_EQ(seeds(plans), (Ints{1, 6}));
  EXPECT_EQ(entries(plans), (std::vector<VerifyEntry>{{3, 0, no_slot, -1, 1},
                                                      {1, 1, 3, -1, 1},
                                                      {2, 0, no_slot, -1, 2},
                                                      {7, 1, 2, -1, 2},
                                                      {6, 2, 7, -1, 2}}));
}

TYPED_TEST(PlanTest, PrefixAndExtendOfNothing) {
  const Plans plans = this->run(two_rows(1, {1, 2, 1}, {0, 1, 0}, {3, 0, 0}));
  EXPECT_EQ(offsets(plans), (Ints{0, 3, 3, 3}));
  EXPECT_EQ(seeds(plans), (Ints{no_slot, no_slot, no_slot})) << "who adds nothing needs no seed";
  EXPECT_EQ(entries(plans), (std::vector<VerifyEntry>{{2, 0, no_slot, -1, 2}}));
}

TYPED_TEST(PlanTest, PaddingRowsContributeNothing) {
  const Plans plain = this->run(two_rows(1, {1, 2}, {2, 3}, {1, 4}));
  for (const Ints& rows : {Ints{0, 1, 2}, Ints{1, 0, 2}, Ints{1, 2, 0}}) {
    Ints prefixes, extends;
    for (const std::int64_t row : rows) {
      prefixes.push_back(row == 0 ? -7 : row + 1);
      extends.push_back(row == 0 ? too_long : 3 * row - 2);
    }
    const Plans padded = this->run(two_rows(1, rows, prefixes, extends));
    EXPECT_EQ(entries(padded), entries(plain));
    EXPECT_EQ(padded.write.malformed, 0);
    for (std::size_t r = 0; r < 3; ++r) {
      if (rows[r] != 0) continue;
      EXPECT_EQ(seeds(padded)[r], no_slot);
      EXPECT_EQ(offsets(padded)[r + 1], offsets(padded)[r]);
    }
  }
}

/// The padding row is any number, and where there is none, row 0 is a request's.
TYPED_TEST(PlanTest, PaddingRow) {
  const auto with = [&](std::optional<std::int64_t> padding_row) {
    oracle::RequestBatch batch = two_rows(1, {0, 1, -1, 2}, {1, 1, 1, 1}, {1, 1, 1, 1});
    batch.padding_row = padding_row;
    return this->run(batch);
  };
  const auto rows = [](const Plans& plans) {
    Ints found;
    for (const VerifyEntry& entry : entries(plans)) found.push_back(entry.request_row);
    return found;
  };
  EXPECT_EQ(rows(with(std::nullopt)), (Ints{0, 1, -1, 2}));
  EXPECT_EQ(seeds(with(std::nullopt)), (Ints{9, 3, invalid_slot, 2}));
  EXPECT_EQ(rows(with(0)), (Ints{1, -1, 2}));
  EXPECT_EQ(rows(with(2)), (Ints{0, 1, -1}));
  EXPECT_EQ(seeds(with(2)), (Ints{9, 3, invalid_slot, no_slot}));
  EXPECT_EQ(offsets(with(2)), (Ints{0, 1, 2, 3, 3}));
  EXPECT_EQ(rows(with(-1)), (Ints{0, 1, 2}));
  EXPECT_EQ(rows(with(INT64_MIN)), (Ints{0, 1, -1, 2}));
  EXPECT_EQ(with(2).write.request_rows[3], 2) << "the row is named all the same";
}

/// Lengths of the padding row are not looked at.
TYPED_TEST(PlanTest, LengthsOfThePaddingRow) {
  oracle::RequestBatch batch = two_rows(1, {2, 1}, {INT64_MIN, 1}, {too_long, 1});
  batch.padding_row = 2;
  EXPECT_EQ(this->run(batch).write.malformed, 0);
  batch.padding_row.reset();
  EXPECT_EQ(this->run(batch).write.malformed, 1);
}

TYPED_TEST(PlanTest, Pages) {
  for (const std::int64_t page_size : {16, 64, 3}) {
    const std::int64_t prefix = 2 * page_size + 1;
    const Plans plans = this->run(two_rows(page_size, {1}, {prefix}, {1}), prefix);
    EXPECT_EQ(seeds(plans), (Ints{4 * page_size}));
    ASSERT_EQ(plans.verify.num_entries, prefix);
    const std::vector<VerifyEntry> found = entries(plans);
    EXPECT_EQ(found[0], (VerifyEntry{3 * page_size, 0, no_slot, -1, 1}));
    EXPECT_EQ(found[page_size], (VerifyEntry{page_size, page_size, 4 * page_size - 1, -1, 1}));
    EXPECT_EQ(found[2 * page_size],
              (VerifyEntry{4 * page_size, 2 * page_size, 2 * page_size - 1, -1, 1}));
  }
}

TYPED_TEST(PlanTest, Window) {
  oracle::RequestBatch batch = two_rows(1, {1, 2}, {3, 1}, {1, 1});
  batch.window = 2;
  const Plans plans = this->run(batch);
  EXPECT_EQ(entries(plans),
            (std::vector<VerifyEntry>{{1, 1, 3, -1, 1}, {4, 2, 1, -1, 1}, {2, 0, no_slot, -1, 2}}));
  EXPECT_EQ(seeds(plans), (Ints{4, 2}));

  for (const std::int64_t window : {std::int64_t{3}, std::int64_t{4}, INT64_MAX}) {
    batch.window = window;
    EXPECT_EQ(this->run(batch).verify.num_entries, 4);
  }
}

/// What the step adds is verified as well, and the window ends behind it.
TYPED_TEST(PlanTest, VerifyEndsWithTheLastToken) {
  oracle::RequestBatch batch = two_rows(1, {1, 2, 1}, {1, 0, 2}, {2, 1, 0});
  batch.verify_end = VerifyEnd::last_token;
  EXPECT_EQ(entries(this->run(batch)), (std::vector<VerifyEntry>{{3, 0, no_slot, -1, 1},
                                                                 {1, 1, 3, -1, 1},
                                                                 {4, 2, 1, -1, 1},
                                                                 {2, 0, no_slot, -1, 2},
                                                                 {3, 0, no_slot, -1, 1},
                                                                 {1, 1, 3, -1, 1}}));
  EXPECT_EQ(seeds(this->run(batch)), (Ints{3, no_slot, no_slot}));
  batch.window = 1;
  EXPECT_EQ(entries(this->run(batch)),
            (std::vector<VerifyEntry>{{4, 2, 1, -1, 1}, {2, 0, no_slot, -1, 2}, {1, 1, 3, -1, 1}}));
}

/// Only the extend length that is taken counts.
TYPED_TEST(PlanTest, VerifyEndOfMalformedRequests) {
  oracle::RequestBatch batch = two_rows(1, {1, 2, 1}, {1, -1, 2}, {-1, 2, too_long - 2});
  batch.verify_end = VerifyEnd::last_token;
  const Plans plans = this->run(batch);
  EXPECT_EQ(plans.verify.num_entries, 1 + 2 + 2);
  EXPECT_EQ(plans.verify.malformed, 3);
}

TYPED_TEST(PlanTest, Translation) {
  oracle::RequestBatch batch = two_rows(1, {1}, {3}, {1});
  batch.table.full_to_swa = {{0, 21, 22, 23, 24}};
  EXPECT_EQ(
      entries(this->run(batch)),
      (std::vector<VerifyEntry>{{23, 0, no_slot, -1, 1}, {21, 1, 23, -1, 1}, {24, 2, 21, -1, 1}}));
  EXPECT_EQ(seeds(this->run(batch)), (Ints{24}));

  // Slot 3, of position 0, is gone: right just before the window, wrong inside it.
  for (const std::int64_t gone : {-1, -5}) {
    (*batch.table.full_to_swa)[3] = gone;
    batch.window = 2;
    EXPECT_EQ(entries(this->run(batch)),
              (std::vector<VerifyEntry>{{21, 1, unchecked_slot, -1, 1}, {24, 2, 21, -1, 1}}));
    batch.window = 0;
    EXPECT_EQ(
        entries(this->run(batch)),
        (std::vector<VerifyEntry>{
            {invalid_slot, 0, no_slot, -1, 1}, {21, 1, invalid_slot, -1, 1}, {24, 2, 21, -1, 1}}));
  }

  // The slot of the seed is past the translation.
  batch.table.full_to_swa->resize(4);
  const Plans plans = this->run(batch);
  EXPECT_EQ(seeds(plans), (Ints{invalid_slot}));
  EXPECT_EQ(entries(plans)[2], (VerifyEntry{invalid_slot, 2, 21, -1, 1}));
}

/// Before the window, a predecessor that the table has no page for is gone, with a translation and
/// without one; one that can't be looked up, or has no translation, is wrong.
TYPED_TEST(PlanTest, PredecessorOfTheWindow) {
  for (const bool translated : {false, true}) {
    oracle::RequestBatch batch = two_rows(1, {1}, {3}, {1});
    if (translated) batch.table.full_to_swa = {{0, 1, 2, 3, 4}};
    batch.window = 2;
    EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{1, 1, 3, -1, 1}));
    for (const std::int32_t gone : {-1, -7, INT32_MIN}) {
      batch.table.entries[3] = gone;
      EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{1, 1, unchecked_slot, -1, 1}));
    }
    batch.table.entries[3] = 5;
    EXPECT_EQ(entries(this->run(batch))[0],
              (VerifyEntry{1, 1, translated ? invalid_slot : 5, -1, 1}));
    batch.request_rows = {3};
    EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{invalid_slot, 1, invalid_slot, -1, 3}));
  }
}

/// The first entry alone lies at the window's edge.
TYPED_TEST(PlanTest, GoneInsideTheWindow) {
  oracle::RequestBatch batch = two_rows(1, {1}, {3}, {1});
  batch.window = 2;
  batch.table.entries[4] = -1;
  EXPECT_EQ(entries(this->run(batch)),
            (std::vector<VerifyEntry>{{invalid_slot, 1, 3, -1, 1}, {4, 2, invalid_slot, -1, 1}}));
  batch.window = 1;
  EXPECT_EQ(entries(this->run(batch)), (std::vector<VerifyEntry>{{4, 2, unchecked_slot, -1, 1}}));
}

/// A page before the window is gone as a whole, or none of it.
TYPED_TEST(PlanTest, PagesBeforeTheWindow) {
  oracle::RequestBatch batch = two_rows(4, {1}, {9}, {1});
  batch.table.entries[3] = -1;
  batch.window = 5;
  EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{4, 4, unchecked_slot, -1, 1}));
  batch.window = 4;
  EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{5, 5, 4, -1, 1}));
  batch.window = 6;
  EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{invalid_slot, 3, unchecked_slot, -1, 1}));
  batch.verify_end = VerifyEnd::last_token;
  EXPECT_EQ(entries(this->run(batch))[0], (VerifyEntry{4, 4, unchecked_slot, -1, 1}));
}

/// A seed that is gone is wrong, whatever the window.
TYPED_TEST(PlanTest, SeedThatIsGone) {
  oracle::RequestBatch batch = two_rows(1, {1, 1}, {3, 3}, {1, 0});
  batch.table.entries[5] = -1;
  for (const std::int64_t window : {0, 1, 2}) {
    batch.window = window;
    EXPECT_EQ(seeds(this->run(batch)), (Ints{invalid_slot, no_slot}));
  }
}

/// Plans name padding slots like all others: write and verify know which these are.
TYPED_TEST(PlanTest, SlotsOfPadding) {
  oracle::RequestBatch batch = two_rows(4, {1}, {6}, {1});
  batch.table.entries[3] = 0;
  const Plans plans = this->run(batch);
  EXPECT_EQ(entries(plans)[0], (VerifyEntry{0, 0, no_slot, -1, 1}));
  EXPECT_EQ(entries(plans)[4], (VerifyEntry{4, 4, 3, -1, 1}));
  batch.prefix_lengths = {4};
  EXPECT_EQ(seeds(this->run(batch)), (Ints{3}));
}

TYPED_TEST(PlanTest, RowsOutsideTheTable) {
  for (const std::int64_t row : {std::int64_t{3}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    const Plans plans = this->run(two_rows(1, {row}, {2}, {1}));
    EXPECT_EQ(seeds(plans), (Ints{invalid_slot}));
    EXPECT_EQ(offsets(plans), (Ints{0, 1}));
    EXPECT_EQ(entries(plans), (std::vector<VerifyEntry>{{invalid_slot, 0, no_slot, -1, row},
                                                        {invalid_slot, 1, invalid_slot, -1, row}}));
    EXPECT_EQ(plans.write.malformed, 0);
  }
}

TYPED_TEST(PlanTest, ColumnsOutsideTheTable) {
  const Plans plans = this->run(two_rows(2, {1}, {8}, {1}));
  EXPECT_EQ(seeds(plans), (Ints{invalid_slot}));
  EXPECT_EQ(entries(plans)[5], (VerifyEntry{9, 5, 8, -1, 1}));
  EXPECT_EQ(entries(plans)[6], (VerifyEntry{invalid_slot, 6, 9, -1, 1}));
  EXPECT_EQ(entries(plans)[7], (VerifyEntry{invalid_slot, 7, invalid_slot, -1, 1}));
}

TYPED_TEST(PlanTest, NegativeTableEntries) {
  for (const std::int32_t page : {-1, INT32_MIN}) {
    oracle::RequestBatch batch = two_rows(2, {1}, {5}, {1});
    batch.table.entries[4] = page;
    const Plans plans = this->run(batch);
    EXPECT_EQ(entries(plans)[2], (VerifyEntry{invalid_slot, 2, 7, -1, 1}));
    EXPECT_EQ(entries(plans)[4], (VerifyEntry{8, 4, invalid_slot, -1, 1}));
    EXPECT_EQ(seeds(plans), (Ints{8}));
  }
}

TYPED_TEST(PlanTest, LargestTableEntry) {
  oracle::RequestBatch batch = two_rows(64, {1}, {64}, {1});
  batch.table.entries[3] = INT32_MAX;
  EXPECT_EQ(seeds(this->run(batch)), (Ints{std::int64_t{INT32_MAX} * 64 + 63}));
}

TYPED_TEST(PlanTest, RowStrideOfTheTable) {
  oracle::RequestBatch batch = two_rows(1, {1, 2}, {3, 2}, {1, 1});
  batch.table.num_columns = 2;
  EXPECT_EQ(seeds(this->run(batch)), (Ints{invalid_slot, 7}));
}

TYPED_TEST(PlanTest, ExpectedTokens) {
  oracle::RequestBatch batch = two_rows(1, {1, 2}, {3, 2}, {0, 0});
  batch.expected = {{0, 0, 0, 0, 10, 11, 12, 99, 20, 21, 22, 99}, 3, 3, 4};
  const auto tokens = [&] {
    Ints found;
    for (const VerifyEntry& entry : entries(this->run(batch)))
      found.push_back(entry.expected_token);
    return found;
  };
  EXPECT_EQ(tokens(), (Ints{10, 11, 12, 20, 21}));
  batch.expected->token_offset = 1;
  EXPECT_EQ(tokens(), (Ints{11, 12, -1, 21, 22}));
  batch.expected->token_offset = -1;
  EXPECT_EQ(tokens(), (Ints{-1, 10, 11, -1, 20}));
  for (const std::int64_t offset : {std::int64_t{1} << 40, -(std::int64_t{1} << 40)}) {
    batch.expected->token_offset = offset;
    EXPECT_EQ(tokens(), (Ints{-1, -1, -1, -1, -1}));
  }

  batch.expected->token_offset = 0;
  batch.expected->num_rows = 2;
  EXPECT_EQ(tokens(), (Ints{10, 11, 12, -1, -1}));
}

/// Valid lengths are those of the requests, whatever their rows.
TYPED_TEST(PlanTest, ValidLengths) {
  oracle::RequestBatch batch = two_rows(1, {2, 0, 1, 2}, {3, 3, 3, 3}, {0, 0, 0, 0});
  batch.expected = {{0, 0, 0, 0, 10, 11, 12, 99, 20, 21, 22, 99}, 3, 3, 4};
  const auto tokens = [&](const Ints& valid_lengths, std::int64_t offset) {
    batch.expected->valid_lengths = valid_lengths;
    batch.expected->token_offset = offset;
    Ints found;
    for (const VerifyEntry& entry : entries(this->run(batch)))
      found.push_back(entry.expected_token);
    return found;
  };
  EXPECT_EQ(tokens({2, 0, 100, 1}, 0), (Ints{20, 21, -1, 10, 11, 12, 20, -1, -1}));
  EXPECT_EQ(tokens({2, 0, 100, 1}, 1), (Ints{21, -1, -1, 11, 12, -1, -1, -1, -1}));
  EXPECT_EQ(tokens({2, 0, 100, 1}, -1), (Ints{-1, 20, 21, -1, 10, 11, -1, 20, -1}));
  EXPECT_EQ(tokens({0, 100, -3, INT64_MIN}, 0), Ints(9, -1));
  EXPECT_EQ(tokens(Ints(4, INT64_MAX), 0), (Ints{20, 21, 22, 10, 11, 12, 20, 21, 22}));
}

/// The table of expected tokens has rows that the slot table lacks, and the other way round.
TYPED_TEST(PlanTest, ExpectedTokensOfRowsOutsideTheSlotTable) {
  oracle::RequestBatch batch = two_rows(1, {3, -1}, {1, 1}, {0, 0});
  batch.expected = {{0, 10, 20, 30}, 4, 1, 1};
  EXPECT_EQ(entries(this->run(batch)),
            (std::vector<VerifyEntry>{{invalid_slot, 0, no_slot, 30, 3},
                                      {invalid_slot, 0, no_slot, -1, -1}}));
}

TYPED_TEST(PlanTest, NumRequests) {
  oracle::RequestBatch batch = two_rows(1, {1, 2, 7}, {1, 1, -1}, {2, 3, -1});
  batch.num_requests = 2;
  const Plans two = this->run(batch);
  EXPECT_EQ(offsets(two), (Ints{0, 2, 5}));
  EXPECT_EQ(two.write.malformed, 0);

  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN}) {
    batch.num_requests = count;
    const Plans none = this->run(batch);
    EXPECT_EQ(none.write.num_requests, 0);
    EXPECT_EQ(none.write.malformed, 1);
    EXPECT_EQ(none.verify.malformed, 1);
  }
  for (const std::int64_t count : {std::int64_t{4}, INT64_MAX}) {
    batch.num_requests = count;
    const Plans all = this->run(batch);
    EXPECT_EQ(all.write.num_requests, 3);
    EXPECT_EQ(all.write.malformed, 2) << "the count and the lengths of the last request";
  }
}

TYPED_TEST(PlanTest, MalformedLengths) {
  for (const std::int64_t bad : {std::int64_t{-1}, too_long, INT64_MIN, INT64_MAX}) {
    const Plans plans = this->run(two_rows(1, {1, 2, 1, 2}, {bad, 2, bad, 1}, {2, bad, bad, 1}));
    EXPECT_EQ(offsets(plans), (Ints{0, 2, 2, 2, 3}));
    EXPECT_EQ(seeds(plans), (Ints{no_slot, no_slot, no_slot, 2}));
    EXPECT_EQ(plans.write.malformed, 3) << "once a request";
    EXPECT_EQ(plans.verify.malformed, 3);
    EXPECT_EQ(plans.verify.num_entries, 3);
  }
}

TYPED_TEST(PlanTest, LongestLengths) {
  constexpr std::int64_t longest = too_long - 1, half = too_long / 2;
  oracle::RequestBatch batch =
      two_rows(1, {1, 2, 2, 1}, {0, longest, longest - 1, half}, {longest, 0, 1, half - 1});
  const Plans plans = this->run(batch);
  EXPECT_EQ(offsets(plans), (Ints{0, longest, longest, longest + 1, longest + half}));
  EXPECT_EQ(plans.write.malformed, 0);
  EXPECT_EQ(plans.verify.required_entries, 2 * longest - 1 + half);
  EXPECT_EQ(plans.verify.enabled, 0);
  batch.verify_end = VerifyEnd::last_token;
  EXPECT_EQ(this->run(batch).verify.required_entries, 4 * longest);
}

/// Two lengths that are right by themselves: a request of 2^30 tokens can't be.
TYPED_TEST(PlanTest, SumOfLengths) {
  constexpr std::int64_t longest = too_long - 1, half = too_long / 2;
  for (const auto& [prefix, extend] :
       {std::pair<std::int64_t, std::int64_t>{1, longest}, {2, longest - 1}, {2, longest}}) {
    const Plans plans = this->run(two_rows(1, {1, 2, 1}, {prefix, 2, 1}, {extend, 1, 1}));
    EXPECT_EQ(offsets(plans), (Ints{0, 0, 1, 2})) << "the extend is taken as 0";
    EXPECT_EQ(seeds(plans), (Ints{no_slot, 7, 3}));
    EXPECT_EQ(plans.verify.num_entries, prefix + 2 + 1);
    EXPECT_EQ(plans.write.malformed, 1);
    EXPECT_EQ(plans.verify.malformed, 1);
  }
  const Plans long_prefix = this->run(two_rows(1, {1, 2}, {half, longest}, {half, 1}));
  EXPECT_EQ(offsets(long_prefix), (Ints{0, 0, 0}));
  EXPECT_EQ(long_prefix.write.malformed, 2);
  EXPECT_EQ(long_prefix.verify.required_entries, half + longest);
}

/// Every offset past the batch is that of its end, so that padded requests have no entries.
TYPED_TEST(PlanTest, OffsetsPastTheBatch) {
  oracle::RequestBatch batch = two_rows(1, {1, 2, 1}, {1, 1, 1}, {2, 3, 4});
  EXPECT_EQ(this->run(batch).write.offsets, (Ints{0, 2, 5, 9, 9, 9})) << "the plan has room for 5";
  batch.num_requests = 1;
  EXPECT_EQ(this->run(batch).write.offsets, (Ints{0, 2, 2, 2, 2, 2}));
  batch.num_requests = 0;
  EXPECT_EQ(this->run(batch).write.offsets, Ints(6, 0));
  EXPECT_EQ(this->run(two_rows(1, {}, {}, {})).write.offsets, Ints(3, 0));
}

/// Too many entries disable the plan for the step, and leave its entries as they were.
TYPED_TEST(PlanTest, OverflowAndRecovery) {
  const oracle::RequestBatch five = two_rows(1, {1, 2}, {2, 3}, {1, 1});
  const oracle::RequestBatch six = two_rows(1, {1, 2}, {3, 3}, {1, 1});
  Plans plans = stale_plans(2, 5);
  const auto step = [&](const oracle::RequestBatch& batch) {
    check_plan<TypeParam>({}, batch, plans);
    const oracle::VerifyPlan& verify = plans.verify;
    return Ints{verify.enabled, verify.num_entries, verify.required_entries,
                static_cast<std::int64_t>(verify.overflows)};
  };
  EXPECT_EQ(step(five), (Ints{1, 5, 5, 0})) << "exactly the capacity";
  EXPECT_EQ(step(six), (Ints{0, 5, 6, 1})) << "what it has room for";
  EXPECT_EQ(step(six), (Ints{0, 5, 6, 2}));
  EXPECT_EQ(step(five), (Ints{1, 5, 5, 2}));
  EXPECT_EQ(seeds(plans), (Ints{1, 6})) << "the write half goes on";
}

/// Requests of any length among empty ones: shares and tiles begin and end anywhere in them.
TYPED_TEST(PlanTest, UnlikeLengths) {
  constexpr std::int64_t page = 64;
  oracle::RequestBatch batch = two_rows(page, {}, {}, {});
  for (const std::int64_t prefix : {0, 1, 31, 32, 33, 0, 63, 64, 65, 0, 0, 190, 2, 127, 0}) {
    for (const std::int64_t repeat : {1, 40}) {
      for (std::int64_t i = 0; i < repeat; ++i) {
        batch.request_rows.push_back(1 + i % 2);
        batch.prefix_lengths.push_back(repeat == 1 ? prefix : prefix % 2);
        batch.extend_lengths.push_back(i % 3);
      }
    }
  }
  for (const std::int64_t window : {0, 1, 50}) {
    batch.window = window;
    EXPECT_EQ(this->run(batch, 4096).verify.enabled, 1);
  }
}

/// More requests than any team has lanes, so that scans and searches cross their tiles.
TYPED_TEST(PlanTest, ThousandsOfRequests) {
  constexpr std::int64_t count = 5000;
  oracle::RequestBatch batch = two_rows(1, {}, {}, {});
  for (std::int64_t r = 0; r < count; ++r) {
    batch.request_rows.push_back(r % 3);
    batch.prefix_lengths.push_back(r % 4);
    batch.extend_lengths.push_back(r % 7);
  }
  const Plans plans = this->run(batch, 4 * count);
  EXPECT_GT(plans.verify.num_entries, count / 2);
}

}  // namespace
