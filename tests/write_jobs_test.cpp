#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/malform.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/write_fixture.hpp"

/// \file
/// Several jobs in one launch write what one call for each writes, in every launch shape; and what
/// divides the work of a launch (many requests, chains, endpoints, sources) shows in no result.
namespace {

using namespace write_cases;  // NOLINT(google-build-using-namespace)

using oracle::Chain;

template <class Space>
using WriteJobsTest = SpaceTest<Space>;
TYPED_TEST_SUITE(WriteJobsTest, OperationSpaces, SpaceName);

/// A full and a sliding-window pool: the same tokens, other slots, one of them skipped in one pool.
TYPED_TEST(WriteJobsTest, TwoPools) {
  std::vector<Endpoint> full = {build::endpoint(0, 8), build::endpoint(1, 8)};
  std::vector<Endpoint> window = {build::endpoint(6, 5), build::endpoint(7, 3)};
  const oracle::WritePlan full_plan = build::write_plan({2, 2}, {no_slot, 4});
  const oracle::WritePlan window_plan = build::write_plan({2, 2}, {no_slot, 1});
  const oracle::TokenBatch batch = four_tokens();
  oracle::TokenBatch window_batch = batch;
  window_batch.slots = {2, -1, 3, 4};
  window_batch.expected_tokens = Ints{101, 7592, 2088, 103};
  // Buffers of a pool may have different chains, and pools have.
  for (int chains = 0; chains < 16; ++chains) {
    full[0].chain = static_cast<Chain>(chains & 1);
    full[1].chain = static_cast<Chain>(chains >> 1 & 1);
    window[0].chain = static_cast<Chain>(chains >> 2 & 1);
    window[1].chain = static_cast<Chain>(chains >> 3);
    check_write_jobs<TypeParam>(
        {}, {{&full_plan, &batch, &full}, {&window_plan, &window_batch, &window}});
  }
}

TYPED_TEST(WriteJobsTest, JobsOfDifferentSizes) {
  std::vector<Endpoint> one = {build::endpoint(2, 8)};
  std::vector<Endpoint> many;
  for (int tag = 0; tag < 11; ++tag) {
    many.push_back(build::endpoint(tag + 20, 600));
    many.back().chain = tag % 3 == 0 ? Chain::splitmix : Chain::polynomial;
  }
  const oracle::WritePlan one_plan = build::write_plan({4}, {no_slot});
  const oracle::WritePlan many_plan = build::write_plan(Ints(37, 16), Ints(37, no_slot));
  const oracle::TokenBatch one_batch = four_tokens();
  const oracle::TokenBatch many_batch{build::iota(592, 7), build::iota(592), build::iota(592, 1)};
  const WriteCall small{&one_plan, &one_batch, &one}, large{&many_plan, &many_batch, &many};
  check_write_jobs<TypeParam>({}, {small, large});
  check_write_jobs<TypeParam>({}, {large, small});
}

/// As many pools as a launch takes: each has its own plan, tokens, padding, chain and checks.
TYPED_TEST(WriteJobsTest, TwelvePools) {
  std::vector<oracle::WritePlan> plans;
  std::vector<oracle::TokenBatch> batches(12, four_tokens());
  std::vector<std::vector<Endpoint>> endpoints;
  std::vector<WriteCall> jobs;
  for (int j = 0; j < 12; ++j) {
    plans.push_back(build::write_plan({j % 4, 4 - j % 4}, {no_slot, j % 5 + 1}));
    endpoints.push_back({build::endpoint(63 - 4 * j, 8, 32 + j % 3 * 16)});
    endpoints[j][0].padding = {j % 4, j % 3};
    endpoints[j][0].chain = j % 5 < 2 ? Chain::splitmix : Chain::polynomial;
    if (j % 2 == 0) batches[j].num_tokens = j == 6 ? 5 : 4;
    if (j % 3 == 0) batches[j].check_positions = j;
    batches[j].slots[j % 4] = j - 3;
    // Seeds that another request of the job writes are forbidden.
    remove_races(plans[j], batches[j], endpoints[j]);
  }
  for (int j = 0; j < 12; ++j) jobs.push_back({&plans[j], &batches[j], &endpoints[j]});
  check_write_jobs<TypeParam>({}, jobs);
}

/// The first steps of pools, whose batches are damaged as well.
template <class Space>
void check_without_plans(Rng& rng, std::vector<Case>& pools) {
  std::vector<oracle::StepJob> jobs;
  for (Case& pool : pools) {
    Step& step = pool.steps[0];
    if (rng.chance(40)) malform(rng, step.batch);
    skip_races(oracle::write_plan_of(step.batch), step.tokens, pool.endpoints);
    jobs.push_back({&step.batch, &step.tokens, &pool.endpoints});
  }
  check_write_requests<Space>(pools[0].layout, jobs);
}

/// Up to twelve unrelated random scenarios, damaged, in one launch.
TYPED_TEST(WriteJobsTest, Random) {
  constexpr bool on_host = runs_host_kernels<TypeParam>;
  const std::uint64_t first = test_settings::seed();
  for (std::uint64_t seed = first;
       seed < first + test_settings::cases((on_host ? 300 : 30) / (sanitizer::is_on ? 3 : 1));
       ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    std::vector<Case> pools = random_pools(rng.bits());
    std::vector<Plans> plans;
    std::vector<WriteCall> jobs;
    for (Case& pool : pools) {
      Step& step = pool.steps[0];
      plans.push_back(stale_plans(step.max_requests, step.max_entries));
      oracle::plan(step.batch, plans.back().write, plans.back().verify);
      if (rng.chance(40)) malform(rng, plans.back().write);
      if (rng.chance(40)) malform(rng, step.tokens);
      if (rng.chance(20)) malform(rng, pool.endpoints);
      remove_races(plans.back().write, step.tokens, pool.endpoints);
    }
    for (std::size_t i = 0; i < pools.size(); ++i) {
      jobs.push_back({&plans[i].write, &pools[i].steps[0].tokens, &pools[i].endpoints});
    }
    check_write_jobs<TypeParam>(pools[0].layout, jobs);
    check_without_plans<TypeParam>(rng, pools);
    if (testing::Test::HasFailure()) return;
  }
}

// ---- what divides the work ---------------------------------------------------------------------

template <class On>
using WriteWorkTest = WriteTest<On>;
TYPED_TEST_SUITE(WriteWorkTest, ChainedSpaces, SpaceName);

/// Requests that end at different times, so that others take their place beside those that go on.
TYPED_TEST(WriteWorkTest, RequestsOfDifferentLengths) {
  for (std::int64_t requests = 1; requests <= 9; ++requests) {
    Ints lengths;
    std::int64_t total = 0;
    for (std::int64_t r = 0; r < requests; ++r) {
      lengths.push_back(r * 67 % 131);
      total += lengths.back();
    }
    this->endpoints = {build::endpoint(3, total + 1)};
    const oracle::TokenBatch batch{build::iota(total, 7), build::iota(total),
                                   build::iota(total, 1)};
    const oracle::WritePlan plan = build::write_plan(lengths, Ints(requests, no_slot));
    EXPECT_EQ(this->run(plan, batch).counts[3].entries, static_cast<std::uint64_t>(total));
  }
}

/// More requests than a worker has, short and long, with entries that are skipped, out of range and
/// unexpected among them.
TYPED_TEST(WriteWorkTest, ManyRequestsWithFlaws) {
  constexpr std::int64_t requests = 83;
  Ints lengths;
  std::int64_t total = 0;
  for (std::int64_t r = 0; r < requests; ++r) {
    lengths.push_back(r % 5 == 0 ? r % 7 : r * 29 % 173);
    total += lengths.back();
  }
  oracle::TokenBatch batch{build::iota(total, 7), build::iota(total), build::iota(total, 1)};
  for (std::int64_t i = 0; i < total; i += 13) batch.slots[i] = -1;
  for (std::int64_t i = 5; i < total; i += 331) batch.slots[i] = total + 1 + i;
  const oracle::WritePlan plan = build::write_plan(lengths, Ints(requests, no_slot));
  this->endpoints = {build::endpoint(3, total + 1), build::endpoint(4, total + 1)};
  this->run(plan, batch);
  batch.expected_tokens = batch.tokens;
  for (std::int64_t i = 3; i < total; i += 211) ++(*batch.expected_tokens)[i];
  this->run(plan, batch);
}

/// Endpoints whose seeds differ have chains of their own beside those that share one.
TYPED_TEST(WriteWorkTest, SeedsThatAgreeAndDiffer) {
  constexpr std::int64_t length = 150, slots = 2 * length + 3;
  this->endpoints.clear();
  for (int tag = 0; tag < 6; ++tag) {
    this->endpoints.push_back(build::endpoint(tag, slots));
    oracle::store(this->endpoints.back(), 1, {7, 11, tag % 3, 0});
  }
  const oracle::TokenBatch batch{build::iota(2 * length, 7), build::iota(2 * length),
                                 build::iota(2 * length, 2)};
  const oracle::Report report = this->run(build::write_plan({length, length}, {1, no_slot}), batch);
  EXPECT_TRUE(report.violations.empty());
  for (int tag = 3; tag < 6; ++tag) {
    EXPECT_EQ(this->endpoints[tag].canary, this->endpoints[tag - 3].canary);
  }
  EXPECT_NE(this->endpoints[0].canary, this->endpoints[1].canary);
}

/// Few and many sources of few and many bytes, around the numbers that a team hashes at a time.
TYPED_TEST(WriteWorkTest, AnyNumberOfSources) {
  constexpr std::int64_t length = 140;
  const oracle::WritePlan plan = build::write_plan({3, length - 3}, {no_slot, no_slot});
  oracle::TokenBatch batch{build::iota(length, 7), build::iota(length), build::iota(length, 1)};
  batch.slots[5] = -1;
  batch.slots[6] = length + 1;
  for (const std::int64_t sources : {1, 2, 63, 64, 65, 127, 128, 129, 300}) {
    this->endpoints = {build::endpoint(0, length + 1)};
    this->endpoints[0].mode = oracle::KVMode::all;
    for (std::int64_t i = 0; i < sources; ++i) {
      const std::int64_t bytes = sources == 1 ? 2048 : 24;
      this->endpoints[0].sources.push_back(build::kv_source((length + 16) / 16, 16, bytes, bytes));
    }
    EXPECT_EQ(this->run(plan, batch).violations.size(), 1U);
  }
}

}  // namespace
