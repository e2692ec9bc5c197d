#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/write_fixture.hpp"

/// \file
/// What write says about tokens and positions that the caller did not expect.
namespace {

using namespace write_cases;  // NOLINT(google-build-using-namespace)

template <class Space>
class WriteInputTest : public WriteTest<Space> {};
TYPED_TEST_SUITE(WriteInputTest, Spaces, SpaceName);

TYPED_TEST(WriteInputTest, ExpectedTokens) {
  oracle::WriteBatch batch = four_tokens();
  batch.expected_tokens = {{101, 7592, 9, 102}};
  const oracle::Report report = this->run(build::write_plan({4}, {no_slot}), batch);
  EXPECT_EQ(report.violations,
            (std::vector<Violation>{{0, 7, 2, 2088, 9, hashes[2], 0, bit::write_token, 1, 2}}));
  EXPECT_EQ(this->record(7), (Record{2088, 2, hashes[2], 0})) << "the actual token is stored";
}

TYPED_TEST(WriteInputTest, ExpectedTokenOfMinusOneIsAnExpectation) {
  oracle::WriteBatch batch = four_tokens();
  batch.expected_tokens = {{101, -1, 2088, 102}};
  EXPECT_EQ(this->run(build::write_plan({4}, {no_slot}), batch).violations.size(), 1U);
}

TYPED_TEST(WriteInputTest, ExpectedPositions) {
  oracle::WriteBatch batch = four_tokens();
  batch.expected_positions = {{0, 1, 2, 30}};
  EXPECT_EQ(this->run(build::write_plan({4}, {no_slot}), batch).violations,
            (std::vector<Violation>{{0, 3, 3, 102, -1, hashes[3], 30, bit::write_position, 1, 3}}));
  batch.expected_tokens = {{101, 7592, 2088, 0}};
  EXPECT_EQ(this->run(build::write_plan({4}, {no_slot}), batch).violations,
            (std::vector<Violation>{
                {0, 3, 3, 102, 0, hashes[3], 30, bit::write_token | bit::write_position, 1, 3}}));
}

/// The position check: a request with one entry and a valid seed continues right after the seed.
class OneEntry {
 public:
  /// Position 2 is right after the seed.
  explicit OneEntry(std::int64_t position) { batch.positions = {position}; }

  template <class Test>
  std::vector<Violation> run(Test& test) const {
    test.endpoints = {build::endpoint(0, 8)};
    test.run(build::write_plan({2}, {no_slot}), {{101, 7592}, {0, 1}, {5, 2}});
    return test.run(plan, batch).violations;
  }

  oracle::WritePlan plan = build::write_plan({1}, {2});
  oracle::WriteBatch batch = {{2088}, {}, {7}, {}, {}, 1};
};

TYPED_TEST(WriteInputTest, PositionCheck) {
  EXPECT_TRUE(OneEntry(2).run(*this).empty());
  EXPECT_EQ(OneEntry(4).run(*this),
            (std::vector<Violation>{{0, 7, 4, 2088, -1, hashes[2], 2, bit::write_position, 1, 0}}));

  for (const std::int64_t flag : {std::int64_t{-1}, INT64_MIN, std::int64_t{2}}) {
    OneEntry on(4);
    on.batch.check_positions = flag;
    EXPECT_EQ(on.run(*this).size(), 1U);
  }
  OneEntry off(4);
  off.batch.check_positions = 0;
  EXPECT_TRUE(off.run(*this).empty());
  off.batch.check_positions.reset();
  EXPECT_TRUE(off.run(*this).empty());
}

TYPED_TEST(WriteInputTest, PositionCheckOnlyWithAValidSeed) {
  for (const std::int64_t seed : {no_slot, std::int64_t{0}}) {
    OneEntry unseeded(4);
    unseeded.plan.seed_slots = {seed};
    EXPECT_TRUE(unseeded.run(*this).empty());
  }
  OneEntry outside(4);
  outside.plan.seed_slots = {8};
  EXPECT_EQ(outside.run(*this),
            (std::vector<Violation>{{0, 8, -1, 0, -1, 0, 0, bit::slot_out_of_bounds, 1, 0}}));
}

/// Skipped entries count as entries of the request.
TYPED_TEST(WriteInputTest, PositionCheckOnlyWithOneEntry) {
  OneEntry two(4);
  two.plan = build::write_plan({2}, {2});
  two.batch.tokens = {2088, 1};
  two.batch.positions = {4, 5};
  two.batch.slots = {7, -1};
  EXPECT_TRUE(two.run(*this).empty());

  // The offsets ask for two, but there is one.
  OneEntry clamped(4);
  clamped.plan = build::write_plan({2}, {2});
  const std::vector<Violation> violations = clamped.run(*this);
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].fail_bits, bit::malformed_plan);
  EXPECT_EQ(violations[1].fail_bits, bit::write_position);
}

TYPED_TEST(WriteInputTest, PositionCheckAndExpectedPosition) {
  OneEntry both(4);
  both.batch.expected_positions = {{9}};
  EXPECT_EQ(both.run(*this)[0].expected_aux, 9) << "the expected position comes first";
  both.batch.expected_positions = {{4}};
  EXPECT_EQ(both.run(*this)[0].expected_aux, 2);
}

TYPED_TEST(WriteInputTest, PositionCheckWraps) {
  this->run(build::write_plan({1}, {no_slot}), {{1}, {INT64_MAX}, {1}});
  EXPECT_TRUE(this->run(build::write_plan({1}, {1}), {{2}, {INT64_MIN}, {2}, {}, {}, 1})
                  .violations.empty());
}

}  // namespace
