#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/step_input.hpp"

/// \file
/// write_requests: what plan and write would do, at the edges of what it sums up by itself.
namespace {

using namespace step_input;  // NOLINT(google-build-using-namespace)

template <class Space>
class WriteRequestsTest : public SpaceTest<Space> {
 protected:
  /// For int32 and int64 arrays; on devices, where that takes long, for some of each.
  static oracle::Report run(std::vector<StepInput>& steps) {
    std::vector<oracle::StepJob> jobs;
    for (StepInput& step : steps) jobs.push_back({&step.batch, &step.tokens, &step.endpoints});
    if (!runs_host_kernels<Space>) return check_write_requests<Space>({0x5A5A5A5A}, jobs);
    check_write_requests<Space>({~0U}, jobs);
    return check_write_requests<Space>({0}, jobs);
  }
  static oracle::Report run(StepInput step) {
    std::vector<StepInput> steps = {std::move(step)};
    return run(steps);
  }
};
TYPED_TEST_SUITE(WriteRequestsTest, OperationSpaces, SpaceName);

/// As many requests as lanes of a warp and of a team, and around that.
TYPED_TEST(WriteRequestsTest, Decode) {
  for (const std::int64_t requests : {1, 2, 31, 32, 33, 63, 64, 65, 255, 257, 520}) {
    const oracle::Report report =
        TestFixture::run(step_of(Ints(requests, 5), Ints(requests, 1), 4));
    EXPECT_EQ(report.total, 0);
    EXPECT_EQ(report.counts[0], (oracle::TagCounts{1, static_cast<std::uint64_t>(requests)}));
  }
}

TYPED_TEST(WriteRequestsTest, RequestsOfDifferentLengths) {
  Ints prefixes, extends;
  for (std::int64_t r = 0; r < 70; ++r) {
    prefixes.push_back(r % 6 * 7);
    extends.push_back(r % 5 == 0 ? 0 : r * 67 % 131);
  }
  const oracle::Report report = TestFixture::run(step_of(prefixes, extends, 16, 2));
  EXPECT_EQ(report.total, 0);
}

TYPED_TEST(WriteRequestsTest, OneLongAmongMany) {
  Ints extends(300, 1);
  extends[137] = 3000;
  EXPECT_EQ(TestFixture::run(step_of(Ints(300, 3), extends, 16)).total, 0);
}

/// The launch is counted, and nothing else.
TYPED_TEST(WriteRequestsTest, NoRequest) {
  StepInput step = step_of({4}, {1}, 4);
  for (Ints* values :
       {&step.batch.request_rows, &step.batch.prefix_lengths, &step.batch.extend_lengths}) {
    values->clear();
  }
  EXPECT_EQ(TestFixture::run(step).counts[1], (oracle::TagCounts{1, 0}));
  step.tokens = {};
  EXPECT_EQ(TestFixture::run(step).total, 0);
  step.batch.num_requests = 1;
  EXPECT_EQ(TestFixture::run(step).total, 2) << "one more than there are";
  step.batch.num_requests = 0;
  EXPECT_EQ(TestFixture::run(step).total, 0);
}

TYPED_TEST(WriteRequestsTest, RequestsThatCount) {
  for (const std::int64_t wanted : {-1, 0, 1, 39, 40, 41}) {
    StepInput step = step_of(Ints(40, 6), Ints(40, 2), 4);
    step.batch.num_requests = wanted;
    const std::int64_t n = std::clamp<std::int64_t>(wanted, 0, 40);
    const oracle::Report report = TestFixture::run(step);
    EXPECT_EQ(report.total, wanted == n ? 0 : 2);
    EXPECT_EQ(report.counts[0].entries, static_cast<std::uint64_t>(2 * n));
  }
}

TYPED_TEST(WriteRequestsTest, MoreTokensThanGiven) {
  for (const std::int64_t missing : {1, 3, 20, 119, 120}) {
    StepInput step = step_of(Ints(40, 6), Ints(40, 3), 4);
    const std::size_t left = step.tokens.tokens.size() - missing;
    step.tokens.tokens.resize(left);
    step.tokens.positions.resize(left);
    step.tokens.slots.resize(left);
    const oracle::Report report = TestFixture::run(step);
    EXPECT_GT(report.total, 0);
    EXPECT_EQ(report.counts[1].entries, left);
  }
}

TYPED_TEST(WriteRequestsTest, LostLength) {
  StepInput step = step_of(Ints(40, 6), Ints(40, 2), 4);
  step.tokens.num_tokens = 80;
  EXPECT_EQ(TestFixture::run(step).total, 0);
  step.batch.extend_lengths[33] = 1;
  EXPECT_EQ(TestFixture::run(step).total, 2) << "79 tokens, in each endpoint";
}

TYPED_TEST(WriteRequestsTest, MalformedLengths) {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  for (const std::int64_t extend : {-1L, -limit, limit, limit - 6, limit - 7, limit - 1}) {
    for (const std::size_t r : {0, 31, 32, 39}) {
      StepInput step = step_of(Ints(40, 6), Ints(40, 2), 4);
      step.batch.extend_lengths[r] = extend;
      EXPECT_GT(TestFixture::run(step).total, 0);
    }
  }
  StepInput step = step_of(Ints(40, 6), Ints(40, 2), 4);
  step.batch.prefix_lengths[35] = -2;
  EXPECT_GT(TestFixture::run(step).total, 0);
}

/// They add nothing, wherever they are.
TYPED_TEST(WriteRequestsTest, PaddedRequests) {
  StepInput step = step_of(Ints(40, 6), Ints(40, 2), 4);
  for (const std::size_t r : {0, 7, 31, 32, 39}) {
    step.batch.request_rows[r] = 0;
    step.batch.extend_lengths[r] = 9;
  }
  step.tokens.tokens.resize(70);
  step.tokens.positions.resize(70);
  step.tokens.slots.resize(70);
  EXPECT_EQ(TestFixture::run(step).total, 0);
}

/// A seed that the table doesn't have, and one that the translation has given up.
TYPED_TEST(WriteRequestsTest, SeedsThatAreNotThere) {
  StepInput step = step_of(Ints(40, 6), Ints(40, 2), 1);
  step.batch.table.entries[5 * step.batch.table.num_columns + 5] = -1;
  EXPECT_EQ(TestFixture::run(step).total, 2);
  step.batch.table.full_to_swa = build::iota(num_slots(step.batch));
  EXPECT_EQ(TestFixture::run(step).total, 2);
  (*step.batch.table.full_to_swa)[oracle::find(step.batch.table, 20, 5).slot] = -1;
  EXPECT_EQ(TestFixture::run(step).total, 4);
}

TYPED_TEST(WriteRequestsTest, ChecksOfTokens) {
  StepInput step = step_of({6, 0, 70}, {3, 40, 9}, 4);
  step.tokens.check_positions = 1;
  step.tokens.expected_tokens = step.tokens.tokens;
  EXPECT_EQ(TestFixture::run(step).total, 0);
  step.tokens.positions[44] += 1;
  (*step.tokens.expected_tokens)[50] += 1;
  step.tokens.slots[20] = -1;
  EXPECT_GT(TestFixture::run(step).total, 4);
}

/// Pools with unrelated batches, some of which have no request: each job's entries begin anew.
TYPED_TEST(WriteRequestsTest, TwelvePools) {
  std::vector<StepInput> steps;
  for (int j = 0; j < 6; ++j) {
    const std::int64_t requests = j == 2 || j == 5 ? 0 : 1 + j * 37;
    steps.push_back(step_of(Ints(requests, 3 + j), Ints(requests, 1 + j % 3), 4, 1, 2 * j));
    if (j == 3) steps.back().tokens.num_tokens = 7;
    if (j == 4) steps.back().batch.extend_lengths[40] = -1;
  }
  EXPECT_GT(TestFixture::run(steps).total, 0);
}

}  // namespace
