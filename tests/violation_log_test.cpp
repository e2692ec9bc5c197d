#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <kvcanary/kvcanary.hpp>
#include <set>
#include <vector>

#include "tests/support/builders.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"
#include "tests/support/uploaded_plans.hpp"

/// \file
/// What stays of violations and counts over several launches.
namespace {

using kvcanary::SealedViolation;
using kvcanary::Violation;

/// Words of a row as it lies in a log.
constexpr std::size_t row_words = sizeof(SealedViolation) / sizeof(std::uint64_t);
static_assert(row_words == 14);

/// Verifies entries of slots that the pool doesn't have: one violation each.
template <class Space>
class ViolationLogTest : public SpaceTest<Space> {
 protected:
  using Memory = typename Space::memory_space;

  void verify(std::int64_t num_entries) {
    const UploadedEndpoints<Space> endpoints({}, {build::endpoint(5, 2)});
    const UploadedVerifyPlan<Space> plan(build::verify_chain(build::iota(num_entries, 100)));
    kvcanary::verify(space, plan.plan(), endpoints.endpoints(), log, counters);
    space.fence();
  }

  /// What is reported of entry i.
  static Violation of_entry(std::int64_t i) {
    return {.launch_tag = 5,
            .slot = 100 + i,
            .position = 0,
            .stored_token = 0,
            .expected_token = -1,
            .stored_chain_hash = 0,
            .expected_aux = 0,
            .fail_bits = kvcanary::fail_bit::slot_out_of_bounds,
            .request_row = 1,
            .entry = i,
            .expected_position = i,
            .stored_kv_hash = 0,
            .expected_kv_hash = 0};
  }

  /// Rows are those of the entries that they name, each once.
  static void expect_whole(const std::vector<Violation>& rows) {
    std::set<std::int64_t> entries;
    for (const Violation& row : rows) {
      EXPECT_EQ(row, of_entry(row.entry));
      EXPECT_TRUE(entries.insert(row.entry).second) << "entry " << row.entry << " twice";
    }
  }

  /// The rows that the log would return, and the total that it has.
  std::vector<Violation> fetch(kvcanary::Count total) const {
    const kvcanary::ViolationSnapshot snapshot = log.fetch(space);
    EXPECT_EQ(snapshot.total, total);
    return snapshot.rows;
  }

  // ---- the log as it lies in memory ----

  std::vector<SealedViolation> raw_rows() const {
    std::vector<SealedViolation> rows(log.capacity());
    Kokkos::deep_copy(kvcanary::host_view(rows.data(), rows.size()), device_rows());
    return rows;
  }
  void store_raw(const std::vector<SealedViolation>& rows) const {
    Kokkos::deep_copy(device_rows(), kvcanary::host_view(rows.data(), rows.size()));
  }

  /// As kernels do before they store what they have found.
  void reserve(kvcanary::Count count) const {
    const Kokkos::View<kvcanary::ViolationLogState, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        device(log.state());
    kvcanary::ViolationLogState state;
    Kokkos::deep_copy(state, device);
    state.end += count;
    Kokkos::deep_copy(device, state);
  }

  Space space;
  kvcanary::ViolationLog<Memory> log = kvcanary::ViolationLog<Memory>::allocate(space, 10);
  kvcanary::LaunchCounters<Memory> counters = kvcanary::LaunchCounters<Memory>::allocate(space);

 private:
  auto device_rows() const {
    return Kokkos::View<SealedViolation*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        log.rows(), log.capacity());
  }
};
TYPED_TEST_SUITE(ViolationLogTest, Spaces, SpaceName);

TYPED_TEST(ViolationLogTest, StartsEmpty) {
  EXPECT_EQ(this->log.capacity(), 10);
  EXPECT_EQ(this->log.fetch_total(this->space), 0U);
  EXPECT_TRUE(this->log.fetch(this->space).rows.empty());
  EXPECT_EQ(this->counters.fetch(this->space), kvcanary::TagCountsTable{});
}

TYPED_TEST(ViolationLogTest, KeepsUpToItsCapacity) {
  this->verify(10);
  const kvcanary::ViolationSnapshot full = this->log.fetch(this->space);
  EXPECT_EQ(full.total, 10U);
  EXPECT_EQ(full.rows.size(), 10U);
  this->expect_whole(full.rows);
}

