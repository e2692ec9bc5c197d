#include <gtest/gtest.h>

#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <vector>

#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/written_batch.hpp"

/// \file
/// What a hash of the history is for: whatever changes in it shows in every hash that follows.
///
/// Changes of a chain of n tokens, each of which is compared with n hashes that follow it, are too
/// many. But a step can be undone: so one walk back from a hash finds, for each place on the way,
/// the one hash there that leads to it, and thereby all changes, wherever they are, that it would
/// not show.
namespace {

using kvcanary::Chain;
using kvcanary::chain_start;
using kvcanary::chain_step;

constexpr std::int64_t length = 100'000;

// ---- undoing a step -----------------------------------------------------------------------------

/// Of an odd number, modulo 2^64: every step of Newton's doubles the bits that are right.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t result = odd;  // 3 bits
  for (int bits = 3; bits < 64; bits *= 2) result *= 2 - odd * result;
  return result;
}

constexpr std::uint64_t undo_xor_shift(std::uint64_t x, int shift) {
  std::uint64_t result = x;
  for (int known = shift; known < 64; known += shift) result = x ^ (result >> shift);
  return result;
}

constexpr std::uint64_t undo_splitmix64(std::uint64_t x) {
  x = undo_xor_shift(x, 31) * inverse(0x94D049BB133111EB);
  x = undo_xor_shift(x, 27) * inverse(0xBF58476D1CE4E5B9);
  return undo_xor_shift(x, 30);
}

struct Entry {
  std::int64_t token, position;
};

std::uint64_t step(Chain chain, std::uint64_t hash, const Entry& entry) {
  return chain_step(chain, hash, entry.token, entry.position);
}

/// The hash before an entry, given the one after it.
std::uint64_t undo(Chain chain, std::uint64_t hash, const Entry& entry) {
  const auto token = static_cast<std::uint64_t>(entry.token);
  const auto position = static_cast<std::uint64_t>(entry.position);
  if (chain == Chain::polynomial) {
    return (hash - kvcanary::mix2(token, position)) * inverse(0xD1342543DE82EF95);
  }
  return undo_splitmix64(undo_splitmix64(undo_splitmix64(hash) ^ position) ^ token);
}

// ---- a history, and what may change in it -------------------------------------------------------

/// Random tokens, any two neighbours of which differ.
std::vector<std::int64_t> random_tokens(Rng& rng) {
  std::vector<std::int64_t> tokens;
  while (std::ssize(tokens) < length) {
    const std::int64_t token =
        rng.chance(95) ? rng.between(0, 150'000) : static_cast<std::int64_t>(rng.bits());
    if (tokens.empty() || token != tokens.back()) tokens.push_back(token);
  }
  return tokens;
}

/// A kind of change at a place: the entries before it stay, a few new ones follow, and then the
/// others, some of them elsewhere.
struct Change {
  const char* name;
  std::int64_t new_entries;
  std::int64_t token_offset, position_offset;  ///< of entry i behind them: token i + offset, ...
};
constexpr Change changes[] = {{"a token is another", 1, 0, 0},
                              {"two neighbours change places", 2, 0, 0},
                              {"a token more", 1, -1, 0},
                              {"a token less", 0, 1, 0},
                              {"the rest one position further", 0, 0, 1}};

class ChainPromiseTest : public testing::TestWithParam<Chain> {
 protected:
  ChainPromiseTest() {
    hashes_.push_back(chain_start());
    for (std::int64_t i = 0; i < length; ++i) {
      hashes_.push_back(step(chain, hashes_.back(), {tokens[i], i}));
    }
  }

  const Chain chain = GetParam();
  Rng rng{test_settings::seed()};
  const std::vector<std::int64_t> tokens = random_tokens(rng);

  /// The hash after so many entries, or the `prev_hash` of the one that follows.
  std::uint64_t hash(std::int64_t entries) const { return hashes_[entries]; }

  /// New entry `i` of a change at `place`.
  Entry new_entry(const Change& change, std::int64_t place, std::int64_t i) const {
    if (change.new_entries == 2) return {tokens[place + 1 - i], place + i};
    return {tokens[place] ^ (std::int64_t{1} << place % 64), place};
  }
  /// Entry `i` behind the new ones.
  Entry later_entry(const Change& change, std::int64_t i) const {
    return {tokens[i + change.token_offset], i + change.position_offset};
  }
  /// Changes are at places before this one, so that there are tokens behind them.
  static constexpr std::int64_t end_of_places = length - 2;

  /// The hash after the new entries of a change.
  std::uint64_t changed_hash(const Change& change, std::int64_t place) const {
    std::uint64_t result = hash(place);
    for (std::int64_t i = 0; i < change.new_entries; ++i) {
      result = step(chain, result, new_entry(change, place, i));
    }
    return result;
  }

 private:
  std::vector<std::uint64_t> hashes_;
};
INSTANTIATE_TEST_SUITE_P(Chains, ChainPromiseTest,
                         testing::Values(Chain::splitmix, Chain::polynomial), [](const auto& info) {
                           return info.param == Chain::splitmix ? "splitmix" : "polynomial";
                         });

/// No two hashes become one in a step: those behind a change, and any others.
TEST_P(ChainPromiseTest, StepsCanBeUndone) {
  for (std::int64_t i = 0; i < length; ++i) {
    const Entry entry{tokens[i], i};
    ASSERT_EQ(undo(chain, hash(i + 1), entry), hash(i));
    for (const std::uint64_t before : {rng.bits(), hash(i) ^ (std::uint64_t{1} << i % 64)}) {
      ASSERT_EQ(undo(chain, step(chain, before, entry), entry), before);
      ASSERT_EQ(step(chain, undo(chain, before, entry), entry), before);
    }
  }
}

/// A change at any place shows in the hash that follows it, and behind all that is new.
TEST_P(ChainPromiseTest, ShowsInTheNextHash) {
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    for (std::int64_t place = 0; place < end_of_places; ++place) {
      const Entry first =
          change.new_entries > 0 ? new_entry(change, place, 0) : later_entry(change, place);
      ASSERT_NE(step(chain, hash(place), first), hash(place + 1)) << "at " << place;
      if (change.new_entries > 1) {
        ASSERT_NE(changed_hash(change, place), hash(place + change.new_entries)) << "at " << place;
      }
    }
  }
}

