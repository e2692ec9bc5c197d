#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/commands.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/runtime.hpp"

/// \file
/// `kvcanary replay TRACE`
namespace kvcanary::tools {
namespace {

struct ReplayOptions {
  std::string trace;
  std::int64_t limit = 0;  ///< requests; 0: all
  std::string fault;
  std::string json;
  ReplayConfig config;
  RuntimeOptions runtime;
};

/// Has an upper bound too, beyond every machine, which --help leaves out.
CLI::Validator at_least(std::int64_t least) {
  return CLI::Range(least, std::int64_t{1} << 40).description(fmt::format(">= {}", least));
}

const CLI::Validator positive = at_least(1);
const CLI::Validator not_negative = at_least(0);

std::string fault_help() {
  std::string text = fmt::format(
      "breaks the engine once, KIND[@step=N]: at the first step from N on (default {}) at which\n"
      "there is something to break",
      sim::FaultSpec{}.step);
  for (const sim::FaultKind kind : sim::all_fault_kinds) {
    text += fmt::format("\n  {}: {}", sim::name(kind), sim::describe(kind));
  }
  return text;
}

void add_engine_options(CLI::App& command, ReplayConfig& config) {
  sim::EngineConfig& engine = config.engine;
  engine.pool_slots = 1 << 19;
  command.add_option("--page-size", engine.page_size, "tokens a page")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--slots", engine.pool_slots, "slots of the pool, the padding page included")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--running", engine.max_running, "requests that run at once, at most")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command
      .add_option("--chunk", engine.chunk_size,
                  "prompt tokens prefilled a step, at most, all requests together")
      ->check(positive)
      ->capture_default_str();
  command
      .add_option("--window", engine.window,
                  "sliding window in tokens, with a pool of its own; 0: none")
      ->check(not_negative)
      ->capture_default_str();
  command
      .add_option("--swa-slots", engine.swa_pool_slots,
                  "slots of the sliding-window pool (default: enough for --running requests)")
      ->check(positive);
  command
      .add_option("--seed", engine.seed,
                  "of the tokens, which a trace does not give, and of what --fault hits")
      ->capture_default_str();
}

void add_canary_options(CLI::App& command, ReplayConfig& config) {
  static const std::map<std::string, Chain> chains{{"splitmix", Chain::splitmix},
                                                   {"polynomial", Chain::polynomial}};
  static const std::map<std::string, KVHashMode> modes{
      {"none", KVHashMode::none}, {"partial", KVHashMode::partial}, {"all", KVHashMode::all}};
  command
      .add_option("--kv-bytes", config.kv_bytes,
                  "bytes of a token's keys, and as many of its values")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--kv-hash", [&config](const std::string& name) { config.kv_hash_mode = modes.at(name); },
          "KV bytes that are hashed: none, partial (the first 16 of each) or all")
      ->check(CLI::IsMember({"none", "partial", "all"}))
      ->default_str("all");
  command
      .add_option_function<std::string>(
          "--chain", [&config](const std::string& name) { config.chain = chains.at(name); },
          "how the records of a request are linked: splitmix (as SGLang's) or polynomial")
      ->check(CLI::IsMember({"splitmix", "polynomial"}))
      ->default_str("splitmix");
  command
      .add_option("--verify-every", config.verify_every,
                  "every Nth step verifies all that it reads; 0: never")
      ->check(not_negative)
      ->capture_default_str();
  command
      .add_option("--sweep-every", config.sweep_every,
                  "every Nth step verifies all that the prefix tree holds, too; 0: never")
      ->check(not_negative)
      ->capture_default_str();
}

/// A sliding-window pool in which every running request has its window and a chunk finds room.
std::int64_t default_swa_slots(const sim::EngineConfig& engine) {
  const std::int64_t request = sim::min_swa_pool_slots(engine.window, engine.page_size);
  const std::int64_t slots = engine.max_running * request + engine.chunk_size;
  return (slots + engine.page_size - 1) / engine.page_size * engine.page_size;
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  if (path == "-") {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

/// A fault that was not applied is no finding about the canary: without a word, it would look like
/// one that the canary slept through. What was found all the same comes first.
int verdict(const ReplayConfig& config, const ReplayResult& result) {
  const bool no_victim = config.fault && !result.fault;
  if (no_victim) {
    fmt::print(stderr, "kvcanary: --fault {} found no victim in the run's {} steps\n",
               sim::to_string(*config.fault), result.engine.steps);
  }
  if (!result.clean()) return exit_violations;
  return no_victim ? exit_usage : exit_clean;
}

int replay(ReplayOptions options) {
  ReplayConfig& config = options.config;
  config.backend = options.runtime.backend;
  if (!options.fault.empty()) config.fault.emplace(sim::parse_fault(options.fault));
  if (config.engine.window > 0 && config.engine.swa_pool_slots == 0) {
    config.engine.swa_pool_slots = default_swa_slots(config.engine);
  }
  std::vector<sim::Request> requests =
      sim::read_trace(options.trace, options.limit > 0 ? options.limit : sim::no_limit);
  const std::string title = fmt::format(
      "{}, {} requests", std::filesystem::path(options.trace).filename().string(), requests.size());

  const Runtime runtime(options.runtime);
  ProgressBar bar(static_cast<std::int64_t>(requests.size()));
  const ReplayResult result = run_replay(
      config, std::move(requests), [&bar](const sim::EngineStats& stats, Count violations) {
        bar.update(stats.requests_finished,
                   fmt::format("step {}, {} violations", stats.steps, violations));
      });
  bar.clear();
  if (options.json != "-") fmt::print("{}", text_report(title, config, result));
  if (!options.json.empty()) write_json(options.json, json_report(title, config, result));
  return verdict(config, result);
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App& command = *app.add_subcommand(
      "replay", "Runs a request trace through a serving engine with a canary beside every slot");
  command
      .add_option(
          "TRACE", options->trace,
          "in the Mooncake format, a JSON object a line: timestamp, input_length, output_length,\n"
          "hash_ids")
      ->required();
  command.add_option("--requests", options->limit, "only the first N requests (default: all)")
      ->check(positive);
  add_engine_options(command, options->config);
  add_canary_options(command, options->config);
  command.add_option("--fault", options->fault, fault_help());
  command.add_flag("--stop", options->config.stop_at_violation,
                   "stops after the first step with a violation");
  command
      .add_option("--show", options->config.violations_shown,
                  "violations reported in full, the first ones")
      ->check(not_negative)
      ->capture_default_str();
  command.add_option(
      "--json", options->json,
      "writes the report as JSON to this file; -: to standard output, instead of text");
  add_backend_option(command, options->runtime);
  add_threads_option(command, options->runtime);
  command.callback([options, &exit_code] { exit_code = replay(*options); });
}

}  // namespace kvcanary::tools