TYPED_TEST(ViolationLogTest, TheFirstRowsStayAndTheTotalGoesOn) {
  this->verify(4);
  const std::vector<Violation> first = this->log.fetch(this->space).rows;
  ASSERT_EQ(first.size(), 4U);
  this->verify(3000);
  const kvcanary::ViolationSnapshot snapshot = this->log.fetch(this->space);
  EXPECT_EQ(snapshot.total, 3004U);
  EXPECT_EQ(this->log.fetch_total(this->space), 3004U);
  ASSERT_EQ(snapshot.rows.size(), 10U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), snapshot.rows.begin()));
  this->expect_whole({snapshot.rows.begin() + 4, snapshot.rows.end()});
  this->verify(2);
  EXPECT_EQ(this->log.fetch(this->space).rows, snapshot.rows);
}

TYPED_TEST(ViolationLogTest, Reset) {
  this->verify(20);
  this->log.reset(this->space);
  EXPECT_EQ(this->log.fetch(this->space).total, 0U);
  EXPECT_TRUE(this->log.fetch(this->space).rows.empty());
  this->verify(3);
  const kvcanary::ViolationSnapshot snapshot = this->log.fetch(this->space);
  EXPECT_EQ(snapshot.total, 3U);
  EXPECT_EQ(snapshot.rows.size(), 3U);
  this->expect_whole(snapshot.rows);
}

/// What was there before a reset is never taken for what comes after it, at whatever moment.
TYPED_TEST(ViolationLogTest, RowsFromBeforeAReset) {
  this->verify(4);
  this->log.reset(this->space);
  EXPECT_TRUE(this->fetch(0).empty());
  this->reserve(3);
  EXPECT_TRUE(this->fetch(3).empty()) << "rows that are still to be stored";
  this->log.reset(this->space);
  EXPECT_TRUE(this->fetch(0).empty());
  this->verify(2);
  this->reserve(2);
  EXPECT_EQ(this->fetch(4).size(), 2U);
}

/// The same violations as before the reset, in the same rows, are whole only once.
TYPED_TEST(ViolationLogTest, TheSameRowsAgain) {
  this->verify(3);
  const std::vector<SealedViolation> before = this->raw_rows();
  this->log.reset(this->space);
  this->verify(3);
  const std::vector<SealedViolation> after = this->raw_rows();
  this->store_raw(before);
  EXPECT_TRUE(this->fetch(3).empty());
  this->store_raw(after);
  EXPECT_EQ(this->fetch(3).size(), 3U);
}

/// A reader may see any words of a row before others.
TYPED_TEST(ViolationLogTest, TornRowsAreLeftOut) {
  this->verify(6);
  const std::vector<Violation> all = this->fetch(6);
  ASSERT_EQ(all.size(), 6U);
  const std::vector<SealedViolation> rows = this->raw_rows();
  for (std::size_t torn = 0; torn < 6; ++torn) {
    for (std::size_t word = 0; word < row_words; ++word) {
      std::vector<SealedViolation> damaged = rows;
      reinterpret_cast<std::uint64_t*>(&damaged[torn])[word] ^= std::uint64_t{1} << 4 * word;
      this->store_raw(damaged);
      std::vector<Violation> others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(torn));
      EXPECT_EQ(this->fetch(6), others) << "row " << torn << ", word " << word;
    }
  }
  this->store_raw(rows);
  EXPECT_EQ(this->fetch(6), all) << "and come with a later fetch";
}

/// Half a row of before, half of after: any number of words of each.
TYPED_TEST(ViolationLogTest, RowsThatAreHalfOld) {
  this->verify(1);
  const std::vector<SealedViolation> old_rows = this->raw_rows();
  this->log.reset(this->space);
  this->verify(3);
  const std::vector<SealedViolation> rows = this->raw_rows();
  for (std::size_t words = 1; words < row_words; ++words) {
    std::vector<SealedViolation> mixed = rows;
    std::memcpy(&mixed[0], &old_rows[0], words * sizeof(std::uint64_t));
    // Words that are the same in both leave a whole row.
    const bool same = std::memcmp(&mixed[0], &rows[0], sizeof(SealedViolation)) == 0;
    this->store_raw(mixed);
    EXPECT_EQ(this->fetch(3).size(), same ? 3U : 2U) << words << " words";
    std::memcpy(&mixed[0], &rows[0], words * sizeof(std::uint64_t));
    std::memcpy(reinterpret_cast<std::uint64_t*>(&mixed[0]) + words,
                reinterpret_cast<const std::uint64_t*>(&old_rows[0]) + words,
                (row_words - words) * sizeof(std::uint64_t));
    this->store_raw(mixed);
    EXPECT_EQ(this->fetch(3).size(), 2U) << "the seal is the old one, " << words << " words";
  }
}

