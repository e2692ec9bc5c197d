#include "oracle/chain_hash.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/record.hpp>
#include <vector>

#include "oracle/record.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Known answers of both chains, at compile time, on the host and in kernels.
namespace {

using kvcanary::Chain;
using kvcanary::chain_start;
using kvcanary::chain_step;
using kvcanary::mix2;
using kvcanary::mix3;
using kvcanary::next_hash;
using kvcanary::Record;
using kvcanary::splitmix64;

constexpr std::uint64_t anchor = 0xDE7FAE23A9A1B716;

/// The records of tokens 101 7592 2088 102 at positions 0 to 3, and of tokens -1 and 5 at 0 and 1;
/// and the hash after each.
struct Answers {
  Chain chain;
  Record records[6];
  std::uint64_t next[6];
};

constexpr Record record(std::int64_t token, std::int64_t position, std::uint64_t prev_hash) {
  return {token, position, static_cast<std::int64_t>(prev_hash), 0};
}

constexpr Answers splitmix = {
    Chain::splitmix,
    {record(101, 0, anchor), record(7592, 1, 0x542FE5061275A6AB),
     record(2088, 2, 0xE03FB0B1A7A7FF8A), record(102, 3, 0x71D597355A083809), record(-1, 0, anchor),
     record(5, 1, 0xE5A9A05404A720CF)},
    {0x542FE5061275A6AB, 0xE03FB0B1A7A7FF8A, 0x71D597355A083809, 0x73EAD031B94D7777,
     0xE5A9A05404A720CF, 0xBD18F90687DE417F}};

constexpr Answers polynomial = {
    Chain::polynomial,
    {record(101, 0, anchor), record(7592, 1, 0x277DCF9B030EB33D),
     record(2088, 2, 0x62FBEEF7FCA8FC69), record(102, 3, 0x22620529EB79437B), record(-1, 0, anchor),
     record(5, 1, 0x465AF7C8AE342FB2)},
    {0x277DCF9B030EB33D, 0x62FBEEF7FCA8FC69, 0x22620529EB79437B, 0xA7983831BAB272C5,
     0x465AF7C8AE342FB2, 0x671B4A61B280E697}};

constexpr const Answers* both_chains[] = {&splitmix, &polynomial};

constexpr int right_answers(const Answers& known) {
  int right = 0;
  for (int i = 0; i < 6; ++i) right += next_hash(known.records[i], known.chain) == known.next[i];
  return right;
}

/// How far apart two polynomial chains are that were 1 apart, `steps` equal tokens later.
constexpr std::uint64_t distance_after(int steps) {
  std::uint64_t first = anchor, second = anchor + 1;
  for (int i = 0; i < steps; ++i) {
    first = chain_step(Chain::polynomial, first, 7 * i, i);
    second = chain_step(Chain::polynomial, second, 7 * i, i);
  }
  return second - first;
}

// splitmix64: the first output of Vigna's generator for seed 0.
static_assert(splitmix64(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF);
static_assert(splitmix64(0) == 0);
static_assert(chain_start() == anchor);
static_assert(mix2(1, 2) == splitmix64(splitmix64(1) ^ 2));
static_assert(mix3(1, 2, 3) == splitmix64(splitmix64(splitmix64(1) ^ 2) ^ 3));
static_assert(right_answers(splitmix) == 6);
static_assert(right_answers(polynomial) == 6);
static_assert(distance_after(1) == 0xD1342543DE82EF95);
static_assert(distance_after(1000) == 0x879E350EE13DCAE1);

std::uint64_t oracle_next(const Record& record, Chain chain) {
  return oracle::next({record.token, record.position, record.prev_hash, record.kv_hash},
                      static_cast<oracle::Chain>(chain));
}

TEST(ChainHashTest, OracleKnowsTheAnswers) {
  EXPECT_EQ(oracle::splitmix64(0x9E3779B97F4A7C15), 0xE220A8397B1DCDAF);
  EXPECT_EQ(oracle::anchor(), anchor);
  for (const Answers* known : both_chains) {
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(oracle_next(known->records[i], known->chain), known->next[i]);
    }
  }
}

TEST(ChainHashTest, KVHashIsNoPartOfTheChain) {
  for (const Answers* known : both_chains) {
    Record record = known->records[1];
    record.kv_hash = 0x1234;
    EXPECT_EQ(next_hash(record, known->chain), known->next[1]);
  }
}

TEST(ChainHashTest, OrderOfTheWordsMatters) {
  EXPECT_NE(mix3(1, 2, 3), mix3(1, 3, 2));
  EXPECT_NE(mix3(1, 2, 3), mix3(2, 1, 3));
  EXPECT_NE(mix3(1, 2, 3), mix3(3, 2, 1));
}

/// Runs `next_hash` of every record in a kernel. A free function: device lambdas can't be in tests.
template <class Space>
std::vector<std::uint64_t> next_hashes_on(Chain chain, const std::vector<Record>& records) {
  using Memory = typename Space::memory_space;
  const Kokkos::View<Record*, Memory> in("records", records.size());
  const Kokkos::View<std::uint64_t*, Memory> out("hashes", records.size());
  const auto host_in = Kokkos::create_mirror_view(in);
  std::copy(records.begin(), records.end(), host_in.data());
  Kokkos::deep_copy(in, host_in);
  Kokkos::parallel_for(
      "next_hashes", Kokkos::RangePolicy<Space>(0, static_cast<int>(records.size())),
      KOKKOS_LAMBDA(int i) { out(i) = next_hash(in(i), chain); });
  const auto host_out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  return {host_out.data(), host_out.data() + host_out.size()};
}

template <class Space>
class ChainHashKernelTest : public SpaceTest<Space> {};
TYPED_TEST_SUITE(ChainHashKernelTest, Spaces, SpaceName);

TYPED_TEST(ChainHashKernelTest, KnownAnswers) {
  for (const Answers* known : both_chains) {
    EXPECT_EQ(next_hashes_on<TypeParam>(known->chain,
                                        {std::begin(known->records), std::end(known->records)}),
              std::vector<std::uint64_t>(std::begin(known->next), std::end(known->next)));
  }
}

TYPED_TEST(ChainHashKernelTest, RandomRecords) {
  for (const Chain chain : {Chain::splitmix, Chain::polynomial}) {
    Rng rng(1);
    std::vector<Record> records(1000);
    std::vector<std::uint64_t> expected;
    for (Record& record : records) {
      record = {static_cast<std::int64_t>(rng.bits()), static_cast<std::int64_t>(rng.bits()),
                static_cast<std::int64_t>(rng.bits()), static_cast<std::int64_t>(rng.bits())};
      expected.push_back(oracle_next(record, chain));
    }
    EXPECT_EQ(next_hashes_on<TypeParam>(chain, records), expected);
  }
}

}  // namespace
