#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/write_fixture.hpp"

/// \file
/// What write says about tokens and positions that the caller did not expect.
namespace {

using namespace write_cases;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;
using testing::IsEmpty;

template <class On>
class WriteInputTest : public WriteTest<On> {
 protected:
  /// Violations of the four tokens, in the order of the entries.
  std::vector<Violation> four(const oracle::TokenBatch& batch) {
    return this->run(build::write_plan({4}, {no_slot}), batch).violations;
  }
};
TYPED_TEST_SUITE(WriteInputTest, ChainedSpaces, SpaceName);

// ---- the input check ---------------------------------------------------------------------------

TYPED_TEST(WriteInputTest, ExpectedTokens) {
  oracle::TokenBatch batch = four_tokens();
  batch.expected_tokens = {{101, 7592, 9, 102}};
  Violation expected = this->of_entry(2, bit::write_token);
  expected.expected_token = 9;
  EXPECT_THAT(this->four(batch), ElementsAre(expected));
  EXPECT_EQ(this->record(7), (Record{2088, 2, this->hashes[2], 0})) << "the actual token is stored";
}

TYPED_TEST(WriteInputTest, ExpectedTokenOfMinusOneIsAnExpectation) {
  oracle::TokenBatch batch = four_tokens();
  batch.expected_tokens = {{101, -1, 2088, 102}};
  Violation expected = this->of_entry(1, bit::write_token);
  expected.expected_token = -1;
  EXPECT_THAT(this->four(batch), ElementsAre(expected));
}

TYPED_TEST(WriteInputTest, ExpectedPositions) {
  oracle::TokenBatch batch = four_tokens();
  batch.expected_positions = {{0, 1, 2, 30}};
  Violation expected = this->of_entry(3, bit::write_position);
  expected.expected_aux = expected.expected_position = 30;
  EXPECT_THAT(this->four(batch), ElementsAre(expected));
}

/// One violation for any of the two; each says what was expected of both.
TYPED_TEST(WriteInputTest, ExpectedTokensAndPositions) {
  oracle::TokenBatch batch = four_tokens();
  batch.expected_tokens = {{0, 7592, 2088, 5}};
  batch.expected_positions = {{0, 1, -2, 6}};
  Violation first = this->of_entry(0, bit::write_token);
  first.expected_token = 0;
  Violation third = this->of_entry(2, bit::write_position);
  third.expected_aux = third.expected_position = -2;
  Violation fourth = this->of_entry(3, bit::write_token | bit::write_position);
  fourth.expected_token = 5;
  fourth.expected_aux = fourth.expected_position = 6;
  EXPECT_THAT(this->four(batch), ElementsAre(first, third, fourth));
}

/// Skipped entries are not compared with anything.
TYPED_TEST(WriteInputTest, SkippedEntries) {
  oracle::TokenBatch batch = four_tokens();
  batch.slots[1] = -1;
  batch.expected_tokens = {{101, 0, 2088, 102}};
  batch.expected_positions = {{0, 9, 2, 3}};
  EXPECT_THAT(this->four(batch), IsEmpty());
}

/// Every endpoint reports for itself.
TYPED_TEST(WriteInputTest, SeveralEndpoints) {
  oracle::TokenBatch batch = four_tokens();
  batch.expected_positions = {{0, 1, 2, 30}};
  this->endpoints = {build::endpoint(3, 8), build::endpoint(44, 8)};
  const std::vector<Violation> found = this->four(batch);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].launch_tag, 3);
  EXPECT_EQ(found[1].launch_tag, 44);
}

// ---- the position check ------------------------------------------------------------------------

/// A request of any number of entries after the first two tokens, which are in slots 5 and 2: its
/// positions must be 2, 3, ...
class Continued {
 public:
  explicit Continued(const Ints& positions) {
    const auto count = static_cast<std::int64_t>(positions.size());
    plan = build::write_plan({count}, {2});
    batch.tokens = build::iota(count, 50);
    batch.positions = positions;
    batch.slots = build::iota(count, 6);
    batch.check_positions = 1;
  }

  template <class Test>
  std::vector<Violation> run(Test& test) const {
    test.endpoints = {build::endpoint(0, 12)};
    test.run(build::write_plan({2}, {no_slot}), {{101, 7592}, {0, 1}, {5, 2}});
    return test.run(plan, batch).violations;
  }

  oracle::WritePlan plan;
  oracle::TokenBatch batch;
};

/// The entries that are reported, each with the position that it must have.
using Named = std::vector<std::pair<std::int64_t, std::int64_t>>;
Named named(const std::vector<Violation>& violations) {
  Named entries;
  for (const Violation& violation : violations) {
    EXPECT_EQ(violation.fail_bits, bit::write_position);
    EXPECT_EQ(violation.expected_aux, violation.expected_position);
    entries.emplace_back(violation.entry, violation.expected_position);
  }
  return entries;
}

