#include "tests/support/emulated_team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/sanitizer.hpp"

/// \file
/// The emulator of teams gives what a device would, and shows what a device may do wrong.
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t seeds = 20;
constexpr std::uint64_t exchange_seeds = 4;  // each of thousands of switches

struct Shape {
  int team_size, warp_width;
};

EmulatedLaunch launch_of(const Shape& shape, std::size_t scratch_bytes = 0,
                         std::uint64_t seed = 0) {
  return {.league_size = 3,
          .team_size = shape.team_size,
          .warp_width = shape.warp_width,
          .scratch_bytes = scratch_bytes,
          .seed = seed};
}

EmulatedLaunch one_team(std::size_t scratch_bytes = 0, std::uint64_t seed = 0) {
  return {.league_size = 1,
          .team_size = 64,
          .warp_width = 32,
          .scratch_bytes = scratch_bytes,
          .seed = seed};
}

template <class T>
T* scratch_array(const EmulatedMember& team, int count) {
  return static_cast<T*>(
      team.team_shmem().get_shmem_aligned(static_cast<std::size_t>(count) * sizeof(T), alignof(T)));
}

class EmulatedTeamTest : public testing::TestWithParam<Shape> {};

TEST_P(EmulatedTeamTest, CallsTheKernelOnceForEachLane) {
  std::vector<std::vector<int>> calls(3, std::vector<int>(GetParam().team_size));
  emulate(
      [&](const EmulatedMember& team) {
        EXPECT_EQ(team.league_size(), 3);
        EXPECT_EQ(team.team_size(), GetParam().team_size);
        EXPECT_EQ(team.warp_width(), GetParam().warp_width);
        ++calls[team.league_rank()][team.team_rank()];
      },
      launch_of(GetParam()));
  EXPECT_EQ(calls, std::vector(3, std::vector(GetParam().team_size, 1)));
}

/// The lane after this one's number, by way of scratch. It misses barriers at will.
std::vector<int> next_ranks(const EmulatedLaunch& launch, bool with_barrier) {
  std::vector<int> found(launch.team_size);
  emulate(
      [&](const EmulatedMember& team) {
        int* const ranks = scratch_array<int>(team, team.team_size());
        const int rank = team.team_rank();
        ranks[rank] = rank;
        if (with_barrier) team.team_barrier();
        found[rank] = ranks[(rank + 1) % team.team_size()];
      },
      launch);
  return found;
}

std::vector<int> right_next_ranks(int team_size) {
  std::vector<int> ranks(team_size);
  std::iota(ranks.begin(), ranks.end(), 1);
  ranks.back() = 0;
  return ranks;
}

TEST_P(EmulatedTeamTest, BarrierOrdersMemory) {
  const std::size_t scratch_bytes = GetParam().team_size * sizeof(int);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EXPECT_EQ(next_ranks(launch_of(GetParam(), scratch_bytes, seed), true),
              right_next_ranks(GetParam().team_size));
  }
}

TEST_P(EmulatedTeamTest, ShowsAMissingBarrier) {
  const std::size_t scratch_bytes = GetParam().team_size * sizeof(int);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EXPECT_NE(next_ranks(launch_of(GetParam(), scratch_bytes, seed), false),
              right_next_ranks(GetParam().team_size));
  }
}

TEST_P(EmulatedTeamTest, WarpBarrierOrdersMemoryOfAWarp) {
  const int width = GetParam().warp_width;
  const auto kernel = [&](const EmulatedMember& team) {
    int* const ranks = scratch_array<int>(team, team.team_size());
    const int rank = team.team_rank(), first = rank / width * width;
    ranks[rank] = rank;
    team.warp_barrier();
    const int next = first + (rank + 1) % width;
    EXPECT_EQ(ranks[next], next);
  };
  const std::size_t scratch_bytes = GetParam().team_size * sizeof(int);
  for (std::uint64_t seed = 0; seed < exchange_seeds; ++seed) {
    emulate(kernel, launch_of(GetParam(), scratch_bytes, seed));
  }
}

/// Sums of what lanes pass on through a ring of stages, with one barrier a step.
std::vector<int> ring_sums(const EmulatedLaunch& launch, int stages) {
  std::vector<int> sums(launch.team_size);
  emulate(
      [&](const EmulatedMember& team) {
        const int size = team.team_size(), rank = team.team_rank();
        int* const ring = scratch_array<int>(team, stages * size);
        for (int step = 0; step < 8; ++step) {
          int* const stage = ring + step % stages * size;
          stage[rank] = step * size + rank;
          team.team_barrier();
          sums[rank] += stage[size - 1 - rank];
        }
      },
      launch);
  return sums;
}

