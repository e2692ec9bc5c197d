#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/write_fixture.hpp"

/// \file
/// The records that hand-made writes leave, and what they report about slots, seeds and offsets.
namespace {

using namespace write_cases;  // NOLINT(google-build-using-namespace)

TYPED_TEST_SUITE(WriteTest, ChainedSpaces, SpaceName);

TYPED_TEST(WriteTest, ChainFromTheAnchor) {
  for (const std::int64_t stride : {32, 48, 64, 144}) {
    this->endpoints = {build::endpoint(0, 8, stride)};
    const oracle::Report report = this->run(build::write_plan({4}, {no_slot}), four_tokens());
    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 4}));
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(this->record(slots[i]), (Record{tokens[i], i, this->hashes[i], 0}));
    }
    EXPECT_TRUE(this->untouched(0));
    EXPECT_TRUE(this->untouched(6));
  }
}

TYPED_TEST(WriteTest, ChainFromASeed) {
  const oracle::TokenBatch batch = four_tokens();
  this->run(build::write_plan({2}, {no_slot}), {{101, 7592}, {0, 1}, {5, 2}});
  this->run(build::write_plan({2}, {2}), {{2088, 102}, {2, 3}, {7, 3}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(this->record(slots[i]).prev_hash, this->hashes[i]);
}

TYPED_TEST(WriteTest, TokensOfMinusOneAndInt64) {
  const bool splitmix = TypeParam::chain == oracle::Chain::splitmix;
  this->run(build::write_plan({2}, {no_slot}), {{-1, 5}, {0, 1}, {1, 2}});
  EXPECT_EQ(this->record(2).prev_hash,
            static_cast<std::int64_t>(splitmix ? 0xE5A9A05404A720CF : 0x465AF7C8AE342FB2));
  this->run(build::write_plan({1}, {2}), {{INT64_MIN}, {INT64_MAX}, {3}});
  const auto third = static_cast<std::int64_t>(splitmix ? 0xBD18F90687DE417F : 0x671B4A61B280E697);
  EXPECT_EQ(this->record(3), (Record{INT64_MIN, INT64_MAX, third, 0}));
}

TYPED_TEST(WriteTest, SeveralRequests) {
  oracle::TokenBatch batch = four_tokens();
  batch.positions = {0, 1, 0, 0};
  const oracle::Report report = this->run(build::write_plan({2, 1, 0, 1}, Ints(4, no_slot)), batch);
  EXPECT_EQ(report.counts[0].entries, 4U);
  EXPECT_EQ(this->record(2).prev_hash, this->hashes[1]);
  EXPECT_EQ(this->record(7).prev_hash, anchor);
  EXPECT_EQ(this->record(3).prev_hash, anchor);
}

/// Negative slots are skipped: the entries around them are linked as if they were not there.
TYPED_TEST(WriteTest, SkippedEntries) {
  for (const std::size_t at : {0, 1, 2, 3, 4}) {
    oracle::TokenBatch batch = four_tokens();
    const auto insert = [at](Ints& values, std::int64_t value) {
      values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), value);
    };
    insert(batch.tokens, 777);
    insert(batch.positions, 777);
    insert(batch.slots, at % 2 == 0 ? -1 : INT64_MIN);
    batch.expected_tokens = Ints(batch.tokens);
    batch.expected_tokens->at(at) = 1;  // not compared
    const oracle::Report report = this->run(build::write_plan({5}, {no_slot}), batch);
    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.counts[0].entries, 4U);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(this->record(slots[i]).prev_hash, this->hashes[i]);
  }
}

TYPED_TEST(WriteTest, NothingButSkippedEntries) {
  const oracle::Report report =
      this->run(build::write_plan({3}, {no_slot}), {{1, 2, 3}, {0, 1, 2}, {-1, -1, -1}});
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 0}));
}

