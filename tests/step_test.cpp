#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/step_input.hpp"

/// \file
/// step: what verify_requests and write_requests would do, in the order of its side.
namespace {

using namespace step_input;  // NOLINT(google-build-using-namespace)
using oracle::StepSide;

template <class Space>
class StepTest : public SpaceTest<Space> {
 protected:
  static oracle::Report run(StepSide side, std::vector<StepInput>& steps) {
    std::vector<oracle::StepJob> jobs;
    for (StepInput& step : steps) jobs.push_back({&step.batch, &step.tokens, &step.endpoints});
    return check_step<Space>({0x5A5A5A5A}, side, jobs);
  }
  static oracle::Report run(StepSide side, StepInput step) {
    std::vector<StepInput> steps = {std::move(step)};
    return run(side, steps);
  }
  static void expect_clean(const StepInput& step) {
    for (const StepSide side : {StepSide::head, StepSide::tail}) {
      const oracle::Report report = run(side, step);
      if (report.total > 0) ADD_FAILURE() << report.violations.at(0);
    }
  }
};
TYPED_TEST_SUITE(StepTest, OperationSpaces, SpaceName);

std::int64_t slot_at(const StepInput& step, std::size_t r, std::int64_t position) {
  return oracle::find(step.batch.table, step.batch.request_rows.at(r), position).slot;
}

/// All fail bits that were reported of a tag.
std::int64_t bits_of(const oracle::Report& report, int tag) {
  std::int64_t bits = 0;
  for (const Violation& row : report.violations) bits |= row.launch_tag == tag ? row.fail_bits : 0;
  return bits;
}

/// Decode of as many requests as lanes of a team, and around that; the first ones have no prefix.
TYPED_TEST(StepTest, Decode) {
  for (const std::int64_t requests : {1, 2, 63, 255, 256, 257}) {
    Ints prefixes(requests);
    for (std::int64_t r = 0; r < requests; ++r) prefixes[r] = r * 29 % 70;
    const StepInput step = step_of(prefixes, Ints(requests, 1), 4);
    TestFixture::expect_clean(step);
    const auto read = static_cast<std::uint64_t>(
        std::accumulate(prefixes.begin(), prefixes.end(), std::int64_t{0}));
    const auto added = static_cast<std::uint64_t>(requests);
    EXPECT_EQ(TestFixture::run(StepSide::head, step).counts[0],
              (oracle::TagCounts{2, read + added}));
    EXPECT_EQ(TestFixture::run(StepSide::tail, step).counts[0],
              (oracle::TagCounts{2, read + 2 * added}));
  }
}

/// Whether the host knows or not: some add more than it says, some nothing.
TYPED_TEST(StepTest, RequestsOfDifferentLengths) {
  TestFixture::expect_clean(step_of({0, 6, 40, 131, 5}, {9, 8, 0, 70, 1}, 16, 2));
  TestFixture::expect_clean(step_of(Ints(70, 3), Ints(70, 2), 1, 2));
}

TYPED_TEST(StepTest, Windows) {
  for (const std::int64_t window : {1, 2, 40, 41, 42, 100}) {
    StepInput step = step_of({0, 6, 40, 131}, {3, 1, 2, 5}, 4);
    step.batch.window = window;
    TestFixture::expect_clean(step);
    // What has left the window may be gone.
    step.batch.table.entries[4 * step.batch.table.num_columns] = -1;
    if (window <= 100) TestFixture::expect_clean(step);
  }
}

TYPED_TEST(StepTest, KVBytesAndExpectations) {
  StepInput step = step_of({5, 0, 37}, {1, 1, 1}, 4);
  const oracle::Endpoint few = written(step.batch, 5, KVMode::all, {16, 24});
  const oracle::Endpoint many = written(step.batch, 6, KVMode::all, {160});
  step.batch.expected = expected_of(step.batch, 0);
  step.tokens.expected_tokens = step.tokens.tokens;
  step.tokens.check_positions = 1;
  for (const auto& added : {std::vector{few}, std::vector{few, many}}) {
    step.endpoints = added;
    TestFixture::expect_clean(step);
    StepInput wrong = step;
    wrong.batch.expected->tokens[3 * wrong.batch.expected->row_stride + 37] += 1;
    EXPECT_EQ(bits_of(TestFixture::run(StepSide::head, wrong), 5), 0) << "it is not read yet";
    EXPECT_EQ(bits_of(TestFixture::run(StepSide::tail, wrong), 5), bit::verify_token);
    wrong = step;
    flip(wrong.endpoints[0], slot_at(wrong, 2, 20), &Record::kv_hash);
    EXPECT_EQ(bits_of(TestFixture::run(StepSide::head, wrong), 5), bit::kv_hash);
    EXPECT_EQ(bits_of(TestFixture::run(StepSide::tail, wrong), 5), bit::kv_hash);
  }
}

/// Every position of a prefix, and the last of them, whose record is the seed as well.
TYPED_TEST(StepTest, WrongRecords) {
  for (const std::int64_t position : {0, 1, 30, 31, 62, 63}) {
    StepInput step = step_of({3, 64, 9}, {1, 1, 1}, 4);
    flip(step.endpoints[0], slot_at(step, 1, position), &Record::token);
    flip(step.endpoints[1], slot_at(step, 1, position), &Record::position);
    for (const StepSide side : {StepSide::head, StepSide::tail}) {
      // The token shows in the record that follows, if that is read; the position at once as well.
      EXPECT_EQ(TestFixture::run(side, step).total, position == 63 ? 1 : 3);
    }
  }
}

/// Two requests that write one slot: the tail sees it in the same step, whichever came last.
TYPED_TEST(StepTest, SlotThatTwoRequestsWrite) {
  for (const std::int64_t requests : {2, 40, 300}) {
    StepInput step = step_of(Ints(requests, 7), Ints(requests, 1), 4);
    step.batch.table.entries[step.batch.table.num_columns + 1] =
        step.batch.table.entries[requests * step.batch.table.num_columns + 1];
    // The page is the last request's, and holds its prefix; the first one's is written there too.
    const std::int64_t shared = slot_at(step, requests - 1, 7);
    step.tokens.slots[0] = shared;
    const oracle::Report report = TestFixture::run(StepSide::tail, step);
    for (const int tag : {0, 1}) EXPECT_NE(bits_of(report, tag) & bit::chain_hash, 0);
  }
}

/// A slot that is stamped although another request reads it is found by the tail of a step: the
/// victim's own next one would come too late if it ended here.
TYPED_TEST(StepTest, SlotThatAnotherRequestReads) {
  StepInput step = step_of({7, 40, 9}, {1, 1, 1}, 4);
  const std::int64_t read = slot_at(step, 1, 20);
  step.tokens.slots[0] = read;
  for (const StepSide side : {StepSide::head, StepSide::tail}) TestFixture::run(side, step);

  // What it finds is unspecified, but in the step that follows, if not in this one, it is found.
  StepInput next = step;
  oracle::Report before;
  oracle::step(StepSide::head, {{&step.batch, &step.tokens, &next.endpoints}}, before);
  next.tokens.slots[0] = -1;
  EXPECT_GT(TestFixture::run(StepSide::head, next).total, 0);
  EXPECT_GT(TestFixture::run(StepSide::tail, next).total, 0);
}

/// The record that is stamped is not where the table says that the token is.
TYPED_TEST(StepTest, StampThatGoesElsewhere) {
  StepInput step = step_of({7, 40, 9}, {1, 1, 1}, 4);
  step.tokens.slots[1] = 0;
  EXPECT_EQ(bits_of(TestFixture::run(StepSide::head, step), 0), 0);
  EXPECT_NE(bits_of(TestFixture::run(StepSide::tail, step), 0), 0);
}

/// Positions for which the table has no column, read and added, and garbage.
TYPED_TEST(StepTest, MalformedBatches) {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  for (const std::int64_t extend : {-1L, 30L, 40'000L, limit - 50, limit}) {
    StepInput step = step_of({7, 40, 9}, {1, 1, 1}, 4);
    step.batch.extend_lengths[1] = extend;
    step.tokens.num_tokens = 3;
    EXPECT_GT(TestFixture::run(StepSide::head, step).total, 0);
    // The oracle can hold no plan of so many positions.
    if (extend < limit - 50) {
      EXPECT_GT(TestFixture::run(StepSide::tail, step).total, 0);
    }
  }
  StepInput step = step_of({7, 40, 9}, {1, 1, 1}, 4);
  step.batch.prefix_lengths[2] = 70;
  step.batch.num_requests = 4;
  for (const StepSide side : {StepSide::head, StepSide::tail}) {
    EXPECT_GT(TestFixture::run(side, step).total, 0);
  }
  for (Ints* values :
       {&step.batch.request_rows, &step.batch.prefix_lengths, &step.batch.extend_lengths}) {
    values->clear();
  }
  step.batch.num_requests.reset();
  for (const StepSide side : {StepSide::head, StepSide::tail}) {
    EXPECT_EQ(TestFixture::run(side, step).counts[0], (oracle::TagCounts{2, 0}));
  }
}

/// Full attention and a sliding window, whose slots are others; and more than one launch takes.
TYPED_TEST(StepTest, Pools) {
  std::vector<StepInput> steps = {step_of({7, 40, 9}, {1, 1, 1}, 4),
                                  step_of({7, 40, 9}, {1, 1, 1}, 16, 1, 6)};
  steps[1].batch.window = 10;
  for (StepInput& step : steps) {
    for (Endpoint& endpoint : step.endpoints) endpoint.chain = oracle::Chain::splitmix;
    step.endpoints = {written(step.batch, step.endpoints[0].tag),
                      written(step.batch, step.endpoints[1].tag)};
  }
  const auto expect_total = [&](StepSide side, std::uint64_t total) {
    std::vector<StepInput> some = steps;
    EXPECT_EQ(TestFixture::run(side, some).total, total);
  };
  for (const StepSide side : {StepSide::head, StepSide::tail}) expect_total(side, 0);
  steps.push_back(step_of({3, 3}, {1, 2}, 1, 2, 12));
  for (const StepSide side : {StepSide::head, StepSide::tail}) expect_total(side, 0);
  flip(steps[1].endpoints[1], slot_at(steps[1], 1, 33), &Record::token);
  flip(steps[1].endpoints[1], slot_at(steps[1], 1, 3), &Record::token);  // outside the window
  for (const StepSide side : {StepSide::head, StepSide::tail}) expect_total(side, 1);
}

}  // namespace
