#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "perf/harness/launch_timer.hpp"
#include "perf/harness/median.hpp"

/// \file
/// A kernel and its baselines, sampled in turn, so that what else the machine does hits all of
/// them.
namespace kvcanary::perf {

template <class Space>
class SideBySide {
 public:
  SideBySide(const Launch<Space>& launch, int num_sets)
      : num_sets_(num_sets), kernel_("kernel", launch, num_sets) {}

  void add_baseline(const std::string& name, const Launch<Space>& launch) {
    baselines_.emplace_back(name, launch, num_sets_);
  }

  /// The same, unless one launch takes longer than `limit_us`.
  void add_slow_baseline(const std::string& name, const Launch<Space>& launch, double limit_us) {
    add_baseline(name, launch);
    if (baselines_.back().timer.launch_us() > limit_us) baselines_.pop_back();
  }

  /// Samples everything in turn for about `seconds`, once at least. Returns the kernel's median of
  /// this round in seconds.
  double round(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto first = kernel_.samples.size();
    do {
      kernel_.take();
      for (Subject& baseline : baselines_) baseline.take();
    } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
             seconds);
    return 1e-6 * median({kernel_.samples.begin() + static_cast<std::ptrdiff_t>(first),
                          kernel_.samples.end()});
  }

  double kernel_us() const { return median(kernel_.samples); }

  /// Medians over all samples, and of the ratios of samples that were taken in the same turn.
  void report(benchmark::UserCounters& counters) const {
    counters["median_us"] = kernel_us();
    for (const Subject& baseline : baselines_) {
      counters[baseline.name + "_us"] = median(baseline.samples);
      counters["x_" + baseline.name] = median(ratios(kernel_.samples, baseline.samples));
    }
  }

 private:
  struct Subject {
    std::string name;
    LaunchTimer<Space> timer;
    std::vector<double> samples;

    Subject(const std::string& name, const Launch<Space>& launch, int num_sets)
        : name(name), timer(launch, num_sets) {}
    void take() { samples.push_back(timer.sample_us()); }
  };

  static std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] / b[i]);
    return result;
  }

  int num_sets_;
  Subject kernel_;
  std::list<Subject> baselines_;  // a list: timers stay where they are
};

}  // namespace kvcanary::perf
