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
/// Known answers of the chain hash, at compile time, on the host and in kernels.
namespace {

using kvcanary::chain_start;
using kvcanary::mix3;
using kvcanary::next_hash;
using kvcanary::Record;
using kvcanary::splitmix64;

/// Records of tokens 101 7592 2088 102 at positions 0 to 3, and of tokens -1 and 5 at 0 and 1.
constexpr std::uint64_t anchor = 0xDE7FAE23A9A1B716;
constexpr Record words[] = {
    {101, 0, static_cast<std::int64_t>(anchor), 0},
    {7592, 1, 0x542FE5061275A6AB, 0},
    {2088, 2, static_cast<std::int64_t>(0xE03FB0B1A7A7FF8A), 0},
    {102, 3, 0x71D597355A083809, 0},
    {-1, 0, static_cast<std::int64_t>(anchor), 0},
    {5, 1, static_cast<std::int64_t>(0xE5A9A05404A720CF), 0},
};
constexpr std::uint64_t next_hashes[] = {0x542FE5061275A6AB, 0xE03FB0B1A7A7FF8A,
                                         0x71D597355A083809, 0x73EAD031B94D7777,
                                         0xE5A9A05404A720CF, 0xBD18F90687DE417F};

// splitmix64: the first output of Vigna's generator for seed 0.
static_assert(splitmix64(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF);
static_assert(splitmix64(0) == 0);
static_assert(chain_start() == anchor);
static_assert(mix3(1, 2, 3) == splitmix64(splitmix64(splitmix64(1) ^ 2) ^ 3));
static_assert(next_hash(words[0]) == next_hashes[0]);
static_assert(next_hash(words[1]) == next_hashes[1]);
static_assert(next_hash(words[2]) == next_hashes[2]);
static_assert(next_hash(words[3]) == next_hashes[3]);
static_assert(next_hash(words[4]) == next_hashes[4]);
static_assert(next_hash(words[5]) == next_hashes[5]);

TEST(ChainHashTest, OracleKnowsTheAnswers) {
  EXPECT_EQ(oracle::splitmix64(0x9E3779B97F4A7C15), 0xE220A8397B1DCDAF);
  EXPECT_EQ(oracle::anchor(), anchor);
  for (int i = 0; i < 6; ++i) {
    const Record& record = words[i];
    EXPECT_EQ(oracle::next({record.token, record.position, record.prev_hash, record.kv_hash}),
              next_hashes[i]);
  }
}

TEST(ChainHashTest, KVHashIsNoPartOfTheChain) {
  Record record = words[1];
  record.kv_hash = 0x1234;
  EXPECT_EQ(next_hash(record), next_hashes[1]);
}

TEST(ChainHashTest, OrderOfTheWordsMatters) {
  EXPECT_NE(mix3(1, 2, 3), mix3(1, 3, 2));
  EXPECT_NE(mix3(1, 2, 3), mix3(2, 1, 3));
  EXPECT_NE(mix3(1, 2, 3), mix3(3, 2, 1));
}

/// Runs `next_hash` of every record in a kernel. A free function: device lambdas can't be in tests.
template <class Space>
std::vector<std::uint64_t> next_hashes_on(const std::vector<Record>& records) {
  using Memory = typename Space::memory_space;
  const Kokkos::View<Record*, Memory> in("records", records.size());
  const Kokkos::View<std::uint64_t*, Memory> out("hashes", records.size());
  const auto host_in = Kokkos::create_mirror_view(in);
  std::copy(records.begin(), records.end(), host_in.data());
  Kokkos::deep_copy(in, host_in);
  Kokkos::parallel_for(
      "next_hashes", Kokkos::RangePolicy<Space>(0, static_cast<int>(records.size())),
      KOKKOS_LAMBDA(int i) { out(i) = next_hash(in(i)); });
  const auto host_out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  return {host_out.data(), host_out.data() + host_out.size()};
}

template <class Space>
class ChainHashKernelTest : public SpaceTest<Space> {};
TYPED_TEST_SUITE(ChainHashKernelTest, Spaces, SpaceName);

TYPED_TEST(ChainHashKernelTest, KnownAnswers) {
  EXPECT_EQ(next_hashes_on<TypeParam>({std::begin(words), std::end(words)}),
            std::vector<std::uint64_t>(std::begin(next_hashes), std::end(next_hashes)));
}

TYPED_TEST(ChainHashKernelTest, RandomRecords) {
  Rng rng(1);
  std::vector<Record> records(1000);
  std::vector<std::uint64_t> expected;
  for (Record& record : records) {
    record = {static_cast<std::int64_t>(rng.bits()), static_cast<std::int64_t>(rng.bits()),
              static_cast<std::int64_t>(rng.bits()), static_cast<std::int64_t>(rng.bits())};
    expected.push_back(
        oracle::next({record.token, record.position, record.prev_hash, record.kv_hash}));
  }
  EXPECT_EQ(next_hashes_on<TypeParam>(records), expected);
}

}  // namespace
