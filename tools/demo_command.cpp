#include <fmt/format.h>

#include <memory>

#include "sim/workload.hpp"
#include "tools/commands.hpp"
#include "tools/report.hpp"
#include "tools/runtime.hpp"

/// \file
/// `kvcanary demo`: what each fault looks like.
namespace kvcanary::tools {
namespace {

struct DemoOptions {
  std::uint64_t seed = 1;
  RuntimeOptions runtime;
};

/// One line of the table.
struct DemoRun {
  std::string fault;
  ReplayResult result;

  bool as_expected() const {
    return result.fault_report.empty() ? result.clean()
                                       : result.fault && result.violations.total() > 0;
  }
};

sim::WorkloadConfig workload(std::uint64_t seed) {
  return {.conversations = 24, .max_turns = 4, .seed = seed};
}

/// A pool that is a little too small for the workload, so that pages are evicted, and a
/// sliding-window pool beside it.
ReplayConfig config(const DemoOptions& options) {
  ReplayConfig config;
  config.engine = {.page_size = 16,
                   .pool_slots = 1 << 15,
                   .max_running = 16,
                   .chunk_size = 2048,
                   .window = 512,
                   .swa_pool_slots = 1 << 14,
                   .seed = options.seed};
  config.backend = options.runtime.backend;
  config.sweep_every = 16;
  config.violations_shown = 1;
  return config;
}

DemoRun run(const DemoOptions& options, const std::vector<sim::Request>& requests,
            std::optional<sim::FaultKind> kind) {
  ReplayConfig settings = config(options);
  std::string title = "no fault";
  if (kind) {
    settings.fault = sim::FaultSpec{.kind = *kind};
    settings.stop_at_violation = true;
    title = sim::name(*kind);
  }
  DemoRun run{title, run_replay(settings, requests, {})};
  fmt::print("{}\n", text_report(title, settings, run.result));
  return run;
}

void print_table(const std::vector<DemoRun>& runs) {
  fmt::print("{:<12} {:<9} {:<16} {}\n", "fault", "detected", "after (steps)", "reason");
  for (const DemoRun& run : runs) {
    const auto steps = run.result.steps_until_detection();
    fmt::print(
        "{:<12} {:<9} {:<16} {}\n", run.fault, run.result.violations.total() > 0 ? "yes" : "no",
        steps ? fmt::format("{}", *steps) : "-",
        run.result.violations.total() > 0 ? fail_reason(run.result.violations.first_fail_bits())
                                          : "-");
  }
}

int demo(const DemoOptions& options) {
  const Runtime runtime(options.runtime);
  const std::vector<sim::Request> requests = sim::generate_workload(workload(options.seed));
  std::vector<DemoRun> runs;
  runs.push_back(run(options, requests, std::nullopt));
  for (const sim::FaultKind kind : sim::all_fault_kinds)
    runs.push_back(run(options, requests, kind));
  print_table(runs);

  for (const DemoRun& run : runs) {
    if (!run.as_expected()) {
      fmt::print("\nThe run with {} did not end as it should.\n", run.fault);
      return exit_violations;
    }
  }
  return exit_clean;
}

}  // namespace

void add_demo_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App& command = *app.add_subcommand(
      "demo",
      "Runs a generated workload once clean and once with each fault, and shows what is reported");
  command.add_option("--seed", options->seed, "of the workload")->capture_default_str();
  add_backend_option(command, options->runtime);
  add_threads_option(command, options->runtime);
  command.footer("Exits 0 when the clean run is clean and every fault is detected, otherwise 1.");
  command.callback([options, &exit_code] { exit_code = demo(*options); });
}

}  // namespace kvcanary::tools
