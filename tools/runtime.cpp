#include "tools/runtime.hpp"

#include <cctype>

#include "tools/backends.hpp"

namespace kvcanary::tools {

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void add_threads_option(CLI::App& command, RuntimeOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "threads of the host backends (default: OMP_NUM_THREADS, or all cores)")
      ->check(CLI::Range(1, 4096));
}

void add_backend_option(CLI::App& command, RuntimeOptions& options) {
  options.backend = default_backend();
  command.add_option("--backend", options.backend, "where kernels run")
      ->check(CLI::IsMember(backend_names()))
      ->capture_default_str();
}

Kokkos::InitializationSettings Runtime::settings(const RuntimeOptions& options) {
  Kokkos::InitializationSettings settings;
  // About OMP_PROC_BIND, for one: on standard error, in the middle of a report.
  settings.set_disable_warnings(true);
  if (options.threads > 0) settings.set_num_threads(options.threads);
  return settings;
}

}  // namespace kvcanary::tools
