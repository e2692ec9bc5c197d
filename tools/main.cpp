#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "tools/commands.hpp"
#include "tools/waiting.hpp"

/// The kvcanary command line.
int main(int argc, char** argv) {
  using namespace kvcanary::tools;
  let_waiting_threads_sleep(argv);
  CLI::App app("kvcanary: fingerprints beside every KV-cache slot, and the first wrong one named.");
  app.footer(  // of the subcommands too, but for those with one of their own
      "Exit codes:\n"
      "  0  clean: all that was checked is right\n"
      "  1  violations, or a check that failed\n"
      "  2  bad usage or input, or a --fault that found no victim\n"
      "Threads that wait sleep, unless OMP_WAIT_POLICY, GOMP_SPINCOUNT or KMP_BLOCKTIME is set.");
  app.set_version_flag("--version", "kvcanary " KVCANARY_VERSION);
  app.option_defaults()->take_last();

  int exit_code = exit_clean;
  add_replay_command(app, exit_code);
  add_demo_command(app, exit_code);
  add_selftest_command(app, exit_code);
  try {
    app.parse(argc, argv);
    // Not by require_subcommand: that would say "a subcommand is required" of a misspelt one.
    if (app.get_subcommands().empty()) {
      fmt::print(stderr, "a subcommand is required\n\n{}", app.help());
      return exit_usage;
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_clean : exit_usage;
  } catch (const std::bad_alloc& error) {
    fmt::print(stderr,
               "kvcanary: out of memory ({}); --slots, --running and --kv-bytes of replay set how "
               "much is needed\n",
               error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "kvcanary: {}\n", error.what());
    return exit_usage;
  }
  return exit_code;
}