TEST_P(EmulatedTeamTest, ShowsARingWithAStageTooFew) {
  const int size = GetParam().team_size;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EmulatedLaunch launch = launch_of(GetParam(), 2 * size * sizeof(int), seed);
    launch.league_size = 1;
    std::vector<int> right(size);
    for (int rank = 0; rank < size; ++rank) right[rank] = 28 * size + 8 * (size - 1 - rank);
    EXPECT_EQ(ring_sums(launch, 2), right);
    EXPECT_NE(ring_sums(launch, 1), right);
  }
}

/// As large as a value may be.
struct Big {
  std::int64_t numbers[8];
};

Big big(int team, int rank) { return {{team, rank, 1, 2, 3, 4, 5, 1000 * team + rank}}; }

TEST_P(EmulatedTeamTest, FromLane) {
  const int width = GetParam().warp_width;
  const auto kernel = [&](const EmulatedMember& team) {
    const int rank = team.team_rank(), first = rank / width * width;
    for (int step = 0; step < 5; ++step) {
      const int lane = (rank * 7 + step) % width;
      const Big found = team.from_lane(big(step, rank), lane);
      EXPECT_TRUE(std::ranges::equal(found.numbers, big(step, first + lane).numbers));
      EXPECT_EQ(team.from_lane(static_cast<char>(rank), 0), static_cast<char>(first));
    }
  };
  for (std::uint64_t seed = 0; seed < exchange_seeds; ++seed)
    emulate(kernel, launch_of(GetParam(), 0, seed));
}

TEST_P(EmulatedTeamTest, FromLaneBefore) {
  const int width = GetParam().warp_width;
  const auto kernel = [&](const EmulatedMember& team) {
    const int rank = team.team_rank();
    for (const int distance : {0, 1, 2, 5, width / 2, width - 1, width}) {
      const int found = team.from_lane_before(rank, distance);
      EXPECT_EQ(found, rank % width >= distance ? rank - distance : rank);
    }
  };
  for (std::uint64_t seed = 0; seed < exchange_seeds; ++seed)
    emulate(kernel, launch_of(GetParam(), 0, seed));
}

TEST_P(EmulatedTeamTest, Ballot) {
  const int width = GetParam().warp_width;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  const auto kernel = [&](const EmulatedMember& team) {
    const int rank = team.team_rank(), warp = rank / width;
    EXPECT_EQ(team.ballot(true), all);
    EXPECT_EQ(team.ballot(false), 0u);
    EXPECT_EQ(team.ballot(rank % 2 == warp % 2), all & 0x5555'5555'5555'5555u << warp % 2);
    EXPECT_EQ(team.ballot(rank % width == width - 1), std::uint64_t{1} << (width - 1));
  };
  for (std::uint64_t seed = 0; seed < exchange_seeds; ++seed)
    emulate(kernel, launch_of(GetParam(), 0, seed));
}

INSTANTIATE_TEST_SUITE_P(Shapes, EmulatedTeamTest,
                         testing::Values(Shape{64, 32}, Shape{64, 64}, Shape{128, 32},
                                         Shape{128, 64}, Shape{256, 32}, Shape{256, 64},
                                         Shape{1024, 32}),
                         [](const auto& info) {
                           return std::to_string(info.param.team_size) + "LanesInWarpsOf" +
                                  std::to_string(info.param.warp_width);
                         });

/// The order in which lanes start, and in which they leave a barrier and an exchange.
std::vector<int> order_of_lanes(std::uint64_t seed) {
  std::vector<int> order;
  emulate(
      [&](const EmulatedMember& team) {
        order.push_back(team.team_rank());
        team.team_barrier();
        order.push_back(team.team_rank());
        team.ballot(true);
        order.push_back(team.team_rank());
      },
      one_team(0, seed));
  return order;
}

TEST(EmulatedOrderTest, IsThatOfTheSeed) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    orders.insert(order_of_lanes(seed));
    EXPECT_EQ(order_of_lanes(seed), order_of_lanes(seed));
  }
  EXPECT_EQ(orders.size(), seeds);
}