TYPED_TEST(ViolationLogTest, RowsInAnotherPlaceAreLeftOut) {
  this->verify(6);
  std::vector<SealedViolation> rows = this->raw_rows();
  const Violation first = rows[0].violation;
  rows[0] = rows[3];
  this->store_raw(rows);
  std::vector<Violation> found = this->fetch(6);
  EXPECT_EQ(found.size(), 5U);
  EXPECT_EQ(std::ranges::count(found, first), 0);
  EXPECT_EQ(std::ranges::count(found, rows[3].violation), 1);
  std::ranges::fill(rows, SealedViolation{});
  this->store_raw(rows);
  EXPECT_TRUE(this->fetch(6).empty()) << "memory that was never written";
}

/// Rows are sealed with their number since the log was made.
TYPED_TEST(ViolationLogTest, SealsOfRows) {
  kvcanary::Count first = 0;
  for (int round = 0; round < 3; ++round) {
    this->verify(3);
    const std::vector<SealedViolation> rows = this->raw_rows();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(rows[i].seal, kvcanary::seal_of(rows[i].violation, first + i));
    }
    this->verify(20);
    first += 23;
    this->log.reset(this->space);
  }
}

/// Rows come in the order of the log.
TYPED_TEST(ViolationLogTest, OrderOfRows) {
  this->verify(8);
  const std::vector<SealedViolation> raw = this->raw_rows();
  const std::vector<Violation> rows = this->fetch(8);
  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], raw[i].violation);
}

TEST(SealTest, DependsOnEveryBitOfEveryFieldAndOnThePlace) {
  std::set<std::uint64_t> seals;
  std::size_t rows = 0;
  const auto add = [&](const Violation& violation, kvcanary::Count index) {
    seals.insert(kvcanary::seal_of(violation, index));
    ++rows;
  };
  const Violation zero{};
  EXPECT_NE(kvcanary::seal_of(zero, 0), 0U) << "memory that was never written";
  for (kvcanary::Count index = 0; index < 1000; ++index) add(zero, index);
  add(zero, ~kvcanary::Count{0} - 1);
  for (std::size_t word = 0; word + 1 < row_words; ++word) {
    for (int bit = 0; bit < 64; ++bit) {
      Violation violation = zero;
      reinterpret_cast<std::uint64_t*>(&violation)[word] = std::uint64_t{1} << bit;
      add(violation, 0);
    }
  }
  EXPECT_EQ(seals.size(), rows);
  EXPECT_EQ(kvcanary::seal_of(zero, 5), kvcanary::seal_of(zero, 5));
}

TYPED_TEST(ViolationLogTest, CopiesShareTheirStorage) {
  const auto copy = this->log;
  this->verify(2);
  EXPECT_EQ(copy.fetch_total(this->space), 2U);
}

TYPED_TEST(ViolationLogTest, CountersAddUpUntilReset) {
  this->verify(3);
  this->verify(4);
  const kvcanary::TagCountsTable counts = this->counters.fetch(this->space);
  for (std::size_t tag = 0; tag < counts.size(); ++tag) {
    EXPECT_EQ(counts[tag], tag == 5 ? (kvcanary::TagCounts{2, 7, 0}) : kvcanary::TagCounts{});
  }
  this->counters.reset(this->space);
  EXPECT_EQ(this->counters.fetch(this->space), kvcanary::TagCountsTable{});
}

