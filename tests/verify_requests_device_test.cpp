#include <Kokkos_Core.hpp>
// With a device, all tests of verify_requests run this kernel, and its compiler warns of calls of
// what is the host's.
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include <gtest/gtest.h>

#include <algorithm>
#include <kvcanary/kvcanary.hpp>
#include <vector>

#include "src/verify_requests/verify_requests_device.hpp"
#include "tests/support/check.hpp"
#include "tests/support/emulated_team.hpp"
#include "tests/support/malform.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/sink.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"

/// \file
/// The kernel that devices run for verify_requests, on emulated teams: against the oracle, where no
/// device is.
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using kvcanary::detail::KVWork;
using kvcanary::detail::VerifyShares;
using oracle::VerifyJob;

template <KVWork kv_work>
void run(const std::vector<kvcanary::VerifyJob>& jobs, const VerifyShares& shares,
         const Sink<Space>& sink, std::uint64_t seed) {
  using Jobs = kvcanary::detail::JobArray<>;
  constexpr int team_size = 64;
  using Kernel = kvcanary::detail::VerifyRequestsDevice<
      EmulatedMember, kvcanary::SplitmixChain, kv_work, Jobs,
      kvcanary::detail::VerifyRequestsShape<kv_work, team_size>>;
  const Kernel kernel(Jobs(jobs), {sink.log, sink.counters}, shares);
  emulate(kernel, {.league_size = static_cast<int>(kernel.league_size()),
                   .team_size = team_size,
                   .warp_width = kvcanary::detail::warp_lanes,
                   .scratch_bytes = Kernel::scratch_bytes,
                   .seed = seed});
}

/// `kernel` may do more than the endpoints ask for.
oracle::Report emulated(const std::vector<VerifyJob>& jobs, KVWork kernel,
                        const VerifyShares& shares, std::int64_t log_capacity, std::uint64_t seed) {
  std::vector<UploadedPlanBatch<Space>> batches;
  std::vector<UploadedEndpoints<Space>> endpoints;
  std::vector<kvcanary::VerifyJob> uploaded;
  batches.reserve(jobs.size());
  endpoints.reserve(jobs.size());
  for (const VerifyJob& job : jobs) {
    batches.emplace_back(Layout{}, job.batch);
    endpoints.emplace_back(Layout{}, job.endpoints);
    uploaded.push_back({batches.back().batch(), endpoints.back().endpoints()});
  }
  const Sink<Space> sink(log_capacity);
  if (kernel == KVWork::none) run<KVWork::none>(uploaded, shares, sink, seed);
  if (kernel == KVWork::few) run<KVWork::few>(uploaded, shares, sink, seed);
  if (kernel == KVWork::one) run<KVWork::one>(uploaded, shares, sink, seed);
  if (kernel == KVWork::many) run<KVWork::many>(uploaded, shares, sink, seed);
  oracle::Report report;
  sink.fetch(Space(), report);
  return report;
}

/// The kernel that the library would take, or one that can do more.
KVWork kernel_for(Rng& rng, const std::vector<oracle::Endpoint>& endpoints) {
  std::size_t sources = 0;
  for (const oracle::Endpoint& endpoint : endpoints) {
    if (endpoint.mode != oracle::KVMode::none) sources = std::max(sources, endpoint.sources.size());
  }
  if (sources > 0 && rng.chance(30)) return KVWork::few;  // slow for many bytes, but right
  return sources > 1 || rng.chance(20)   ? KVWork::many
         : sources > 0 || rng.chance(20) ? KVWork::one
                                         : KVWork::none;
}

/// A last step whose earlier steps have filled the pool, in one job or two.
std::vector<VerifyJob> random_jobs(Rng& rng, CaseKind kind) {
  Case scenario = random_case(kind, rng.bits());
  for (const Step& step : scenario.steps) {
    Plans plans = stale_plans(step.max_requests, step.max_entries);
    oracle::Report report;
    oracle::plan(step.batch, plans.write, plans.verify);
    if (&step != &scenario.steps.back()) {
      oracle::write(plans.write, step.write, scenario.endpoints, report);
    }
  }
  if (rng.chance(50)) corrupt(rng, scenario.endpoints);
  if (rng.chance(20)) malform(rng, scenario.endpoints);
  const Step& last = scenario.steps.back();
  const auto split = scenario.endpoints.begin() + rng.between(1, scenario.endpoints.size());
  std::vector<VerifyJob> jobs = {{last.batch, {scenario.endpoints.begin(), split}}};
  if (split != scenario.endpoints.end()) {
    jobs.push_back({last.batch, {split, scenario.endpoints.end()}});
  }
  for (VerifyJob& job : jobs) {
    const oracle::PlanBatch good = job.batch;
    if (rng.chance(30)) malform(rng, job.batch);
    if (oracle::required_entries(job) > 1 << 14) job.batch = good;
  }
  return jobs;
}

class VerifyRequestsDeviceTest : public testing::TestWithParam<CaseKind> {};

/// How the host may share the work, and not only as it does.
VerifyShares random_shares(Rng& rng) {
  VerifyShares shares{
      .groups_per_request = {}, .most = {}, .tile = rng.pick<std::int32_t>({1, 7, 31, 62, 1000})};
  for (int j = 0; j < kvcanary::max_jobs; ++j) {
    shares.groups_per_request[j] =
        kvcanary::detail::Divisor(static_cast<std::int32_t>(rng.between(1, 3)));
    shares.most[j] = rng.pick<std::int32_t>({0, 1, 7, 64, 300, 2048});
  }
  return shares;
}

void expect_as_oracle(Rng& rng, const std::vector<VerifyJob>& jobs) {
  std::vector<oracle::Endpoint> endpoints;
  for (const VerifyJob& job : jobs) {
    endpoints.insert(endpoints.end(), job.endpoints.begin(), job.endpoints.end());
  }
  oracle::Report report;
  oracle::verify_requests(jobs, report);
  const oracle::Report found = emulated(jobs, kernel_for(rng, endpoints), random_shares(rng),
                                        check::log_capacity(report), rng.bits());
  check::expect_equal(found, report);
}

/// Calls `body(rng)` for each seed until one fails.
template <class Body>
void for_each_seed(std::uint64_t cases, const Body& body) {
  if (!Kokkos::is_initialized()) GTEST_SKIP() << "no Kokkos";
  const std::uint64_t first = test_settings::seed(), count = test_settings::cases(cases);
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("KVCANARY_TEST_SEED=" + std::to_string(seed));
    Rng rng(seed);
    body(rng);
  }
}

TEST_P(VerifyRequestsDeviceTest, EqualsTheOracle) {
  for_each_seed(8, [](Rng& rng) { expect_as_oracle(rng, random_jobs(rng, GetParam())); });
}

/// Nothing is verified twice or not at all: each position is reported once when all are wrong.
TEST_P(VerifyRequestsDeviceTest, VerifiesEachPositionOnce) {
  for_each_seed(4, [](Rng& rng) {
    std::vector<VerifyJob> jobs = random_jobs(rng, GetParam());
    for (VerifyJob& job : jobs) {
      for (oracle::Endpoint& endpoint : job.endpoints) {
        std::ranges::fill(endpoint.canary, std::byte{0x5A});
      }
    }
    expect_as_oracle(rng, jobs);
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, VerifyRequestsDeviceTest,
                         testing::Values(CaseKind::mixed, CaseKind::window, CaseKind::many_short,
                                         CaseKind::few_long));

}  // namespace

#endif
