#pragma once

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <string>

/// \file
/// Kokkos's life within a subcommand.
namespace kvcanary::tools {

/// Options that say where kernels run.
struct RuntimeOptions {
  std::string backend;
  int threads = 0;  ///< of the host backends; 0: all
};

/// Adds --threads, and --backend for commands that run on one backend.
void add_threads_option(CLI::App& command, RuntimeOptions& options);
void add_backend_option(CLI::App& command, RuntimeOptions& options);

/// Initialises Kokkos while it lives: only commands that run kernels pay for it, --help doesn't.
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options) : guard_(settings(options)) {}

 private:
  static Kokkos::InitializationSettings settings(const RuntimeOptions& options);

  Kokkos::ScopeGuard guard_;
};

}  // namespace kvcanary::tools