/// Padded entries may write padding slots, wherever they are; as a seed they are not trusted.
TYPED_TEST(WriteTest, PaddingSlots) {
  for (const oracle::Padding& range : {oracle::Padding{0, 1}, oracle::Padding{0, 2},
                                       oracle::Padding{3, 2}, oracle::Padding{6, 2}}) {
    for (const bool skip : {false, true}) {
      for (std::int64_t seed = range.first; seed < range.first + range.count; ++seed) {
        this->endpoints = {build::endpoint(0, 8)};
        this->endpoints[0].padding = {range.first, range.count, skip};
        oracle::store(this->endpoints[0], seed, {9, 0, 9, 0});
        oracle::TokenBatch batch = four_tokens();
        batch.slots = {seed, 2, seed, 5};
        batch.check_positions = 1;
        batch.positions = {7, 8, 9, 10};
        const oracle::Report report = this->run(build::write_plan({4}, {seed}), batch);
        EXPECT_TRUE(report.violations.empty());
        EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 4}));
        EXPECT_FALSE(this->untouched(seed));
        const std::int64_t second = this->next({101, 7, anchor, 0});
        EXPECT_EQ(this->record(2).prev_hash, second) << "the chain starts at the anchor";
        const std::int64_t third = this->next({7592, 8, second, 0});
        EXPECT_EQ(this->record(5).prev_hash, this->next({2088, 9, third, 0}))
            << "and goes through padded entries";
      }
    }
  }
}

/// Slot 0 is like all others in a pool without padding.
TYPED_TEST(WriteTest, SlotZeroWithoutPadding) {
  this->endpoints[0].padding = build::no_padding;
  this->run(build::write_plan({2}, {no_slot}), {{101, 7592}, {0, 1}, {5, 0}});
  this->run(build::write_plan({2}, {0}), {{2088, 102}, {2, 3}, {7, 3}});
  EXPECT_EQ(this->record(7).prev_hash, this->hashes[2]);
  EXPECT_EQ(this->record(3).prev_hash, this->hashes[3]);
}

/// One seed that is a padding slot in one endpoint, and somebody's in the other.
TYPED_TEST(WriteTest, PaddingOfEndpoints) {
  this->endpoints = {build::endpoint(0, 8), build::endpoint(1, 8)};
  this->endpoints[1].padding = {2, 1};
  this->run(build::write_plan({2}, {no_slot}), {{101, 7592}, {0, 1}, {5, 2}});
  this->run(build::write_plan({1}, {2}), {{2088}, {2}, {7}});
  EXPECT_EQ(this->record(7).prev_hash, this->hashes[2]);
  EXPECT_EQ(oracle::load(this->endpoints[1], 7).prev_hash, anchor);
}

/// The bad entry is named once, and those after it are as if it had been written.
TYPED_TEST(WriteTest, SlotOutOfBounds) {
  for (const std::int64_t slot : {std::int64_t{8}, std::int64_t{1} << 31, INT64_MAX}) {
    oracle::TokenBatch batch = four_tokens();
    batch.slots[1] = slot;
    const oracle::Report report = this->run(build::write_plan({4}, {no_slot}), batch);
    Violation expected = this->of_entry(1, bit::slot_out_of_bounds);
    expected.slot = slot;
    EXPECT_EQ(report.violations, (std::vector<Violation>{expected}));
    EXPECT_EQ(report.counts[0].entries, 4U);
    EXPECT_EQ(this->record(7).prev_hash, this->hashes[2]);
    EXPECT_EQ(this->record(3).prev_hash, this->hashes[3]);
  }
}

TYPED_TEST(WriteTest, SeedOutOfBounds) {
  for (const std::int64_t seed :
       {std::int64_t{8}, oracle::invalid_slot, oracle::unchecked_slot, INT64_MAX, INT64_MIN}) {
    const oracle::Report report = this->run(build::write_plan({4}, {seed}), four_tokens());
    EXPECT_EQ(report.violations, (std::vector<Violation>{of_seed(0, seed)}));
    EXPECT_EQ(this->record(3).prev_hash, this->hashes[3]) << "the chain starts at the anchor";
  }
}

TYPED_TEST(WriteTest, SeedOutOfBoundsOfARequestWithoutEntries) {
  EXPECT_EQ(this->run(build::write_plan({0, 4}, {8, no_slot}), four_tokens()).violations,
            (std::vector<Violation>{of_seed(0, 8)}));
}

TYPED_TEST(WriteTest, KVHashIsStored) {
  this->endpoints[0].mode = oracle::KVMode::all;
  this->endpoints[0].sources = {build::kv_source(1, 8, 32, 32)};
  this->run(build::write_plan({1}, {no_slot}), {{1}, {0}, {0}});
  EXPECT_EQ(this->record(0).kv_hash, static_cast<std::int64_t>(0xB44181DFE9420039));
  this->endpoints[0].mode = oracle::KVMode::partial;
  this->run(build::write_plan({1}, {no_slot}), {{1}, {0}, {0}});
  EXPECT_EQ(this->record(0).kv_hash, static_cast<std::int64_t>(0xD6D75024DFD6C30C));
}

