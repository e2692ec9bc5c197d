#include "src/write/scan_tail.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"

/// \file
/// What a scan knows of consecutive entries, on its own: the same however they are put together.
namespace {

using kvcanary::Chain;
using kvcanary::chain_step;
using kvcanary::detail::ChainMap;
using kvcanary::detail::ChainState;
using kvcanary::detail::ScanTail;
using kvcanary::detail::WriteEntry;

std::vector<WriteEntry> random_entries(Rng& rng, std::int64_t count) {
  std::vector<WriteEntry> entries;
  for (std::int64_t i = 0; i < count; ++i) {
    entries.push_back({static_cast<std::int64_t>(rng.bits()), static_cast<std::int64_t>(rng.bits()),
                       rng.chance(30) ? -1 : i});
  }
  return entries;
}

/// Of entries [first, last), put together from any two parts of them, and these in the same way.
template <class Behind>
Behind composed(Rng& rng, const std::vector<WriteEntry>& entries, std::int64_t first,
                std::int64_t last) {
  if (last - first > 1) {
    const std::int64_t middle = rng.between(first, last - 1);
    if (middle > first) {
      const Behind before = composed<Behind>(rng, entries, first, middle);
      return before.then(composed<Behind>(rng, entries, middle, last));
    }
  }
  Behind result;
  for (std::int64_t i = first; i < last; ++i) result.add(entries[i]);
  return result;
}

/// One entry after the other.
ChainState after(ChainState state, const std::vector<WriteEntry>& entries) {
  for (const WriteEntry& entry : entries) {
    if (entry.slot < 0) continue;
    state.hash = chain_step(Chain::polynomial, state.hash, entry.token, entry.position);
    state.position = entry.position;
  }
  return state;
}

TEST(ScanTailTest, AnyGroupingIsTheChain) {
  Rng rng(test_settings::seed());
  for (int i = 0; i < 500; ++i) {
    const std::vector<WriteEntry> entries = random_entries(rng, rng.between(0, 40));
    const ChainState start{rng.bits(), static_cast<std::int64_t>(rng.bits()), 1};
    const ChainState expected = after(start, entries);
    const ChainState found = composed<ScanTail>(rng, entries, 0, std::ssize(entries)).after(start);
    EXPECT_EQ(found.hash, expected.hash);
    EXPECT_EQ(found.position, expected.position);
    EXPECT_EQ(found.checks_position, 1U);
    EXPECT_EQ(composed<ChainMap>(rng, entries, 0, std::ssize(entries)).after(start).hash,
              expected.hash);
  }
}

/// Nothing before the first entry of a request belongs to it.
TEST(ScanTailTest, StartsCutOff) {
  Rng rng(test_settings::seed());
  const std::vector<WriteEntry> others = random_entries(rng, 9), own = random_entries(rng, 9);
  ScanTail before = composed<ScanTail>(rng, others, 0, 9),
           tail = composed<ScanTail>(rng, own, 0, 9);
  before.start_index = 4;
  tail.start_index = 7;
  const ChainState start{rng.bits(), 3, 1};
  EXPECT_EQ(before.then(tail).start_index, 7);
  EXPECT_EQ(before.then(tail).after(start).hash, after(start, own).hash);
  tail.start_index = -1;
  EXPECT_EQ(before.then(tail).start_index, 4);
  EXPECT_EQ(before.then(tail).after(start).hash, after(after(start, others), own).hash);
}

TEST(ScanTailTest, KnownMultiplier) {
  ChainMap map;
  for (std::int64_t i = 0; i < 1000; ++i) {
    map.add({i, i, 5});
    map.add({i, i, -1});
  }
  EXPECT_EQ(map.multiplier, 0x879E350EE13DCAE1);
}

}  // namespace
