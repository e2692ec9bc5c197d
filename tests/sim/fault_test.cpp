#include "sim/fault.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/run_engine.hpp"
#include "tests/sim/shadow.hpp"

namespace kvcanary::sim {
namespace {

using testing::HasSubstr;

TEST(FaultSpec, Parses) {
  EXPECT_EQ(parse_fault("kv-bit"), (FaultSpec{FaultKind::kv_bit, 8}));
  EXPECT_EQ(parse_fault("table-entry@step=0"), (FaultSpec{FaultKind::table_entry, 0}));
  EXPECT_EQ(parse_fault("early-free@step=12"), (FaultSpec{FaultKind::early_free, 12}));
  EXPECT_EQ(parse_fault("token").kind, FaultKind::token);
  EXPECT_EQ(parse_fault("position").kind, FaultKind::position);
  for (const FaultKind kind : all_fault_kinds) {
    EXPECT_EQ(parse_fault(to_string({kind, 5})), (FaultSpec{kind, 5}));
    EXPECT_FALSE(describe(kind).empty());
  }
}

std::string error_of(std::string_view text) {
  try {
    parse_fault(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(FaultSpec, ErrorsSayWhatIsValid) {
  EXPECT_EQ(error_of("kv_bit@step=1"),
            "fault 'kv_bit@step=1': 'kv_bit' is not a kind of fault, must be one of kv-bit, "
            "table-entry, early-free, token, position, as KIND[@step=N]");
  EXPECT_THAT(error_of(""), HasSubstr("'' is not a kind of fault"));
  for (const char* step : {"", "step", "step=", "step=-1", "step=x", "step=1x", "7", "step= 1",
                           "step=99999999999999999999"}) {
    EXPECT_EQ(error_of(std::string("token@") + step), std::string("fault 'token@") + step +
                                                          "': '@" + step +
                                                          "' must be '@step=N', N an integer >= 0");
  }
}

/// What a run with a fault came to.
struct Outcome {
  std::optional<FaultRecord> record;
  std::optional<ShadowError> error;  ///< the first
  std::string report;
};

/// Runs to the end, whatever the shadow says.
Outcome run(Engine& engine, FaultSpec spec, std::uint64_t seed) {
  Outcome outcome;
  FaultInjector injector(spec, seed);
  Shadow shadow(engine);
  StepBatch batch;
  while (engine.next_step(batch)) {
    const std::optional<FaultRecord> record = injector.apply(engine, batch);
    if (record && record->kind == FaultKind::kv_bit) {
      shadow.flip(record->slot, record->pool == Pool::swa);
    }
    const std::optional<ShadowError> error = shadow.step(batch);
    if (error && !outcome.error) outcome.error = error;
  }
  outcome.record = injector.record();
  outcome.report = injector.report();
  return outcome;
}

/// Room enough that the victim is not preempted before its page is written again.
const Scenario roomy{.name = "roomy", .page_size = 16, .spare_pages = 120};
const Scenario roomy_window{.name = "roomy_window",
                            .page_size = 16,
                            .spare_pages = 120,
                            .window = 100,
                            .spare_swa_pages = 100};
const Scenario alone{.name = "alone", .page_size = 16, .spare_pages = 20, .max_running = 1};

struct FaultCase {
  FaultKind kind;
  Scenario scenario;
};

class FaultIsSeen : public testing::TestWithParam<FaultCase> {};

TEST_P(FaultIsSeen, ByTheShadow) {
  const auto& [kind, scenario] = GetParam();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine = scenario_engine(scenario, seed);
    const FaultSpec spec{kind, 8 + static_cast<std::int64_t>(seed)};
    const Outcome outcome = run(engine, spec, seed);
    ASSERT_TRUE(outcome.record);
    const FaultRecord& record = *outcome.record;
    SCOPED_TRACE(record.text);
    EXPECT_GE(record.step, spec.step);
    EXPECT_EQ(record.kind, kind);
    EXPECT_EQ(outcome.report, record.text);
    EXPECT_THAT(record.text, HasSubstr("request " + std::to_string(record.request_id)));
    ASSERT_TRUE(outcome.error);
    if (kind == FaultKind::early_free) {
      EXPECT_GT(outcome.error->step, record.step);
      continue;
    }
    EXPECT_EQ(outcome.error->step, record.step);
    if (kind == FaultKind::kv_bit) continue;  // others may share the page and come first
    EXPECT_EQ(outcome.error->request_id, record.request_id);
    const std::int64_t page = scenario.page_size;
    if (kind == FaultKind::table_entry) {
      EXPECT_EQ(outcome.error->position / page, record.position / page);
    } else {
      EXPECT_EQ(outcome.error->position, record.position);
    }
  }
}

std::vector<FaultCase> fault_cases() {
  std::vector<FaultCase> cases;
  for (const FaultKind kind : all_fault_kinds) {
    for (const Scenario& scenario : {roomy, roomy_window, alone}) cases.push_back({kind, scenario});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultIsSeen, testing::ValuesIn(fault_cases()),
                         [](const auto& info) {
                           std::string text(name(info.param.kind));
                           std::ranges::replace(text, '-', '_');
                           return text + "_" + info.param.scenario.name;
                         });

/// All requests got through, and the pages that the tree does not own have no owner.
void check_end(const Engine& engine) {
  EXPECT_EQ(engine.stats().requests_finished, std::ssize(engine.requests()));
  const PagedCache& cache = engine.cache();
  EXPECT_EQ(cache.tree().evictable(), cache.tree().size());
  for (std::int32_t page = 1; page < cache.pool().num_pages(); ++page) {
    ASSERT_EQ(cache.pool().owners(page), cache.tree().contains(page)) << "page " << page;
    ASSERT_TRUE(cache.pool().owners(page) > 0 || cache.pool().is_listed(page)) << "page " << page;
    if (engine.config().window > 0 && cache.swa().is_mapped(page)) {
      ASSERT_TRUE(cache.tree().has_swa(page)) << "page " << page;
    }
  }
}

class EngineSurvives : public testing::TestWithParam<Scenario> {};

TEST_P(EngineSurvives, EveryFault) {
  for (const FaultKind kind : all_fault_kinds) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(testing::Message() << name(kind) << ", seed " << seed);
      Engine engine = scenario_engine(GetParam(), seed);
      FaultInjector injector({kind, static_cast<std::int64_t>(seed * 9)}, seed);
      StepBatch batch;
      while (engine.next_step(batch)) injector.apply(engine, batch);
      check_end(engine);
    }
  }
}

/// Many early frees in one run: pages get three owners, are published twice, evicted while in use.
TEST_P(EngineSurvives, ManyEarlyFrees) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine = scenario_engine(GetParam(), seed);
    StepBatch batch;
    while (engine.next_step(batch)) {
      FaultInjector injector({FaultKind::early_free, 0}, seed + std::uint64_t(batch.step));
      if (batch.step % 3 == 0) injector.apply(engine, batch);
      ASSERT_LT(batch.step, 100'000);
    }
    check_end(engine);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EngineSurvives, testing::ValuesIn(scenarios()),
                         [](const auto& info) { return info.param.name; });

TEST(FaultInjector, SameSeedSameFault) {
  for (const FaultKind kind : all_fault_kinds) {
    Engine a = scenario_engine(roomy, 1);
    Engine b = scenario_engine(roomy, 1);
    Engine c = scenario_engine(roomy, 1);
    const std::string text = run(a, {kind, 8}, 5).report;
    EXPECT_EQ(run(b, {kind, 8}, 5).report, text);
    bool differs = false;
    for (std::uint64_t seed = 6; seed < 10 && !differs; ++seed) {
      Engine other = scenario_engine(roomy, 1);
      differs = run(other, {kind, 8}, seed).report != text;
    }
    EXPECT_TRUE(differs) << text;
  }
}

/// Two requests with one prompt: their second pages, not full, are different pages with equal KV.
TEST(FaultInjector, TableEntryNeverGetsAPageThatHoldsTheSame) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Engine engine({.page_size = 4, .pool_slots = 64}, {{0, 6, 2, {1}}, {0, 6, 2, {1}}});
    const Outcome outcome = run(engine, {FaultKind::table_entry, 1}, seed);
    ASSERT_TRUE(outcome.error);
    EXPECT_THAT(outcome.error->text, HasSubstr("finds token"))
        << "wrong to read, not only to write";
  }
}

TEST(FaultInjector, SaysWhenThereWasNoVictim) {
  Engine engine = scenario_engine(roomy, 0);
  const Outcome outcome = run(engine, {FaultKind::kv_bit, 1'000'000}, 0);
  EXPECT_FALSE(outcome.record);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.report,
            "no kv-bit fault: the workload ended before a victim existed at step 1000000 or later");
}

}  // namespace
}  // namespace kvcanary::sim
