#pragma once

#include <sys/resource.h>

#include <chrono>

/// \file
/// Whether something else wanted the cores on which a host space was measured.
namespace kvcanary::perf {

/// Counts from its construction on how often the system took a core away from this process. Threads
/// that wait for one another by spinning then lose whole time slices, all of them: a benchmark and
/// its baselines alike, so that even their ratio says nothing.
class Preemptions {
 public:
  double per_second() const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    return static_cast<double>(count() - first_) / time.count();
  }

 private:
  static long count() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  long first_ = count();
};

}  // namespace kvcanary::perf
