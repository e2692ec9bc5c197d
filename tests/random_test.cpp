#include <gtest/gtest.h>

#include <string>

#include "tests/support/check.hpp"
#include "tests/support/malform.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Thousands of random cases, in the library and in the oracle.
namespace {

/// verify_requests, with the endpoints in one job or dealt to two.
template <class Space>
void check_in_one_pass(std::uint64_t seed, const Layout& layout, const oracle::PlanBatch& batch,
                       const std::vector<oracle::Endpoint>& endpoints) {
  Rng rng(~seed);
  oracle::VerifyJob first{batch, endpoints}, second{batch, {}};
  if (rng.chance(20)) first.batch.extend_lengths.clear();
  if (rng.chance(20)) second.batch.window = rng.between(0, 40);
  // Garbage lengths may ask for more than the oracle can hold; VerifyRequestsTest has some.
  constexpr std::int64_t limit = 1 << 16;
  if (required_entries(first) > limit || required_entries(second) > limit) return;
  const auto split = first.endpoints.begin() + rng.between(1, endpoints.size());
  second.endpoints.assign(split, first.endpoints.end());
  first.endpoints.erase(split, first.endpoints.end());
  std::vector<oracle::VerifyJob> jobs = {first};
  if (!second.endpoints.empty()) jobs.push_back(second);
  check_verify_requests<Space>(layout, jobs);
}

template <class Space>
class RandomTest : public SpaceTest<Space> {
 protected:
  /// Runs `body(seed)` for a number of seeds, up to the first one that fails. A device runs a tenth
  /// of them: each case allocates dozens of arrays there, which costs more than its kernels.
  template <class Body>
  static void for_each_seed(std::uint64_t host_cases, const Body& body) {
    constexpr bool on_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;
    const std::uint64_t first = test_settings::seed();
    const std::uint64_t cases = test_settings::cases(on_host ? host_cases : host_cases / 10);
    for (std::uint64_t i = 0; i < cases; ++i) {
      SCOPED_TRACE(rerun_command(first + i));
      body(first + i);
      if (testing::Test::HasFailure()) return;
    }
  }

  /// Steps of a case without a mistake: nothing is reported.
  static void expect_clean(CaseKind kind, std::uint64_t seed) {
    Case scenario = random_case(kind, seed);
    for (const Step& step : scenario.steps) {
      check_in_one_pass<Space>(seed, scenario.layout, step.batch, scenario.endpoints);
      const oracle::Report report = check_step<Space>(scenario.layout, step, scenario.endpoints);
      EXPECT_TRUE(report.violations.empty()) << report.violations.at(0);
    }
  }