/// A change at any place shows in the last hash, and in any other one behind it that is looked at.
TEST_P(ChainPromiseTest, ShowsFromAnyPlace) {
  std::vector<std::int64_t> looked_at = {length - 1, length - 2, length / 2};
  for (int i = 0; i < 20; ++i) looked_at.push_back(rng.between(1, length - 1));
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    for (const std::int64_t entries : looked_at) {
      std::uint64_t unseen = hash(entries);  // leads there, from before entry i behind a change
      for (std::int64_t i = entries - 1; i >= change.new_entries; --i) {
        unseen = undo(chain, unseen, later_entry(change, i));
        const std::int64_t place = i - change.new_entries;
        ASSERT_NE(changed_hash(change, place), unseen) << "at " << place << ", in " << entries;
      }
    }
  }
}

/// A change at some places shows in every hash behind it.
TEST_P(ChainPromiseTest, ShowsInAllThatFollows) {
  std::vector<std::int64_t> places = {0, 1, 63, 64, 1000, end_of_places - 1};
  for (int i = 0; i < 50; ++i) places.push_back(rng.between(0, end_of_places - 1));
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    for (const std::int64_t place : places) {
      std::uint64_t changed = changed_hash(change, place);
      for (std::int64_t i = place + change.new_entries; i < length - 1; ++i) {
        if (i > place) {
          ASSERT_NE(changed, hash(i)) << "at " << place << ", in " << i;
        }
        changed = step(chain, changed, later_entry(change, i));
      }
    }
  }
}

// ---- a buffer that is read as one of the other chain --------------------------------------------

template <class Space>
class OtherChainTest : public SpaceTest<Space> {};
TYPED_TEST_SUITE(OtherChainTest, OperationSpaces, SpaceName);

/// Every record but the first of a request has another hash than the one before it asks for.
TYPED_TEST(OtherChainTest, IsReported) {
  using namespace written_batch;  // NOLINT(google-build-using-namespace)
  const Ints lengths = {1, 2, 300, 0, 700};
  const oracle::RequestBatch batch = batch_of(lengths, 16);
  for (const auto chain : {oracle::Chain::splitmix, oracle::Chain::polynomial}) {
    std::vector<Endpoint> endpoints = {build::endpoint(0, num_slots(batch)),
                                       build::endpoint(1, num_slots(batch))};
    endpoints[0].chain = endpoints[1].chain = chain;
    const Ints seeds(lengths.size(), oracle::no_slot);
    check_write<TypeParam>({}, build::write_plan(lengths, seeds), first_tokens(batch, lengths),
                           endpoints);
    Plans plans = stale_plans(std::ssize(lengths), 1003);
    oracle::plan(batch, plans.write, plans.verify);
    const auto verify = [&] {
      return std::vector{check_verify<TypeParam>({}, plans.verify, endpoints),
                         check_verify_requests<TypeParam>({}, {{batch, endpoints}})};
    };
    for (const oracle::Report& report : verify()) EXPECT_TRUE(report.violations.empty());
    endpoints[1].chain =
        chain == oracle::Chain::splitmix ? oracle::Chain::polynomial : oracle::Chain::splitmix;
    for (const oracle::Report& report : verify()) {
      EXPECT_EQ(report.violations.size(), 1U + 299U + 699U);
      for (const Violation& violation : report.violations) {
        EXPECT_EQ(violation.launch_tag, 1);
        EXPECT_EQ(violation.fail_bits, bit::chain_hash);
        EXPECT_GT(violation.expected_position, 0);
      }
    }
  }
}

}  // namespace
