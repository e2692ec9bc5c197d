#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/write_fixture.hpp"

/// \file
/// Long requests, whose chains many lanes compute at once: what belongs to a request, where it
/// starts and what is skipped must come out the same wherever the work is divided.
namespace {

using namespace write_cases;  // NOLINT(google-build-using-namespace)

/// Slots from 1 on that hold seeds; padding is slot 0.
constexpr std::int64_t num_seeds = 15;
std::int64_t position_of_seed(std::int64_t slot) { return 100 * slot; }

/// Requests of such lengths, one after the other, whose positions follow their seeds. Each entry
/// has a slot of its own behind those of the seeds.
struct Requests {
  Requests(const Ints& lengths, const Ints& seeds) : plan(build::write_plan(lengths, seeds)) {
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      const bool seeded = seeds[r] > 0 && seeds[r] <= num_seeds;
      const Ints positions = build::iota(lengths[r], seeded ? position_of_seed(seeds[r]) + 1 : 0);
      batch.positions.insert(batch.positions.end(), positions.begin(), positions.end());
    }
    for (std::int64_t i = 0; i < size(); ++i) batch.tokens.push_back(i * i % 150'001);
    batch.slots = build::iota(size(), num_seeds + 1);
  }

  std::int64_t size() const { return std::ssize(batch.positions); }

  void skip(std::int64_t first, std::int64_t last) {
    std::fill(batch.slots.begin() + first, batch.slots.begin() + last, -1);
  }

  /// Every entry that is not skipped is reported, and with it the hash before it.
  void expect_other_tokens() { batch.expected_tokens = Ints(size(), -7); }

  oracle::WritePlan plan;
  oracle::TokenBatch batch;
};

template <class On>
class WriteScanTest : public WriteTest<On> {
 protected:
  oracle::Report write(const Requests& requests, int num_endpoints = 1) {
    this->endpoints.clear();
    for (int tag = 0; tag < num_endpoints; ++tag) {
      Endpoint& endpoint = this->endpoints.emplace_back(
          build::endpoint(tag, num_seeds + 1 + requests.size(), 32 + tag % 2 * 16));
      for (std::int64_t slot = 1; slot <= num_seeds; ++slot) {
        oracle::store(endpoint, slot, {slot, position_of_seed(slot), tag % 3 + slot, 0});
      }
    }
    return this->run(requests.plan, requests.batch);
  }
};
TYPED_TEST_SUITE(WriteScanTest, ChainedSpaces, SpaceName);

/// More entries than all teams together take at once, and fewer than one of them has lanes.
TYPED_TEST(WriteScanTest, OneRequestOfAnyLength) {
  for (const std::int64_t length : {1, 2, 33, 513, 7777}) {
    for (const std::int64_t seed : {no_slot, std::int64_t{3}}) {
      const oracle::Report report = this->write(Requests({length}, {seed}), 2);
      EXPECT_TRUE(report.violations.empty());
      EXPECT_EQ(report.counts[1].entries, static_cast<std::uint64_t>(length));
    }
  }
}

TYPED_TEST(WriteScanTest, ShortRequestsBetweenLongOnes) {
  const Ints lengths = {0, 1500, 0, 1, 0, 0, 2, 900, 1, 1, 1, 0, 33, 1, 1200, 0, 0};
  Ints seeds(lengths.size(), no_slot);
  for (std::size_t r = 0; r < seeds.size(); r += 2) seeds[r] = static_cast<std::int64_t>(r) / 2 + 1;
  EXPECT_TRUE(this->write(Requests(lengths, seeds), 3).violations.empty());
  std::ranges::reverse(seeds);
  EXPECT_TRUE(this->write(Requests(lengths, seeds), 3).violations.empty());
}

TYPED_TEST(WriteScanTest, OneEntryEach) {
  EXPECT_TRUE(this->write(Requests(Ints(700, 1), Ints(700, no_slot))).violations.empty());
}

/// At the start, in the middle, at the end, and all of a request.
TYPED_TEST(WriteScanTest, SkippedEntries) {
  const Ints lengths = {800, 600, 1, 700, 900}, seeds = {1, no_slot, 2, 3, no_slot};
  struct Skip {
    std::int64_t first, last;
  };
  const std::vector<Skip> skips = {{0, 1},       {0, 100},     {799, 800},   {700, 800},
                                   {400, 401},   {300, 333},   {800, 1400},  {790, 1410},
                                   {1400, 1401}, {1401, 1700}, {2100, 3001}, {0, 3001}};
  for (const Skip& skip : skips) {
    Requests requests(lengths, seeds);
    requests.skip(skip.first, skip.last);
    const oracle::Report report = this->write(requests);
    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.counts[0].entries, static_cast<std::uint64_t>(3001 - skip.last + skip.first));
  }
  Requests every_third(lengths, seeds);
  for (std::int64_t i = 0; i < 3001; i += 3) every_third.skip(i, i + 1);
  EXPECT_TRUE(this->write(every_third).violations.empty());
}

