// Invariants that hold after every step of seeded random workloads, whatever the sizes.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/run_engine.hpp"
#include "tests/sim/shadow.hpp"

namespace kvcanary::sim {
namespace {

constexpr std::uint64_t num_seeds = 4;

class EngineInvariants : public testing::TestWithParam<Scenario> {};

/// Every page has one owner: a request, or the tree, where requests share it.
void check_pages(const Engine& engine) {
  const PrefixTree& tree = engine.cache().tree();
  std::set<std::int32_t> own;
  for (std::int64_t row = 0; row < engine.table_rows(); ++row) {
    for (std::int64_t column = 0; column < engine.table_columns(); ++column) {
      const std::int32_t page =
          engine.slot_table()[static_cast<std::size_t>(row * engine.table_columns() + column)];
      if (page == 0) continue;
      ASSERT_GT(engine.valid_lengths()[static_cast<std::size_t>(row)], 0) << "row not in use";
      ASSERT_EQ(engine.cache().pool().owners(page), 1);
      if (tree.contains(page)) {
        ASSERT_GT(tree.locks(page), 0);
        ASSERT_EQ(tree.depth(page), column);
      } else {
        ASSERT_TRUE(own.insert(page).second) << "page " << page << " has two owners";
      }
    }
  }
  ASSERT_EQ(engine.cache().pool().used_pages(), std::ssize(own) + tree.size());
}

/// Every SWA page belongs to one full page, and every full page of the tree knows whether it has
/// one.
void check_swa_pages(const Engine& engine) {
  const std::int64_t page_size = engine.config().page_size;
  std::set<std::int64_t> swa_pages;
  for (std::int64_t page = 1; page < engine.full_slots() / page_size; ++page) {
    const std::int64_t first = engine.full_to_swa()[static_cast<std::size_t>(page * page_size)];
    const bool shared = engine.cache().tree().contains(static_cast<std::int32_t>(page));
    ASSERT_EQ(shared && first >= 0, engine.cache().tree().has_swa(static_cast<std::int32_t>(page)));
    if (first < 0) continue;
    ASSERT_EQ(first % page_size, 0);
    ASSERT_TRUE(swa_pages.insert(first / page_size).second);
    ASSERT_EQ(engine.full_to_swa()[static_cast<std::size_t>((page + 1) * page_size - 1)],
              first + page_size - 1);
  }
  ASSERT_EQ(engine.cache().swa().pool().used_pages(), std::ssize(swa_pages));
}

void check_batch_limits(const Engine& engine, const StepBatch& batch) {
  ASSERT_GE(batch.num_requests(), 1);
  ASSERT_LE(batch.num_requests(), engine.config().max_running);
  ASSERT_LE(batch.num_tokens(), engine.max_batch_tokens());
  const std::set<std::int32_t> rows(batch.request_rows.begin(), batch.request_rows.end());
  ASSERT_EQ(std::ssize(rows), batch.num_requests());
  ASSERT_GT(*rows.begin(), 0);
  std::int64_t prefilled = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_GE(batch.extend_lengths[i], 1);
    if (batch.extend_lengths[i] > 1) prefilled += batch.extend_lengths[i];
    ASSERT_LE(batch.prefix_lengths[i] + batch.extend_lengths[i],
              engine.valid_lengths()[static_cast<std::size_t>(batch.request_rows[i])]);
  }
  ASSERT_LE(prefilled, engine.config().chunk_size);
}

TEST_P(EngineInvariants, RequestsReadWhatTheyWrote) {
  for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine = scenario_engine(GetParam(), seed);
    Shadow shadow(engine);
    StepBatch batch;
    while (engine.next_step(batch)) {
      const std::optional<ShadowError> error = shadow.step(batch);
      ASSERT_FALSE(error) << error->text;
    }
    EXPECT_EQ(shadow.slots_read(), engine.stats().slots_read_full + engine.stats().slots_read_swa);
  }
}

TEST_P(EngineInvariants, PagesHaveOneOwner) {
  for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine = scenario_engine(GetParam(), seed);
    StepBatch batch;
    while (engine.next_step(batch)) {
      ASSERT_NO_FATAL_FAILURE(check_batch_limits(engine, batch));
      // Each of these looks at everything, so not at every step.
      if (batch.step % 7 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(check_pages(engine));
      if (engine.config().window > 0) {
        ASSERT_NO_FATAL_FAILURE(check_swa_pages(engine));
      }
    }
    ASSERT_NO_FATAL_FAILURE(check_pages(engine));
  }
}

