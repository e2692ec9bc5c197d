#include <Kokkos_Core.hpp>
// Where there is a device, its compiler warns of host calls.
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

#include <gtest/gtest.h>

#include <vector>

#include "oracle/kv_hash.hpp"
#include "src/team.hpp"
#include "src/team_kv_hash.hpp"
#include "tests/support/emulated_team.hpp"
#include "tests/support/random_endpoints.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"

/// \file
/// KV hashes by a team, by itself: what verify_requests finds wrong with them, it looks at once
/// more without a team, so that a wrong one would not show there.
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using kvcanary::detail::KVHash;

constexpr int team_size = 128, max_slots = 63;
using Hasher = kvcanary::detail::TeamKVHash<team_size, max_slots>;

/// Hashes batches of slots one after the other; lane j + 1 has slot j, as in verify_requests.
struct Hashes {
  kvcanary::detail::EndpointArgs endpoint;
  const std::vector<std::vector<std::int64_t>>& batches;
  std::vector<std::vector<KVHash>>& found;

  void operator()(const EmulatedMember& team) const {
    auto& hasher = kvcanary::detail::in_scratch<Hasher>(team);
    const int j = team.team_rank() - 1;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const int count = static_cast<int>(batches[b].size());
      const bool has_slot = j >= 0 && j < count;
      const KVHash hash = hasher.hash(team, endpoint, count, j,
                                      has_slot ? batches[b][static_cast<std::size_t>(j)] : -7);
      if (has_slot) found[b][static_cast<std::size_t>(j)] = hash;
    }
  }
};

TEST(TeamKVHashTest, EqualsTheOracle) {
  if (!Kokkos::is_initialized()) GTEST_SKIP() << "no Kokkos";
  const std::uint64_t first = test_settings::seed();
  for (std::uint64_t seed = first; seed < first + test_settings::cases(100); ++seed) {
    SCOPED_TRACE("KVCANARY_TEST_SEED=" + std::to_string(seed));
    Rng rng(seed);
    constexpr std::int64_t num_slots = 200;
    std::vector<oracle::Endpoint> endpoints = random_endpoints(rng, 1, {.num_slots = num_slots});
    if (endpoints[0].mode == oracle::KVMode::none || endpoints[0].sources.empty()) continue;
    for (oracle::KVSource& source : endpoints[0].sources) {
      if (rng.chance(30)) source.num_rows = rng.between(0, source.num_rows);
    }
    std::vector<std::vector<std::int64_t>> batches(static_cast<std::size_t>(rng.between(1, 6)));
    std::vector<std::vector<KVHash>> found;
    for (auto& batch : batches) {
      batch.resize(static_cast<std::size_t>(rng.between(1, max_slots)));
      for (std::int64_t& slot : batch) slot = rng.between(0, num_slots - 1);
      found.emplace_back(batch.size());
    }
    const UploadedEndpoints<Space> uploaded(Layout{}, endpoints);
    emulate(Hashes{kvcanary::detail::to_args(uploaded.endpoints()[0]), batches, found},
            {.league_size = 1,
             .team_size = team_size,
             .warp_width = rng.pick<int>({32, 64}),
             .scratch_bytes = sizeof(Hasher),
             .seed = rng.bits()});
    for (std::size_t b = 0; b < batches.size(); ++b) {
      for (std::size_t j = 0; j < batches[b].size(); ++j) {
        const bool in_range = oracle::kv_in_range(endpoints[0], batches[b][j]);
        EXPECT_EQ(found[b][j].in_range, in_range);
        if (!in_range) continue;
        EXPECT_EQ(found[b][j].value, oracle::kv_hash(endpoints[0], batches[b][j]));
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace

#endif