/// Warps that wait only for themselves don't advance at one pace.
TEST(EmulatedOrderTest, LeavesWarpsBehind) {
  int done_before_other_starts = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::vector<int> started(2), ended(2);
    emulate(
        [&](const EmulatedMember& team) {
          const int warp = team.team_rank() / 32;
          for (int step = 0; step < 4; ++step) team.ballot(true);
          ++started[warp];
          for (int step = 0; step < 4; ++step) team.ballot(true);
          if (++ended[warp] == 32 && started[1 - warp] == 0) ++done_before_other_starts;
        },
        one_team(0, seed));
  }
  EXPECT_GT(done_before_other_starts, 0);
  EXPECT_LT(done_before_other_starts, static_cast<int>(seeds));
}

TEST(EmulatedOrderTest, TeamsRunInAnyOrder) {
  std::vector<int> order;
  EmulatedLaunch launch = one_team();
  launch.league_size = 100;
  emulate(
      [&](const EmulatedMember& team) {
        if (team.team_rank() == 0) order.push_back(team.league_rank());
      },
      launch);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  std::vector<int> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

/// The message of the error in `kernel`.
template <class Kernel>
std::string error_of(const Kernel& kernel, std::size_t scratch_bytes = 0) {
  try {
    emulate(kernel, one_team(scratch_bytes, 1));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(EmulatedDeadlockTest, LaneReturnsBeforeABarrier) {
  EXPECT_EQ(error_of([](const EmulatedMember& team) {
              if (team.team_rank() != 5) team.team_barrier();
            }),
            "deadlock in team 0 of 1: lanes 0-4, 6-63 wait in team_barrier; lanes 5 have returned");
}

TEST(EmulatedDeadlockTest, LaneReturnsBeforeAnExchange) {
  EXPECT_EQ(error_of([](const EmulatedMember& team) {
              if (team.team_rank() != 63) team.from_lane(1, 0);
            }),
            "deadlock in team 0 of 1: lanes 32-62 wait in from_lane; lanes 0-31, 63 have returned");
}

TEST(EmulatedDeadlockTest, LanesWaitAtDifferentPlaces) {
  EXPECT_EQ(error_of([](const EmulatedMember& team) {
              if (team.team_rank() == 0) {
                team.team_barrier();
              } else {
                team.ballot(true);
                team.team_barrier();
              }
            }),
            "deadlock in team 0 of 1: lanes 0, 32-63 wait in team_barrier; "
            "lanes 1-31 wait in ballot");
}

TEST(EmulatedDeadlockTest, LanesOfAWarpExchangeDifferently) {
  EXPECT_THAT(error_of([](const EmulatedMember& team) {
                if (team.team_rank() == 0) {
                  team.ballot(true);
                } else {
                  team.from_lane(1, 0);
                }
              }),
              HasSubstr("lanes of a warp differ: lane "));
  EXPECT_THAT(error_of([](const EmulatedMember& team) {
                if (team.team_rank() % 2 == 0) {
                  team.from_lane(std::int64_t{1}, 0);
                } else {
                  team.from_lane(1, 0);
                }
              }),
              HasSubstr("lanes of a warp differ: lane "));
}

TEST(EmulatedErrorTest, LaneThatTheWarpDoesNotHave) {
  EXPECT_EQ(error_of([](const EmulatedMember& team) { team.from_lane(1, 32); }),
            "a warp has no lane 32");
  EXPECT_EQ(error_of([](const EmulatedMember& team) { team.from_lane(1, -1); }),
            "a warp has no lane -1");
}

TEST(EmulatedErrorTest, LaunchThatNoDeviceDoes) {
  const auto nothing = [](const EmulatedMember&) {};
  EmulatedLaunch launch = one_team();
  launch.warp_width = 16;
  EXPECT_THROW(emulate(nothing, launch), std::invalid_argument);
  for (const int team_size : {0, 48, 1056}) {
    launch = one_team();
    launch.team_size = team_size;
    EXPECT_THROW(emulate(nothing, launch), std::invalid_argument);
  }
}

struct Counted {
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive_; }
  int& alive_;
};

/// Other lanes then wait, haven't started or have returned.
TEST(EmulatedErrorTest, ExceptionOfALaneComesOut) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    int alive = 0;
    const auto kernel = [&](const EmulatedMember& team) {
      const Counted counted(alive);
      if (team.team_rank() % 3 == 0) return;
      if (team.team_rank() == 40) throw std::runtime_error("lane 40");
      team.team_barrier();
    };
    EXPECT_THAT([&] { emulate(kernel, one_team(0, seed)); },
                ThrowsMessage<std::runtime_error>("lane 40"));
    EXPECT_EQ(alive, 0);
    const std::size_t scratch_bytes = 64 * sizeof(int);  // the fibers still serve
    EXPECT_EQ(next_ranks(one_team(scratch_bytes, seed), true), right_next_ranks(64));
  }
}

