#include "tools/replay.hpp"

#include <fmt/format.h>

#include "tools/backends.hpp"
#include "tools/replay_session.hpp"

namespace kvcanary::tools {
namespace {

template <class Space>
void run_on(const ReplayConfig& config, sim::Engine& engine, const ReplayProgress& progress,
            ReplayResult& result) {
  ReplaySession<Space> session(config, engine);
  std::optional<sim::FaultInjector> injector;
  if (config.fault) injector.emplace(*config.fault, config.engine.seed);

  sim::StepBatch batch;
  const auto next = [&] {
    Kokkos::Timer timer;
    const bool more = engine.next_step(batch);
    result.seconds.engine += timer.seconds();
    return more;
  };
  while (next()) {
    if (injector) {
      const auto fault = injector->apply(engine, batch);
      if (fault && fault->kind == sim::FaultKind::kv_bit) session.flip_bit(*fault);
    }
    result.violations.add(batch.step, session.run(batch, result));
    if (progress) progress(engine.stats(), result.violations.total());
    if (config.stop_at_violation && result.violations.total() > 0) break;
  }
  result.complete = engine.stats().requests_finished == result.requests;
  result.engine = engine.stats();
  if (injector) {
    result.fault = injector->record();
    result.fault_report = injector->report();
  }
  session.finish(result);
}

std::int64_t entries(const TagCountsTable& counts, LaunchTag tag) {
  return static_cast<std::int64_t>(counts[static_cast<std::size_t>(tag)].entries);
}

}  // namespace

std::int64_t ReplayResult::slots_verified() const {
  std::int64_t slots = 0;
  for (const PoolTags& tags : {full_tags, swa_tags}) {
    slots += entries(verified, tags.k) + entries(verified, tags.sweep_k);
  }
  return slots;
}

std::optional<std::int64_t> ReplayResult::steps_until_detection() const {
  if (!fault || !violations.first_step()) return std::nullopt;
  return *violations.first_step() - fault->step;
}

std::vector<std::string> ReplayResult::mismatches() const {
  std::vector<std::string> lines;
  const auto expect = [&lines](std::int64_t counted, std::int64_t expected,
                               const std::string& what) {
    if (counted != expected) {
      lines.push_back(
          fmt::format("{}: the kernels counted {}, the engine {}", what, counted, expected));
    }
  };
  const auto expect_pool = [&](const PoolTags& tags, std::int64_t tokens, std::int64_t reads,
                               std::int64_t swept) {
    for (const LaunchTag tag : {tags.k, tags.v}) {
      expect(entries(written, tag), tokens, "tokens written, " + to_string(tag));
      expect(entries(verified, tag), reads, "slots verified, " + to_string(tag));
    }
    for (const LaunchTag tag : {tags.sweep_k, tags.sweep_v}) {
      expect(entries(verified, tag), swept, "slots swept, " + to_string(tag));
    }
  };
  expect_pool(full_tags, tokens_expected, reads_expected_full, swept_expected_full);
  expect_pool(swa_tags, has_swa_pool ? tokens_expected : 0, reads_expected_swa, swept_expected_swa);
  if (complete && tokens_obtained() != trace_tokens) {
    lines.push_back(fmt::format(
        "tokens: {} written + {} prefix hits - {} recomputed = {}, the trace implies {}",
        tokens_expected, engine.prefix_hit_tokens, engine.recomputed_tokens, tokens_obtained(),
        trace_tokens));
  }
  return lines;
}

ReplayResult run_replay(const ReplayConfig& config, std::vector<sim::Request> requests,
                        const ReplayProgress& progress) {
  ReplayResult result;
  result.backend = config.backend;
  result.has_swa_pool = config.engine.window > 0;
  result.violations = ViolationTally(config.violations_shown);
  result.requests = static_cast<std::int64_t>(requests.size());
  for (const sim::Request& request : requests) result.trace_tokens += sim::kv_length(request);

  sim::Engine engine(config.engine, std::move(requests));
  with_backend(config.backend,
               [&]<class Space> { run_on<Space>(config, engine, progress, result); });
  return result;
}

}  // namespace kvcanary::tools
