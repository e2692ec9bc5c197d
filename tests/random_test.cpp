#include <gtest/gtest.h>

#include <string>

#include "tests/support/check.hpp"
#include "tests/support/malform.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Thousands of random cases, in the library and in the oracle.
namespace {

/// Garbage lengths may ask for more than the oracle can hold; VerifyRequestsTest has some.
bool oracle_can_hold(const oracle::VerifyJob& job) { return required_entries(job) <= 1 << 16; }

/// verify_requests, with the endpoints in one job or dealt to two. `clean`: nothing may be found.
template <class Space>
void check_in_one_pass(std::uint64_t seed, const Layout& layout, const oracle::RequestBatch& batch,
                       const std::vector<oracle::Endpoint>& endpoints, bool clean) {
  Rng rng(~seed);
  oracle::VerifyJob first{batch, endpoints}, second{batch, {}};
  const bool needs_extends = batch.verify_end != oracle::VerifyEnd::prefix;
  first.extends_given = needs_extends || rng.chance(80);
  if (!clean && rng.chance(20)) second.batch.window = rng.between(0, 40);
  if (!oracle_can_hold(first) || !oracle_can_hold(second)) return;
  const auto split = first.endpoints.begin() + rng.between(1, endpoints.size());
  second.endpoints.assign(split, first.endpoints.end());
  first.endpoints.erase(split, first.endpoints.end());
  std::vector<oracle::VerifyJob> jobs = {first};
  if (!second.endpoints.empty()) jobs.push_back(second);
  const oracle::Report report = check_verify_requests<Space>(layout, jobs);
  if (clean && report.total > 0) ADD_FAILURE() << report.violations.at(0);
}

template <class Space>
class RandomTest : public SpaceTest<Space> {
 protected:
  /// Runs `body(seed)` for a number of seeds, up to the first one that fails. A device runs a tenth
  /// of them: each case allocates dozens of arrays there, which costs more than its kernels, and an
  /// emulated one has hundreds of lanes. Under a sanitizer, which takes ten times as long, a fifth,
  /// and of emulated ones a fifteenth.
  template <class Body>
  static void for_each_seed(std::uint64_t host_cases, const Body& body) {
    constexpr bool on_host = runs_host_kernels<Space>;
    const std::uint64_t first = test_settings::seed();
    constexpr std::uint64_t fewer = (on_host ? 1 : 10) * (!sanitizer::is_on ? 1 : on_host ? 5 : 15);
    const std::uint64_t cases = test_settings::cases(host_cases / fewer);
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
      const auto in_one_pass = [&] {
        check_in_one_pass<Space>(seed, scenario.layout, step.batch, scenario.endpoints, true);
      };
      const bool after_write = step.batch.verify_end != oracle::VerifyEnd::prefix;
      if (!after_write) in_one_pass();
      const oracle::Report report =
          check_planned_step<Space>(scenario.layout, step, scenario.endpoints);
      if (after_write) in_one_pass();
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
TYPED_TEST_SUITE(RandomTest, OperationSpaces, SpaceName);

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
      check_in_one_pass<TypeParam>(seed, scenario.layout, step.batch, scenario.endpoints, false);
      check_planned_step<TypeParam>(scenario.layout, step, scenario.endpoints);
      corrupt(rng, scenario.endpoints);
    }
  });
}

/// The jobs of all pools that are verified before the write, or after it.
std::vector<oracle::VerifyJob> verify_jobs(const std::vector<Case>& pools, std::size_t step,
                                           oracle::VerifyEnd end) {
  std::vector<oracle::VerifyJob> jobs;
  for (const Case& pool : pools) {
    const oracle::RequestBatch& batch = pool.steps[step].batch;
    if (batch.verify_end == end) jobs.push_back({batch, pool.endpoints});
  }
  return jobs;
}

/// All pools' parts of a step written in one launch; nothing is reported.
template <class Space>
void write_pools(std::vector<Case>& pools, std::size_t step) {
  std::vector<Plans> plans;
  std::vector<WriteCall> jobs;
  plans.reserve(pools.size());
  for (Case& pool : pools) {
    const Step& of_pool = pool.steps[step];
    plans.push_back(stale_plans(of_pool.max_requests, of_pool.max_entries));
    oracle::plan(of_pool.batch, plans.back().write, plans.back().verify);
    jobs.push_back({&plans.back().write, &of_pool.tokens, &pool.endpoints});
  }
  check_write_jobs<Space>(pools[0].layout, jobs);
  std::vector<oracle::StepJob> without_plans;
  for (Case& pool : pools) {
    without_plans.push_back({&pool.steps[step].batch, &pool.steps[step].tokens, &pool.endpoints});
  }
  check_write_requests<Space>(pools[0].layout, without_plans);
  for (const oracle::StepSide side : {oracle::StepSide::head, oracle::StepSide::tail}) {
    check_step<Space>(pools[0].layout, side, without_plans);
  }
  oracle::Report report;
  for (const WriteCall& job : jobs) oracle::write(*job.plan, *job.batch, *job.endpoints, report);
  if (report.total > 0) ADD_FAILURE() << report.violations.at(0);
}