TEST(EmulatedErrorTest, EmulatesInsideAKernel) {
  emulate(
      [](const EmulatedMember& team) {
        if (team.team_rank() % 16 == 0) {
          EXPECT_EQ(next_ranks(one_team(64 * sizeof(int)), true), right_next_ranks(64));
        }
        team.team_barrier();
      },
      one_team());
}

TEST(EmulatedScratchTest, IsTheSamePiecesForAllLanesOfATeam) {
  std::set<std::vector<void*>> pieces;
  emulate(
      [&](const EmulatedMember& team) {
        char* const first = scratch_array<char>(team, 3);
        auto* const second = scratch_array<std::int64_t>(team, 2);
        void* const third = team.team_shmem().get_shmem_aligned(16, 16);
        EXPECT_EQ(reinterpret_cast<char*>(second), first + 8);
        EXPECT_EQ(third, first + 32);
        pieces.insert({first, second, third});
      },
      launch_of({128, 32}, 48));
  EXPECT_EQ(pieces.size(), 1u);
}

TEST(EmulatedScratchTest, StartsAsGarbage) {
  std::set<std::uint64_t> found;
  EmulatedLaunch launch = one_team(8);
  launch.league_size = 50;
  emulate(
      [&](const EmulatedMember& team) {
        auto* const word = scratch_array<std::uint64_t>(team, 1);
        team.team_barrier();
        if (team.team_rank() == 0) {
          found.insert(*word);
          *word = 0;
        }
      },
      launch);
  EXPECT_EQ(found.size(), 50u);
}

TEST(EmulatedScratchTest, MoreThanThereIs) {
  EXPECT_EQ(error_of([](const EmulatedMember& team) { scratch_array<char>(team, 65); }, 64),
            "65 bytes of team scratch asked for, where 0 of 64 are used");
  EXPECT_EQ(error_of(
                [](const EmulatedMember& team) {
                  scratch_array<char>(team, 57);
                  scratch_array<std::int64_t>(team, 1);
                },
                64),
            "8 bytes of team scratch asked for, where 64 of 64 are used");
}

TEST(EmulatedScratchTest, LanesThatAskForDifferentPieces) {
  EXPECT_EQ(
      error_of([](const EmulatedMember& team) { scratch_array<char>(team, 1 + team.team_rank()); },
               64),
      "lanes ask for different pieces of team scratch");
}

/// Writes to the scratch's last int but `distance`.
void write_out_of_scratch(int distance) {
  emulate(
      [&](const EmulatedMember& team) {
        int* const numbers = scratch_array<int>(team, 7);
        if (team.team_rank() == 11) numbers[distance] = 1;
      },
      one_team(7 * sizeof(int)));
}

TEST(EmulatedScratchTest, Overrun) {
#ifdef TESTS_ARE_SANITIZED
  EXPECT_DEATH(write_out_of_scratch(7), "use-after-poison");
  EXPECT_DEATH(write_out_of_scratch(-1), "use-after-poison");
#else
  EXPECT_THAT([] { write_out_of_scratch(7); },
              ThrowsMessage<std::logic_error>("a lane wrote past the end of team scratch"));
  EXPECT_THAT([] { write_out_of_scratch(-1); },
              ThrowsMessage<std::logic_error>("a lane wrote before the start of team scratch"));
#endif
  write_out_of_scratch(6);
}

/// As many switches as the tests of a kernel make; they have to take seconds at most.
TEST(EmulatedSpeedTest, ThousandsOfTeams) {
  std::int64_t sum = 0;
  EmulatedLaunch launch = one_team();
  launch.league_size = 2000;
  emulate(
      [&](const EmulatedMember& team) {
        for (int step = 0; step < 10; ++step) {
          sum += team.from_lane(step, step);
          team.team_barrier();
        }
      },
      launch);
  EXPECT_EQ(sum, std::int64_t{2000} * 64 * 45);
}

}  // namespace