TYPED_TEST(WriteInputTest, FieldsOfAPositionCheck) {
  EXPECT_THAT(Continued({2}).run(*this), IsEmpty());
  EXPECT_THAT(Continued({4}).run(*this), ElementsAre(Violation{.launch_tag = 0,
                                                               .slot = 6,
                                                               .position = 4,
                                                               .stored_token = 50,
                                                               .expected_token = 50,
                                                               .stored_chain_hash = this->hashes[2],
                                                               .expected_aux = 2,
                                                               .fail_bits = bit::write_position,
                                                               .request_row = 1,
                                                               .entry = 0,
                                                               .expected_position = 2,
                                                               .stored_kv_hash = 0,
                                                               .expected_kv_hash = 0}));
  EXPECT_EQ(this->record(6).position, 4) << "stored nevertheless";
}

/// Each entry is compared with the one before it: a jump is named once.
TYPED_TEST(WriteInputTest, PositionsOfSeveralEntries) {
  EXPECT_EQ(named(Continued({2, 3, 4, 5}).run(*this)), Named{});
  EXPECT_EQ(named(Continued({3, 4, 5, 6}).run(*this)), (Named{{0, 2}}));
  EXPECT_EQ(named(Continued({2, 3, 5, 6}).run(*this)), (Named{{2, 4}}));
  EXPECT_EQ(named(Continued({2, 3, 4, 4}).run(*this)), (Named{{3, 5}}));
  EXPECT_EQ(named(Continued({2, 9, 4, 5}).run(*this)), (Named{{1, 3}, {2, 10}}));
  EXPECT_EQ(named(Continued({-1, INT64_MIN, INT64_MAX}).run(*this)),
            (Named{{0, 2}, {1, 0}, {2, INT64_MIN + 1}}));
}

/// An entry without a slot is passed over, and the position with it.
TYPED_TEST(WriteInputTest, PositionsAroundSkippedEntries) {
  Continued skipped({2, 77, 3, 4});
  skipped.batch.slots[1] = -1;
  EXPECT_EQ(named(skipped.run(*this)), Named{});
  skipped.batch.positions = {2, 3, 4, 5};
  EXPECT_EQ(named(skipped.run(*this)), (Named{{2, 3}}));
  skipped.batch.slots = {-1, -1, 6, 7};
  EXPECT_EQ(named(skipped.run(*this)), (Named{{2, 2}}));
}

/// What is not stored, and what goes to a padding slot, has a position like all others.
TYPED_TEST(WriteInputTest, PositionsAroundEntriesThatAreNotStored) {
  Continued padded({2, 3, 4, 5});
  padded.batch.slots[1] = 0;
  EXPECT_EQ(named(padded.run(*this)), Named{});
  Continued outside({2, 3, 4, 5});
  outside.batch.slots[1] = 12;
  const std::vector<Violation> found = outside.run(*this);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fail_bits, bit::slot_out_of_bounds);
}

TYPED_TEST(WriteInputTest, FlagOfThePositionCheck) {
  for (const std::int64_t flag : {std::int64_t{-1}, INT64_MIN, std::int64_t{2}}) {
    Continued on({4});
    on.batch.check_positions = flag;
    EXPECT_EQ(on.run(*this).size(), 1U);
  }
  Continued off({4});
  off.batch.check_positions = 0;
  EXPECT_THAT(off.run(*this), IsEmpty());
  off.batch.check_positions.reset();
  EXPECT_THAT(off.run(*this), IsEmpty());
}

TYPED_TEST(WriteInputTest, PositionCheckOnlyWithAValidSeed) {
  for (const std::int64_t seed : {no_slot, std::int64_t{0}}) {
    Continued unseeded({4, 9});
    unseeded.plan.seed_slots = {seed};
    EXPECT_THAT(unseeded.run(*this), IsEmpty());
  }
  for (const std::int64_t seed : {std::int64_t{12}, oracle::invalid_slot, oracle::unchecked_slot}) {
    Continued outside({4, 9});
    outside.plan.seed_slots = {seed};
    EXPECT_THAT(outside.run(*this), ElementsAre(of_seed(0, seed)));
  }
}

/// Requests don't see each other, and those beside one with a seed may start anywhere.
TYPED_TEST(WriteInputTest, PositionsOfSeveralRequests) {
  Continued several({2, 3, 7, 9, 2});
  several.plan = build::write_plan({2, 2, 1}, {2, no_slot, 2});
  EXPECT_EQ(named(several.run(*this)), Named{});
  several.batch.positions = {2, 4, 7, 9, 3};
  EXPECT_EQ(named(several.run(*this)), (Named{{1, 3}, {4, 2}}));
}

