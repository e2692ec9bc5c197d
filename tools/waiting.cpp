#include "tools/waiting.hpp"

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_OPENMP) && defined(__linux__)

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace kvcanary::tools {
namespace {

/// True, too, in the program that was started anew: that ends the matter.
bool environment_says_how() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

/// The program's file; empty when unknown, as without /proc. Not /proc/self/exe itself, of which
/// the kernel would make the process's name: "exe".
std::string program_file() {
  // Run as `ld.so kvcanary ...`, when this is 0, the program is the loader, with other arguments.
  if (getauxval(AT_BASE) == 0) return "";
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

void let_waiting_threads_sleep(char** argv) {
  if (environment_says_how()) return;
  const std::string file = program_file();
  if (file.empty() || setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  execv(file.c_str(), argv);
}

}  // namespace kvcanary::tools

#else

namespace kvcanary::tools {

void let_waiting_threads_sleep(char**) {}

}  // namespace kvcanary::tools

#endif
