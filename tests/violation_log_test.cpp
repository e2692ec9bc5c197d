#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
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

  /// Rows are complete: those of the entries that they name, each once.
  static void expect_complete(const std::vector<kvcanary::Violation>& rows) {
    std::set<std::int64_t> entries;
    for (const kvcanary::Violation& row : rows) {
      EXPECT_EQ(row, (kvcanary::Violation{5, 100 + row.entry, row.entry, 0, -1, 0, 0,
                                          kvcanary::fail_bit::slot_out_of_bounds, 1, row.entry}));
      EXPECT_TRUE(entries.insert(row.entry).second) << "entry " << row.entry << " twice";
    }
  }

  Space space;
  kvcanary::ViolationLog<Memory> log = kvcanary::ViolationLog<Memory>::allocate(10);
  kvcanary::LaunchCounters<Memory> counters = kvcanary::LaunchCounters<Memory>::allocate();
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
  this->expect_complete(full.rows);
}

TYPED_TEST(ViolationLogTest, TheFirstRowsStayAndTheTotalGoesOn) {
  this->verify(4);
  const std::vector<kvcanary::Violation> first = this->log.fetch(this->space).rows;
  ASSERT_EQ(first.size(), 4U);
  this->verify(3000);
  const kvcanary::ViolationSnapshot snapshot = this->log.fetch(this->space);
  EXPECT_EQ(snapshot.total, 3004U);
  EXPECT_EQ(this->log.fetch_total(this->space), 3004U);
  ASSERT_EQ(snapshot.rows.size(), 10U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), snapshot.rows.begin()));
  this->expect_complete({snapshot.rows.begin() + 4, snapshot.rows.end()});
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
  this->expect_complete(snapshot.rows);
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
    EXPECT_EQ(counts[tag], tag == 5 ? (kvcanary::TagCounts{2, 7}) : kvcanary::TagCounts{});
  }
  this->counters.reset(this->space);
  EXPECT_EQ(this->counters.fetch(this->space), kvcanary::TagCountsTable{});
}

/// A sweep: a plan that the host makes from the slots that it knows.
TYPED_TEST(ViolationLogTest, PlanFromTheHost) {
  const UploadedEndpoints<TypeParam> endpoints({}, {build::endpoint(4, 2)});
  const auto plan = kvcanary::VerifyPlan<typename TypeParam::memory_space>::allocate(3);
  const auto sweep = [&](const std::vector<kvcanary::VerifyEntry>& entries) {
    plan.assign(this->space, entries);
    this->log.reset(this->space);
    kvcanary::verify(this->space, plan, endpoints.endpoints(), this->log, this->counters);
    return this->log.fetch(this->space).rows;
  };
  EXPECT_TRUE(sweep({}).empty());
  EXPECT_EQ(sweep({{9, 7, 8, 6, -1}}),
            (std::vector<kvcanary::Violation>{
                {4, 9, 7, 0, 6, 0, 0, kvcanary::fail_bit::slot_out_of_bounds, -1, 0}}));
  EXPECT_EQ(sweep({{9, 0, -1, -1, -1}, {0, 0, -1, -1, -1}, {8, 0, -1, -1, -1}}).size(), 2U);
  EXPECT_EQ(this->counters.fetch(this->space)[4], (kvcanary::TagCounts{3, 3}));

  kvcanary::VerifyPlanState state = plan.fetch_state(this->space);
  EXPECT_EQ(state.enabled, 1);
  EXPECT_EQ(state.num_entries, 3);
  EXPECT_EQ(state.required_entries, 3);

  // assign enables a plan that overflowed, and forgets nothing of how often.
  state = {.enabled = 0, .num_entries = 0, .required_entries = 9, .malformed = 2, .overflows = 7};
  Kokkos::deep_copy(plan.state, state);
  EXPECT_EQ(sweep({{9, 0, -1, -1, -1}}).size(), 1U);
  state = plan.fetch_state(this->space);
  EXPECT_EQ(state.enabled, 1);
  EXPECT_EQ(state.malformed, 0);
  EXPECT_EQ(state.overflows, 7U);
}

}  // namespace