/// Hybrid models: up to twelve pools, each with conventions of its own, share their launches.
TYPED_TEST(RandomTest, Pools) {
  this->for_each_seed(300, [](std::uint64_t seed) {
    std::vector<Case> pools = random_pools(seed);
    const auto expect_clean = [&](std::size_t step, oracle::VerifyEnd end) {
      const std::vector<oracle::VerifyJob> jobs = verify_jobs(pools, step, end);
      if (jobs.empty()) return;
      const oracle::Report report = check_verify_requests<TypeParam>(pools[0].layout, jobs);
      if (report.total > 0) ADD_FAILURE() << report.violations.at(0);
    };
    for (std::size_t step = 0; step < pools[0].steps.size(); ++step) {
      expect_clean(step, oracle::VerifyEnd::prefix);
      write_pools<TypeParam>(pools, step);
      expect_clean(step, oracle::VerifyEnd::last_token);
      expect_clean(step, oracle::VerifyEnd::whole_step);
    }
  });
}

/// The same with damaged pools and batches, verified all at once.
TYPED_TEST(RandomTest, MalformedPools) {
  this->for_each_seed(300, [](std::uint64_t seed) {
    Rng rng(seed);
    std::vector<Case> pools = random_pools(rng.bits());
    for (std::size_t step = 0; step + 1 < pools[0].steps.size(); ++step) {
      write_pools<TypeParam>(pools, step);
    }
    std::vector<oracle::VerifyJob> jobs;
    for (Case& pool : pools) {
      if (rng.chance(60)) corrupt(rng, pool.endpoints);
      if (rng.chance(30)) malform(rng, pool.endpoints);
      oracle::VerifyJob job{pool.steps.back().batch, pool.endpoints};
      if (rng.chance(60)) malform(rng, job.batch);
      if (oracle_can_hold(job)) jobs.push_back(job);
    }
    if (!jobs.empty()) check_verify_requests<TypeParam>(pools[0].layout, jobs);
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
      oracle::write(plans.write, earlier.tokens, scenario.endpoints, report);
    }
    if (rng.chance(60)) malform(rng, step.batch);
    Plans plans = stale_plans(step.max_requests, rng.chance(80) ? step.max_entries + 20 : 5);
    check_plan<TypeParam>(scenario.layout, step.batch, plans);

    if (rng.chance(30)) malform(rng, scenario.endpoints);
    check_in_one_pass<TypeParam>(seed, scenario.layout, step.batch, scenario.endpoints, false);
    if (rng.chance(60)) malform(rng, plans.verify);
    check_verify<TypeParam>(scenario.layout, plans.verify, scenario.endpoints);

    oracle::TokenBatch tokens = step.tokens;
    if (rng.chance(60)) malform(rng, tokens);
    skip_races(oracle::write_plan_of(step.batch), tokens, scenario.endpoints);
    const oracle::StepJob job{&step.batch, &tokens, &scenario.endpoints};
    check_write_requests<TypeParam>(scenario.layout, {job});
    oracle::RequestBatch whole = step.batch;
    whole.verify_end = oracle::VerifyEnd::whole_step;
    if (oracle_can_hold({whole, scenario.endpoints})) {
      const auto side = rng.chance(50) ? oracle::StepSide::head : oracle::StepSide::tail;
      check_step<TypeParam>(scenario.layout, side, {job});
    }

    if (rng.chance(60)) malform(rng, plans.write);
    if (rng.chance(60)) malform(rng, step.tokens);
    remove_races(plans.write, step.tokens, scenario.endpoints);
    check_write<TypeParam>(scenario.layout, plans.write, step.tokens, scenario.endpoints);
  });
}

/// A batch with one more padded request, which is number `at`.
oracle::RequestBatch with_padded_request(oracle::RequestBatch batch, std::int64_t at) {
  const auto insert = [at](std::vector<std::int64_t>& values, std::int64_t value) {
    values.insert(values.begin() + at, value);
  };
  insert(batch.request_rows, *batch.padding_row);
  insert(batch.prefix_lengths, 7);
  insert(batch.extend_lengths, -7);
  if (batch.num_requests) ++*batch.num_requests;
  if (batch.expected && batch.expected->valid_lengths) insert(*batch.expected->valid_lengths, 3);
  if (batch.lists) insert(batch.lists->offsets, batch.lists->offsets[at]);
  if (batch.lists && batch.lists->first_positions) insert(*batch.lists->first_positions, 5);
  return batch;
}

/// A padded row moves nothing but the places of the rows after it.
TYPED_TEST(RandomTest, PaddingIsInert) {
  this->for_each_seed(300, [](std::uint64_t seed) {
    const Case scenario = random_case(CaseKind::mixed, seed);
    const Step& step = scenario.steps.back();
    if (!step.batch.padding_row || !step.batch.rows_given) return;
    Plans plans = stale_plans(step.max_requests + 1, step.max_entries);
    Library<TypeParam>::plan(scenario.layout, step.batch, plans.write, plans.verify);

    const auto at = static_cast<std::int64_t>(seed % (plans.write.num_requests + 1));
    const oracle::RequestBatch padded = with_padded_request(step.batch, at);
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