/// Slot 5 has no KV row: it isn't written; in mode none no row is needed.
TYPED_TEST(WriteTest, KVRowOutOfRange) {
  Endpoint& endpoint = this->endpoints[0];
  endpoint.sources = {build::kv_source(8, 1, 8, 8), build::kv_source(5, 1, 8, 8)};
  for (const oracle::KVMode mode : {oracle::KVMode::partial, oracle::KVMode::all}) {
    endpoint.mode = mode;
    oracle::TokenBatch batch = four_tokens();
    batch.slots = {5, 2, 1, 3};
    EXPECT_EQ(this->run(build::write_plan({4}, {no_slot}), batch).violations,
              (std::vector<Violation>{this->of_entry(0, bit::slot_out_of_bounds)}));
    EXPECT_TRUE(this->untouched(5));
    EXPECT_EQ(this->record(2).prev_hash, this->hashes[1]);
  }
  this->endpoints[0].mode = oracle::KVMode::none;
  EXPECT_TRUE(this->run(build::write_plan({4}, {no_slot}), four_tokens()).violations.empty());
}

/// Offsets that can't be: the request is named, and what is left of its range is written.
TYPED_TEST(WriteTest, MalformedOffsets) {
  struct Bad {
    Ints offsets;
    std::int64_t entries, named, end;
  };
  const std::vector<Bad> bads = {
      {{-1, 4}, 4, 0, 4},
      {{0, 5}, 4, 0, 5},
      {{3, 1}, 0, 0, 1},
      {{5, 6}, 0, 0, 6},
      {{INT64_MIN, INT64_MAX}, 4, 0, INT64_MAX},
      {{INT64_MAX, INT64_MIN}, 0, 0, INT64_MIN},
      {{0, 2, 1, 4}, 5, 1, 1},
      {{0, 1, INT64_MAX}, 4, 1, INT64_MAX},
  };
  for (const Bad& bad : bads) {
    const std::size_t requests = bad.offsets.size() - 1;
    oracle::WritePlan plan = build::write_plan(Ints(requests, 0), Ints(requests, no_slot));
    plan.offsets = bad.offsets;
    const oracle::Report report = this->run(plan, four_tokens());
    EXPECT_EQ(report.violations, (std::vector<Violation>{of_offsets(bad.named, bad.end)}));
    EXPECT_EQ(report.counts[0].entries, static_cast<std::uint64_t>(bad.entries));
  }
}

/// What lies before the first or after the last offset is nobody's.
TYPED_TEST(WriteTest, FirstAndLastOffsetBoundAll) {
  oracle::WritePlan plan = build::write_plan({0, 0}, {no_slot, no_slot});
  plan.offsets = {1, 4, 2};
  const oracle::Report report = this->run(plan, four_tokens());
  EXPECT_THAT(report.violations, testing::UnorderedElementsAre(of_offsets(0, 4), of_offsets(1, 2)));
  EXPECT_EQ(report.counts[0].entries, 1U);
  EXPECT_EQ(this->record(2).token, tokens[1]);
  for (const std::int64_t slot : {5, 7, 3}) EXPECT_TRUE(this->untouched(slot));
}

TYPED_TEST(WriteTest, EmptyRangeAtTheEndIsFine) {
  oracle::WritePlan plan = build::write_plan({4, 0}, {no_slot, no_slot});
  EXPECT_TRUE(this->run(plan, four_tokens()).violations.empty());
}

TYPED_TEST(WriteTest, EmptyBatch) {
  const oracle::Report report = this->run(build::write_plan({0, 0}, {no_slot, no_slot}), {});
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, 0}));
}

TYPED_TEST(WriteTest, MalformedState) {
  oracle::WritePlan plan = build::write_plan({4}, {no_slot});
  for (const std::int64_t malformed : {std::int64_t{1}, std::int64_t{3}, std::int64_t{-1}}) {
    plan.malformed = malformed;
    const oracle::Report report = this->run(plan, four_tokens());
    EXPECT_EQ(report.violations, std::vector<Violation>{of_plan(1)});
    EXPECT_EQ(report.counts[0].entries, 4U);
  }
  plan.malformed = 0;
  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN, std::int64_t{2}, INT64_MAX}) {
    plan.num_requests = count;
    const oracle::Report report = this->run(plan, four_tokens());
    EXPECT_EQ(report.violations, std::vector<Violation>{of_plan(count)});
    EXPECT_EQ(report.counts[0].entries, count < 0 ? 0U : 4U);
  }
}

