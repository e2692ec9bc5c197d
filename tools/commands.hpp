#pragma once

#include <CLI/CLI.hpp>

/// \file
/// The subcommands. Each adds itself to the command line; its callback sets `exit_code`.
namespace kvcanary::tools {

/// Exit codes of the command line.
enum ExitCode : int {
  exit_clean = 0,       ///< all that was checked is right
  exit_violations = 1,  ///< something is wrong with the KV cache, or with this build
  exit_usage = 2        ///< bad options or input, or a fault that found no victim
};

void add_replay_command(CLI::App& app, int& exit_code);
void add_demo_command(CLI::App& app, int& exit_code);
void add_selftest_command(CLI::App& app, int& exit_code);

}  // namespace kvcanary::tools