TEST_P(EngineInvariants, EverythingIsFinishedFreedAndCounted) {
  for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine = scenario_engine(GetParam(), seed);
    StepBatch batch;
    std::int64_t tokens = 0;
    while (engine.next_step(batch)) tokens += batch.num_tokens();
    std::int64_t kv = 0;
    for (const Request& request : engine.requests()) kv += kv_length(request);

    const EngineStats& stats = engine.stats();
    EXPECT_EQ(stats.requests_finished, std::ssize(engine.requests()));
    EXPECT_EQ(stats.tokens_written, tokens);
    EXPECT_EQ(kv, stats.tokens_written + stats.prefix_hit_tokens - stats.recomputed_tokens);
    EXPECT_LE(stats.peak_pages, engine.cache().pool().num_pages() - 1);
    EXPECT_LE(stats.peak_running, engine.config().max_running);

    const PagedCache& cache = engine.cache();
    EXPECT_EQ(cache.pool().used_pages(), cache.tree().size());
    EXPECT_EQ(cache.tree().evictable(), cache.tree().size());
    EXPECT_EQ(cache.swa().pool().used_pages(), cache.tree().evictable_swa());
    for (const std::int32_t entry : engine.slot_table()) ASSERT_EQ(entry, 0);
    for (const std::int64_t length : engine.valid_lengths()) ASSERT_EQ(length, 0);
  }
}

TEST_P(EngineInvariants, TreeSlotsHoldWhatTheTreeSays) {
  Engine engine = scenario_engine(GetParam(), 1);
  std::vector<std::pair<std::int32_t, std::int64_t>> written(
      static_cast<std::size_t>(engine.full_slots()), {-1, -1});
  StepBatch batch;
  std::int64_t visited = 0;
  while (engine.next_step(batch)) {
    // A sweep sees the pool as the step's reads do: before its writes.
    if (batch.step % 11 == 0) {
      engine.tree_slots(
          [&](std::int64_t slot, std::int64_t position, std::int64_t before, std::int32_t token) {
            ++visited;
            ASSERT_EQ(written[static_cast<std::size_t>(slot)], std::pair(token, position));
            ASSERT_EQ(before < 0, position == 0);
            if (before >= 0) {
              ASSERT_EQ(written[static_cast<std::size_t>(before)].second, position - 1);
            }
          });
    }
    for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
      written[static_cast<std::size_t>(batch.slots[i])] = {batch.tokens[i], batch.positions[i]};
    }
  }
  EXPECT_GT(visited, 0);
}

TEST_P(EngineInvariants, TheSameSeedGivesTheSameBatches) {
  Engine engine = scenario_engine(GetParam(), 2);
  Engine twin = scenario_engine(GetParam(), 2);
  StepBatch batch;
  StepBatch twin_batch;
  while (engine.next_step(batch)) {
    ASSERT_TRUE(twin.next_step(twin_batch));
    ASSERT_EQ(batch, twin_batch);
  }
  EXPECT_FALSE(twin.next_step(twin_batch));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EngineInvariants, testing::ValuesIn(scenarios()),
                         [](const auto& info) { return info.param.name; });

/// Counters of a scenario over all seeds.
EngineStats total_stats(const Scenario& scenario) {
  EngineStats total;
  for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
    Engine engine = scenario_engine(scenario, seed);
    StepBatch batch;
    while (engine.next_step(batch)) {
    }
    const EngineStats& stats = engine.stats();
    total.preemptions += stats.preemptions;
    total.evicted_pages += stats.evicted_pages;
    total.evicted_swa_pages += stats.evicted_swa_pages;
    total.prefix_hit_tokens += stats.prefix_hit_tokens;
    total.recomputed_tokens += stats.recomputed_tokens;
    total.peak_running = std::max(total.peak_running, stats.peak_running);
  }
  return total;
}

/// The scenarios are only worth something if they get the engine into trouble.
TEST(EngineScenarios, CoverWhatTheirNamesSay) {
  for (const Scenario& scenario : scenarios()) {
    SCOPED_TRACE(scenario.name);
    const EngineStats stats = total_stats(scenario);
    const auto is = [&](const char* word) { return scenario.name.find(word) != std::string::npos; };
    if (is("tight") || is("minimal")) {
      EXPECT_GT(stats.evicted_pages, 200);
      EXPECT_EQ(stats.evicted_swa_pages > 200, is("window"));
    }
    if (is("tight") || is("decoding")) {
      EXPECT_GT(stats.prefix_hit_tokens, 1000);
      EXPECT_GT(stats.peak_running, 2);
    }
    if (is("decoding")) {
      EXPECT_GE(stats.preemptions, 10);
      EXPECT_GT(stats.recomputed_tokens, 50);
    }
    if (is("window_minimal")) {
      EXPECT_EQ(stats.peak_running, 1);  // nobody is admitted only to be preempted
      EXPECT_EQ(stats.preemptions, 0);
    }
    if (is("ample")) {
      EXPECT_EQ(stats.evicted_pages, 0);
      EXPECT_EQ(stats.preemptions, 0);
      EXPECT_EQ(stats.peak_running, scenario.max_running);
    }
  }
}

}  // namespace
}  // namespace kvcanary::sim