/// A seed is read before the request's own entries are stored, wherever one of them lies over it.
TYPED_TEST(WriteScanTest, SeedThatTheRequestOverwrites) {
  for (const std::int64_t at : {0, 1, 40, 700, 1499}) {
    Requests requests({1500, 1500, 1500}, {4, 5, 6});
    for (const std::int64_t r : {0, 1, 2}) requests.batch.slots[1500 * r + at] = 4 + r;
    EXPECT_TRUE(this->write(requests, 2).violations.empty());
    EXPECT_EQ(this->record(4).token, requests.batch.tokens[at]);
  }
  Requests short_ones(Ints(15, 40), build::iota(15, 1));
  for (std::int64_t r = 0; r < 15; ++r) short_ones.batch.slots[40 * r + 2 * r] = r + 1;
  EXPECT_TRUE(this->write(short_ones, 2).violations.empty());
}

/// Padding slots and what is out of range start a request at the anchor, and one of few entries
/// hands its start to no other.
TYPED_TEST(WriteScanTest, SeedsThatAreNone) {
  const Ints seeds = {0, 3, 1 << 20, no_slot, oracle::invalid_slot, 5, oracle::unchecked_slot, 0};
  const Ints lengths = {900, 1, 1000, 1, 1, 700, 800, 0};
  Requests requests(lengths, seeds);
  requests.batch.check_positions = 1;
  const oracle::Report report = this->write(requests, 2);
  EXPECT_EQ(report.violations.size(), 2 * 3U) << "the three that are out of range";
  requests.expect_other_tokens();
  EXPECT_EQ(this->write(requests).violations.size(), 3U + 3403U);
}

/// Requests that share entries have their own hash before each.
TYPED_TEST(WriteScanTest, OverlappingAndDescendingOffsets) {
  Requests requests({3000}, {no_slot});
  requests.expect_other_tokens();
  for (const Ints& offsets :
       {Ints{0, 900, 300, 1200, 1000, 2000}, Ints{0, 3000, 0, 3000}, Ints{700, 2900, 100, 2000},
        Ints{0, 1, 0, 1, 0, 2500}, Ints{2000, 1000, 500}, Ints{0, INT64_MAX, INT64_MIN, 1500}}) {
    const std::int64_t count = std::ssize(offsets) - 1;
    requests.plan = build::write_plan(Ints(count, 0), build::iota(count, 1));
    requests.plan.offsets = offsets;
    EXPECT_FALSE(this->write(requests).violations.empty());
  }
}

/// Entries before the first request, and behind the last, are nobody's.
TYPED_TEST(WriteScanTest, EntriesOfNobody) {
  Requests requests({0, 1000, 500, 0}, Ints(4, no_slot));
  requests.plan.offsets = {200, 900, 900, 1300, 1300};
  const oracle::Report report = this->write(requests);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.counts[0].entries, 1100U);
  EXPECT_TRUE(this->untouched(num_seeds + 200));
  EXPECT_TRUE(this->untouched(num_seeds + 1 + 1300));
}

/// A position is compared with that of the entry before, however many are skipped between them.
TYPED_TEST(WriteScanTest, PositionsAcrossSkippedEntries) {
  for (const std::int64_t skipped : {1, 33, 1999}) {
    for (const std::int64_t first : {0, 200}) {
      Requests requests({2700, 300}, {7, 8});
      requests.skip(first, first + skipped);
      requests.batch.check_positions = 0;
      EXPECT_TRUE(this->write(requests).violations.empty());
      requests.batch.check_positions = 1;
      const oracle::Report report = this->write(requests, 2);
      ASSERT_EQ(report.violations.size(), 2U) << "in each buffer";
      EXPECT_EQ(report.violations[0].entry, first + skipped);
      EXPECT_EQ(report.violations[0].expected_position, position_of_seed(7) + 1 + first);
    }
  }
}

/// A request all of whose entries but the last are skipped still has the position of its seed.
TYPED_TEST(WriteScanTest, PositionOfASeedFarBefore) {
  Requests requests({2000, 5}, {9, 10});
  requests.skip(0, 1999);
  requests.batch.check_positions = 1;
  const oracle::Report report = this->write(requests);
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].entry, 1999);
  EXPECT_EQ(report.violations[0].expected_position, position_of_seed(9) + 1);
  EXPECT_EQ(report.violations[0].stored_chain_hash, this->next({9, position_of_seed(9), 9, 0}));
}

/// As many buffers as a launch takes, with seeds that differ.
TYPED_TEST(WriteScanTest, TwelveEndpoints) {
  Requests requests({1300, 2, 700}, {1, 2, no_slot});
  requests.batch.check_positions = 1;
  EXPECT_TRUE(this->write(requests, 12).violations.empty());
}

/// Launch after launch, each of another size, on what the ones before have left.
TYPED_TEST(WriteScanTest, OneLaunchAfterTheOther) {
  constexpr std::int64_t slots = 4000;
  this->endpoints = {build::endpoint(0, slots), build::endpoint(1, slots)};
  oracle::TokenBatch batch;
  batch.check_positions = 1;
  std::int64_t done = 0;
  for (const std::int64_t length : {1, 600, 1, 2, 31, 900, 3, 300, 1, 1200, 64, 5}) {
    batch.tokens = build::iota(length, 50 + done);
    batch.positions = build::iota(length, done);
    batch.slots = build::iota(length, 1 + done);
    const Ints seeds = {done > 0 ? done : no_slot};
    EXPECT_TRUE(this->run(build::write_plan({length}, seeds), batch).violations.empty());
    done += length;
  }
  EXPECT_TRUE(check_verify<typename TypeParam::Space>({}, build::verify_chain(build::iota(done, 1)),
                                                      this->endpoints)
                  .violations.empty());
}

}  // namespace