/// The offsets ask for more than there is: what is left is checked.
TYPED_TEST(WriteInputTest, PositionsOfAClampedRequest) {
  Continued clamped({4});
  clamped.plan = build::write_plan({2}, {2});
  const std::vector<Violation> violations = clamped.run(*this);
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0], of_offsets(0, 2));
  EXPECT_EQ(violations[1].fail_bits, bit::write_position);
}

TYPED_TEST(WriteInputTest, PositionCheckWraps) {
  this->run(build::write_plan({1}, {no_slot}), {{1}, {INT64_MAX}, {1}});
  oracle::TokenBatch batch = {{2, 3}, {INT64_MIN, INT64_MIN + 1}, {2, 3}};
  batch.check_positions = 1;
  EXPECT_THAT(this->run(build::write_plan({2}, {1}), batch).violations, IsEmpty());
}

/// Seeds are those of each endpoint.
TYPED_TEST(WriteInputTest, PositionsInEndpointsWithDifferentSeeds) {
  this->endpoints = {build::endpoint(0, 8), build::endpoint(1, 8), build::endpoint(2, 8)};
  for (int tag = 0; tag < 3; ++tag) oracle::store(this->endpoints[tag], 1, {5, tag, 0, 0});
  oracle::TokenBatch batch{{6, 7}, {2, 3}, {2, 3}};
  batch.check_positions = 1;
  const std::vector<Violation> found = this->run(build::write_plan({2}, {1}), batch).violations;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].launch_tag, 0);
  EXPECT_EQ(found[0].expected_position, 1);
  EXPECT_EQ(found[1].launch_tag, 2);
  EXPECT_EQ(found[1].expected_position, 3);
}

/// In a long chain, positions are followed over any tile of entries.
TYPED_TEST(WriteInputTest, PositionsOfALongRequest) {
  constexpr std::int64_t length = 3000;
  this->endpoints = {build::endpoint(0, length + 2)};
  oracle::store(this->endpoints[0], 1, {5, 9, 0, 0});
  oracle::TokenBatch batch{build::iota(length, 7), build::iota(length, 10), build::iota(length, 2)};
  batch.check_positions = 1;
  EXPECT_THAT(this->run(build::write_plan({length}, {1}), batch).violations, IsEmpty());
  // An entry out of line is named, and so is the one after it, which is back in line.
  Named expected;
  for (const std::int64_t i : {0, 31, 64, 127, 256, 511, 1023, 2047, 2999}) {
    batch.positions[i] += 100;
    expected.emplace_back(i, 10 + i);
    if (i + 1 < length) expected.emplace_back(i + 1, 111 + i);
  }
  batch.slots[2500] = -1;
  expected.emplace_back(2501, 10 + 2500);
  std::ranges::sort(expected);
  EXPECT_EQ(named(this->run(build::write_plan({length}, {1}), batch).violations), expected);
}

// ---- all checks of one entry -------------------------------------------------------------------

/// Each check has a violation of its own, in which the others read as if all were right.
TYPED_TEST(WriteInputTest, AViolationForEachCheck) {
  Continued all({4});
  all.batch.slots = {12};
  all.batch.expected_tokens = {{51}};
  all.batch.expected_positions = {{9}};
  Violation input{.launch_tag = 0,
                  .slot = 12,
                  .position = 4,
                  .stored_token = 50,
                  .expected_token = 51,
                  .stored_chain_hash = this->hashes[2],
                  .expected_aux = 9,
                  .fail_bits = bit::write_token | bit::write_position,
                  .request_row = 1,
                  .entry = 0,
                  .expected_position = 9,
                  .stored_kv_hash = 0,
                  .expected_kv_hash = 0};
  Violation position = input, bounds = input;
  position.fail_bits = bit::write_position;
  position.expected_token = bounds.expected_token = 50;
  position.expected_aux = position.expected_position = 2;
  bounds.fail_bits = bit::slot_out_of_bounds;
  bounds.expected_aux = bounds.expected_position = 4;
  EXPECT_THAT(all.run(*this), testing::UnorderedElementsAre(input, position, bounds));
}

/// A position that was expected, but does not follow, and the other way round.
TYPED_TEST(WriteInputTest, PositionCheckBesideAnExpectedPosition) {
  Continued expected({4});
  expected.batch.expected_positions = {{4}};
  EXPECT_EQ(named(expected.run(*this)), (Named{{0, 2}}));
  Continued follows({2});
  follows.batch.expected_positions = {{9}};
  EXPECT_EQ(named(follows.run(*this)), (Named{{0, 9}}));
}

}  // namespace