 private:
  static std::string rerun_command(std::uint64_t seed) {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return "rerun: KVCANARY_TEST_SEED=" + std::to_string(seed) +
           " KVCANARY_TEST_CASES=1 kvcanary_tests --gtest_filter=" + test.test_suite_name() + '.' +
           test.name();
  }
};
TYPED_TEST_SUITE(RandomTest, Spaces, SpaceName);

TYPED_TEST(RandomTest, Mixed) {
  this->for_each_seed(1200, [](auto seed) { TestFixture::expect_clean(CaseKind::mixed, seed); });
}

TYPED_TEST(RandomTest, Window) {
  this->for_each_seed(800, [](auto seed) { TestFixture::expect_clean(CaseKind::window, seed); });
}

TYPED_TEST(RandomTest, ManyShort) {
  this->for_each_seed(100,
                      [](auto seed) { TestFixture::expect_clean(CaseKind::many_short, seed); });
}

TYPED_TEST(RandomTest, FewLong) {
  this->for_each_seed(60, [](auto seed) { TestFixture::expect_clean(CaseKind::few_long, seed); });
}

/// The pool is damaged after every step; what the next one reports is what the oracle reports.
TYPED_TEST(RandomTest, Corrupted) {
  this->for_each_seed(1000, [](std::uint64_t seed) {
    Rng rng(seed);
    Case scenario = random_case(rng.chance(50) ? CaseKind::mixed : CaseKind::window, rng.bits());
    for (const Step& step : scenario.steps) {
      check_in_one_pass<TypeParam>(seed, scenario.layout, step.batch, scenario.endpoints);
      check_step<TypeParam>(scenario.layout, step, scenario.endpoints);
      corrupt(rng, scenario.endpoints);
    }
  });
}

/// Each operation on its own gets garbage, in a pool that valid steps have filled.
TYPED_TEST(RandomTest, Malformed) {
  this->for_each_seed(2000, [](std::uint64_t seed) {
    Rng rng(seed);
    Case scenario = random_case(rng.chance(50) ? CaseKind::mixed : CaseKind::window, rng.bits());
    Step step = scenario.steps.back();
    scenario.steps.pop_back();
    for (const Step& earlier : scenario.steps) {
      Plans plans = stale_plans(earlier.max_requests, earlier.max_entries);
      oracle::Report report;
      oracle::plan(earlier.batch, plans.write, plans.verify);
      oracle::write(plans.write, earlier.write, scenario.endpoints, report);
    }
    if (rng.chance(60)) malform(rng, step.batch);
    Plans plans = stale_plans(step.max_requests, rng.chance(80) ? step.max_entries + 20 : 5);
    check_plan<TypeParam>(scenario.layout, step.batch, plans);

    if (rng.chance(30)) malform(rng, scenario.endpoints);
    check_in_one_pass<TypeParam>(seed, scenario.layout, step.batch, scenario.endpoints);
    if (rng.chance(60)) malform(rng, plans.verify);
    check_verify<TypeParam>(scenario.layout, plans.verify, scenario.endpoints);

    if (rng.chance(60)) malform(rng, plans.write);
    if (rng.chance(60)) malform(rng, step.write);
    remove_races(plans.write, step.write);
    check_write<TypeParam>(scenario.layout, plans.write, step.write, scenario.endpoints);
  });
}

/// A padded row moves nothing but the places of the rows after it.
TYPED_TEST(RandomTest, PaddingIsInert) {
  this->for_each_seed(300, [](std::uint64_t seed) {
    const Case scenario = random_case(CaseKind::mixed, seed);
    const Step& step = scenario.steps.back();
    Plans plans = stale_plans(step.max_requests + 1, step.max_entries);
    Library<TypeParam>::plan(scenario.layout, step.batch, plans.write, plans.verify);

    oracle::PlanBatch padded = step.batch;
    const auto at = static_cast<std::int64_t>(seed % (plans.write.num_requests + 1));
    padded.request_rows.insert(padded.request_rows.begin() + at, 0);
    padded.prefix_lengths.insert(padded.prefix_lengths.begin() + at, 7);
    padded.extend_lengths.insert(padded.extend_lengths.begin() + at, -7);
    if (padded.num_requests) ++*padded.num_requests;
    Plans padded_plans = stale_plans(step.max_requests + 1, step.max_entries);
    Library<TypeParam>::plan(scenario.layout, padded, padded_plans.write, padded_plans.verify);

    EXPECT_EQ(padded_plans.verify, plans.verify);
    oracle::WritePlan without = padded_plans.write;
    EXPECT_EQ(without.offsets[at], without.offsets[at + 1]);
    without.offsets.erase(without.offsets.begin() + at);
    without.seed_slots.erase(without.seed_slots.begin() + at);
    without.request_rows.erase(without.request_rows.begin() + at);
    for (std::int64_t r = 0; r < plans.write.num_requests; ++r) {
      EXPECT_EQ(without.offsets[r + 1], plans.write.offsets[r + 1]);
      EXPECT_EQ(without.seed_slots[r], plans.write.seed_slots[r]);
      EXPECT_EQ(without.request_rows[r], plans.write.request_rows[r]);
    }
  });
}

}  // namespace