TYPED_TEST(WriteTest, FewerRequestsThanCapacity) {
  oracle::WritePlan plan = build::write_plan({2, 2}, {no_slot, no_slot});
  plan.num_requests = 1;
  const oracle::Report report = this->run(plan, four_tokens());
  EXPECT_EQ(report.counts[0].entries, 2U);
  EXPECT_TRUE(this->untouched(7));
}

/// As many as the step's tokens: one more or less, and a length was lost.
TYPED_TEST(WriteTest, NumTokens) {
  oracle::TokenBatch batch = four_tokens();
  batch.num_tokens = 4;
  EXPECT_TRUE(this->run(build::write_plan({1, 3}, Ints(2, no_slot)), batch).violations.empty());
  for (const std::int64_t count : {std::int64_t{3}, std::int64_t{5}, std::int64_t{0},
                                   std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    batch.num_tokens = count;
    this->endpoints = {build::endpoint(0, 8), build::endpoint(17, 8)};
    Violation other = of_plan(4, count);
    other.launch_tag = 17;
    EXPECT_EQ(this->run(build::write_plan({1, 3}, Ints(2, no_slot)), batch).violations,
              (std::vector<Violation>{of_plan(4, count), other}));
    EXPECT_EQ(this->record(3).token, 102) << "all is written nevertheless";
  }
}

/// The last offset of the requests that count is compared as it was given.
TYPED_TEST(WriteTest, NumTokensBesideAMalformedPlan) {
  oracle::TokenBatch batch = four_tokens();
  batch.num_tokens = 4;
  oracle::WritePlan plan = build::write_plan({2, 2}, Ints(2, no_slot));
  plan.num_requests = 1;
  EXPECT_EQ(this->run(plan, batch).violations, (std::vector<Violation>{of_plan(2, 4)}));
  plan.num_requests = 3;
  EXPECT_EQ(this->run(plan, batch).violations, (std::vector<Violation>{of_plan(3)}));
  plan.num_requests = -1;
  EXPECT_EQ(this->run(plan, batch).violations,
            (std::vector<Violation>{of_plan(-1), of_plan(0, 4)}));
  plan.num_requests = 2;
  plan.malformed = 1;
  plan.offsets[2] = INT64_MAX;
  EXPECT_EQ(this->run(plan, batch).violations,
            (std::vector<Violation>{of_plan(2), of_plan(INT64_MAX, 4), of_offsets(1, INT64_MAX)}));
}

/// Every endpoint has its own size, stride, bytes, tag, seed and mistakes.
TYPED_TEST(WriteTest, TwelveEndpoints) {
  this->endpoints.clear();
  for (int tag = 11; tag >= 0; --tag) {
    this->endpoints.push_back(
        build::endpoint(tag * 5 + 8, tag % 3 == 0 ? 4 : 8, 32 + 16 * (tag % 4)));
    Endpoint& endpoint = this->endpoints.back();
    endpoint.mode = static_cast<oracle::KVMode>(tag % 3);
    endpoint.sources = {build::kv_source(8, 1, 8 + tag, 8 + tag)};
  }
  const oracle::Report report = this->run(build::write_plan({4}, {no_slot}), four_tokens());
  EXPECT_EQ(report.violations.size(), 8U) << "slots 5 and 7 in four endpoints";
  for (int tag = 0; tag < 64; ++tag) {
    EXPECT_EQ(report.counts[tag],
              tag >= 8 && tag % 5 == 3 ? (oracle::TagCounts{1, 4}) : oracle::TagCounts{});
  }
}

/// Chains over several tiles of any size up to 1024, with skipped and bad entries at their edges.
TYPED_TEST(WriteTest, LongChains) {
  constexpr std::int64_t length = 4200;
  this->endpoints = {build::endpoint(3, length + 1)};
  oracle::TokenBatch batch{build::iota(length, 7), build::iota(length), build::iota(length, 1)};
  for (const std::int64_t i : {0, 31, 32, 127, 128, 255, 256, 511, 512, 1023, 1024, 4095, 4096}) {
    batch.slots[i] = i % 2 == 0 ? -1 : length + 1;
  }
  const oracle::Report report = this->run(build::write_plan({length}, {no_slot}), batch);
  EXPECT_EQ(report.violations.size(), 6U);
}

}  // namespace
