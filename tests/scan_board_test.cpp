#include "src/write/scan_board.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// \file
/// The board on which teams of a scan tell each other where chains stand, on its own: launches of
/// different sizes share its memory.
namespace {

using kvcanary::max_endpoints;
using kvcanary::detail::ChainState;
using kvcanary::detail::ScanBoard;
using kvcanary::detail::ScanTail;

constexpr std::int32_t most_teams = 9;

/// Memory of a plan, zeros at first.
class ScanBoardTest : public testing::Test {
 protected:
  ScanBoard board(std::int32_t num_teams) {
    return {reinterpret_cast<std::byte*>(memory_.data()), num_teams};
  }
  static ScanTail tail_of(std::int32_t ticket, std::uint64_t stamp) {
    return {{stamp, std::uint64_t{7} * static_cast<std::uint64_t>(ticket)}, ticket, 1, ticket};
  }
  static void publish(const ScanBoard& launch, std::int32_t ticket, std::uint64_t stamp) {
    launch.publish<OneLane>(0, true, ticket, tail_of(ticket, stamp), stamp);
  }

 private:
  /// A warp of one lane.
  struct OneLane {
    static void barrier(int /*team*/) {}
  };
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  static_assert(ScanBoard::bytes(most_teams) % sizeof(Unit) == 0);
  std::vector<Unit> memory_ =
      std::vector<Unit>(static_cast<std::size_t>(ScanBoard::bytes(most_teams)) / sizeof(Unit));
};

/// Tickets of a launch are 0, 1, ..., and every launch has a stamp of its own.
TEST_F(ScanBoardTest, TicketsAndStamps) {
  std::uint64_t last_stamp = 0;
  for (const std::int32_t num_teams : {1, 4, 1, 9, 9, 2}) {
    const ScanBoard launch = board(num_teams);
    for (std::int32_t team = 0; team < num_teams; ++team) EXPECT_EQ(launch.take_ticket(), team);
    const std::uint64_t stamp = launch.stamp();
    EXPECT_EQ(stamp, last_stamp + 1);
    for (std::int32_t team = 0; team < num_teams; ++team) {
      EXPECT_EQ(launch.stamp(), stamp) << "it runs until its last team has finished";
      launch.finish();
    }
    last_stamp = stamp;
  }
}

TEST_F(ScanBoardTest, WhatIsPublishedIsFound) {
  for (const std::int32_t num_teams : {9, 1, 5, 9}) {
    const ScanBoard launch = board(num_teams);
    for (std::int32_t team = 0; team < num_teams; ++team) {
      const std::int32_t ticket = launch.take_ticket();
      for (std::int32_t e = 0; e < max_endpoints; ++e) {
        launch.starts(ticket)[e] = {std::uint64_t{100} + ticket, 10 * ticket + e, 1};
      }
      publish(launch, ticket, launch.stamp());
    }
    for (std::int32_t ticket = num_teams - 1; ticket >= 0; --ticket) {
      launch.wait_for(ticket, ticket + 1, launch.stamp());
      const ScanTail found = launch.tail(ticket);
      EXPECT_EQ(found.map.multiplier, launch.stamp());
      EXPECT_EQ(found.map.offset, 7U * static_cast<std::uint64_t>(ticket));
      EXPECT_EQ(found.position, ticket);
      EXPECT_EQ(found.start_index, ticket);
      for (std::int32_t e = 0; e < max_endpoints; ++e) {
        EXPECT_EQ(launch.starts(ticket)[e].position, 10 * ticket + e);
      }
    }
    for (std::int32_t team = 0; team < num_teams; ++team) launch.finish();
  }
}

/// What a launch of few teams keeps of starts must not lie where a later one of more teams looks
/// for a stamp: a position that happens to be that stamp would look like a team's post.
TEST_F(ScanBoardTest, StartsNeverLookLikePosts) {
  for (std::int32_t few = 1; few < most_teams; ++few) {
    const ScanBoard small = board(few);
    ChainState kept[most_teams][max_endpoints];
    for (std::int32_t ticket = 0; ticket < few; ++ticket) {
      for (std::int32_t e = 0; e < max_endpoints; ++e) {
        kept[ticket][e] = {~std::uint64_t{0}, 1000 * few + 100 * ticket + e, 1};
        small.starts(ticket)[e] = kept[ticket][e];
      }
    }
    const ScanBoard large = board(most_teams);
    for (std::int32_t ticket = 0; ticket < most_teams; ++ticket) {
      publish(large, ticket, 1);
    }
    for (std::int32_t ticket = 0; ticket < few; ++ticket) {
      EXPECT_EQ(std::memcmp(small.starts(ticket), kept[ticket], sizeof kept[ticket]), 0)
          << "starts of team " << ticket << " of " << few << " are where posts of " << most_teams
          << " teams are";
    }
  }
}

}  // namespace
