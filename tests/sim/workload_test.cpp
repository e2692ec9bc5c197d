#include "sim/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "sim/tokens.hpp"

namespace kvcanary::sim {
namespace {

TEST(Workload, IsAValidTrace) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Request> requests = generate_workload({.seed = seed});
    std::ostringstream out;
    write_trace(out, requests);
    std::istringstream in(out.str());
    EXPECT_EQ(read_trace(in, "workload"), requests);
  }
}

TEST(Workload, DependsOnTheSeedAlone) {
  EXPECT_EQ(generate_workload({.seed = 3}), generate_workload({.seed = 3}));
  EXPECT_NE(generate_workload({.seed = 3}), generate_workload({.seed = 4}));
}

TEST(Workload, IsTheSameOnEveryPlatform) {
  // Computed by hand from splitmix64's draws.
  const Request request = generate_workload({.conversations = 2, .seed = 1}).front();
  EXPECT_EQ(request.input_length, 1691);
  EXPECT_EQ(request.output_length, 89);
  EXPECT_EQ(request.hash_ids, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

/// Whether the prompt begins with all whole blocks of another one, beyond the system prompt.
bool extends_another(const Request& request, const std::vector<Request>& requests) {
  return std::ranges::any_of(requests, [&](const Request& other) {
    const std::size_t blocks = std::size_t(other.input_length / trace_block_tokens);
    return blocks > 2 && other.input_length < request.input_length &&
           std::equal(other.hash_ids.begin(), other.hash_ids.begin() + std::ptrdiff_t(blocks),
                      request.hash_ids.begin());
  });
}

TEST(Workload, SharesTheSystemPromptAndExtendsTurns) {
  const std::vector<Request> requests =
      generate_workload({.conversations = 8, .max_turns = 5, .system_length = 1100, .seed = 2});
  std::int64_t later_turns = 0;
  for (const Request& request : requests) {
    EXPECT_EQ(request.hash_ids[0], 0);
    EXPECT_EQ(request.hash_ids[1], 1);
    later_turns += extends_another(request, requests);
  }
  EXPECT_GE(later_turns, std::ssize(requests) / 3);
  EXPECT_TRUE(std::ranges::is_sorted(requests, {}, &Request::timestamp_ms));
}

TEST(Workload, OnlySharedBlocksHaveEqualIds) {
  // Two conversations of one turn each have nothing in common but the system prompt.
  const std::vector<Request> requests = generate_workload(
      {.conversations = 2, .max_turns = 1, .system_length = 512, .max_turn_length = 5000});
  ASSERT_EQ(requests.size(), 2u);
  std::multiset<std::int64_t> ids(requests[0].hash_ids.begin(), requests[0].hash_ids.end());
  ids.insert(requests[1].hash_ids.begin(), requests[1].hash_ids.end());
  EXPECT_EQ(ids.count(0), 2u);
  ids.erase(0);
  for (const std::int64_t id : ids) EXPECT_EQ(ids.count(id), 1u) << id;
}

TEST(Workload, RefusesEmptyShapes) {
  EXPECT_THROW(generate_workload({.conversations = 0}), std::invalid_argument);
  EXPECT_THROW(generate_workload({.max_turns = 0}), std::invalid_argument);
  EXPECT_THROW(generate_workload({.system_length = -1}), std::invalid_argument);
  EXPECT_THROW(generate_workload({.max_turn_length = 0}), std::invalid_argument);
  EXPECT_THROW(generate_workload({.max_output_length = 0}), std::invalid_argument);
}

TEST(Tokens, EqualBlocksAreEqualTokens) {
  const TokenSource source(5);
  const Request a{0, 1024, 1, {8, 9}};
  const Request b{0, 1024, 1, {9, 7}};
  std::set<std::int32_t> distinct;
  for (std::int64_t i = 0; i < 512; ++i) {
    EXPECT_EQ(source.input(a, 512 + i), source.input(b, i));
    distinct.insert(source.input(a, i));
    distinct.insert(source.input(a, 512 + i));
  }
  EXPECT_GT(distinct.size(), 1000u);  // about 4 collisions among 1024 of 128000
  EXPECT_GE(*distinct.begin(), 0);
  EXPECT_LT(*distinct.rbegin(), vocabulary_size);
}

TEST(Tokens, DependOnSeedRequestAndPosition) {
  const TokenSource source(5);
  EXPECT_EQ(source.output(3, 100), TokenSource(5).output(3, 100));
  EXPECT_NE(source.output(3, 100), source.output(4, 100));
  EXPECT_NE(source.output(3, 100), source.output(3, 101));
  EXPECT_NE(source.output(3, 100), TokenSource(6).output(3, 100));
}

TEST(Tokens, HistoryDependsOnAllOfThem) {
  const std::uint64_t h = next_history(empty_history, 7, 0);
  EXPECT_NE(next_history(h, 8, 1), next_history(h, 9, 1));
  EXPECT_NE(next_history(h, 8, 1), next_history(h, 8, 2));
  EXPECT_NE(next_history(h, 8, 1), next_history(empty_history, 8, 1));
}

}  // namespace
}  // namespace kvcanary::sim