/// A plan that was disabled counts as such.
TYPED_TEST(ViolationLogTest, CountersOfDisabledPlans) {
  const UploadedEndpoints<TypeParam> endpoints({}, {build::endpoint(63, 2)});
  oracle::VerifyPlan plan = build::verify_chain({100, 101});
  plan.enabled = 0;
  const UploadedVerifyPlan<TypeParam> disabled(plan);
  for (int i = 0; i < 3; ++i) {
    kvcanary::verify(this->space, disabled.plan(), endpoints.endpoints(), this->log,
                     this->counters);
  }
  this->verify(2);
  const kvcanary::TagCountsTable counts = this->counters.fetch(this->space);
  EXPECT_EQ(counts[63], (kvcanary::TagCounts{0, 0, 3}));
  EXPECT_EQ(counts[5], (kvcanary::TagCounts{1, 2, 0}));
}

/// A sweep: a plan that the host makes from the slots that it knows.
TYPED_TEST(ViolationLogTest, PlanFromTheHost) {
  const UploadedEndpoints<TypeParam> endpoints({}, {build::endpoint(4, 2)});
  const auto plan =
      kvcanary::VerifyPlan<typename TypeParam::memory_space>::allocate(this->space, 3);
  const auto sweep = [&](const std::vector<kvcanary::VerifyEntry>& entries) {
    plan.assign(this->space, entries);
    this->log.reset(this->space);
    kvcanary::verify(this->space, plan, endpoints.endpoints(), this->log, this->counters);
    return this->log.fetch(this->space).rows;
  };
  EXPECT_TRUE(sweep({}).empty());
  EXPECT_EQ(sweep({{9, 7, 8, 6, -1}}),
            (std::vector<Violation>{{.launch_tag = 4,
                                     .slot = 9,
                                     .position = 0,
                                     .stored_token = 0,
                                     .expected_token = 6,
                                     .stored_chain_hash = 0,
                                     .expected_aux = 0,
                                     .fail_bits = kvcanary::fail_bit::slot_out_of_bounds,
                                     .request_row = -1,
                                     .entry = 0,
                                     .expected_position = 7,
                                     .stored_kv_hash = 0,
                                     .expected_kv_hash = 0}}));
  EXPECT_EQ(sweep({{9, 0, -1, -1, -1}, {0, 0, -1, -1, -1}, {8, 0, -1, -1, -1}}).size(), 3U)
      << "a padding slot among them";
  EXPECT_EQ(this->counters.fetch(this->space)[4], (kvcanary::TagCounts{3, 4, 0}));

  kvcanary::VerifyPlanState state = plan.fetch_state(this->space);
  EXPECT_EQ(state.enabled, 1);
  EXPECT_EQ(state.num_entries, 3);
  EXPECT_EQ(state.required_entries, 3);

  // assign enables a plan that overflowed, and forgets nothing of how often.
  state = {.enabled = 0, .num_entries = 3, .required_entries = 9, .malformed = 2, .overflows = 7};
  Kokkos::deep_copy(plan.state, state);
  EXPECT_EQ(sweep({{9, 0, -1, -1, -1}}).size(), 1U);
  state = plan.fetch_state(this->space);
  EXPECT_EQ(state.enabled, 1);
  EXPECT_EQ(state.malformed, 0);
  EXPECT_EQ(state.overflows, 7U);
}

/// There is nothing in a plan that was just made.
TYPED_TEST(ViolationLogTest, EmptyPlans) {
  using Memory = typename TypeParam::memory_space;
  const auto verify_plan = kvcanary::VerifyPlan<Memory>::allocate(this->space, 5);
  EXPECT_EQ(verify_plan.capacity(), 5);
  const kvcanary::VerifyPlanState state = verify_plan.fetch_state(this->space);
  EXPECT_EQ(state.enabled, 1);
  EXPECT_EQ(state.num_entries, 0);
  EXPECT_EQ(state.malformed, 0);
  EXPECT_EQ(state.overflows, 0U);

  const auto write_plan = kvcanary::WritePlan<Memory>::allocate(this->space, 7);
  EXPECT_EQ(write_plan.capacity(), 7);
  EXPECT_EQ(write_plan.offsets.extent(0), 8U);
  kvcanary::WritePlanState write_state{-1, -1};
  Kokkos::deep_copy(write_state, write_plan.state);
  EXPECT_EQ(write_state.num_requests, 0);
  EXPECT_EQ(write_state.malformed, 0);
}

}  // namespace
