#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "perf/harness/median.hpp"

/// \file
/// How long launches take.
namespace kvcanary::perf {

/// Enqueues one launch over a set of inputs, on an instance.
template <class Space>
using Launch = std::function<void(const Space&, int set)>;

/// One launch with its fence, in microseconds.
template <class Space>
double launch_and_fence_us(const Space& space, const Launch<Space>& launch, int set) {
  const auto start = std::chrono::steady_clock::now();
  launch(space, set);
  space.fence("perf");
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// What a first launch or two say of a kernel, to plan its samples with.
template <class Space>
struct WarmUp {
  double launch_us;         ///< about
  int launches_per_sample;  ///< one for each set, but no more than take 0.1 s

  WarmUp(const Space& space, const Launch<Space>& launch, int num_sets)
      : launch_us(launch_and_fence_us(space, launch, 0)) {
    constexpr double sample_us = 1e5;
    // The first launch also loads the kernel; a long one hides that.
    if (launch_us < sample_us) launch_us = launch_and_fence_us(space, launch, 1 % num_sets);
    launches_per_sample =
        std::clamp(static_cast<int>(sample_us / std::max(launch_us, 1.0)), 1, num_sets);
  }
};

/// Takes samples of how long a launch takes, rotating the sets of inputs. This one is for hosts,
/// and for devices without one of their own: launch and fence, timed from outside.
template <class Space>
class LaunchTimer {
 public:
  LaunchTimer(Launch<Space> launch, int num_sets)
      : launch_(std::move(launch)), warm_up_(space_, launch_, num_sets) {}

  /// Of the warm-up, about.
  double launch_us() const { return warm_up_.launch_us; }

  /// Microseconds a launch: the median of one launch for each set, or of as many as fit in a
  /// sample. A mean would let one interrupted launch spoil the sample.
  double sample_us() {
    std::vector<double> times;
    for (int set = 0; set < warm_up_.launches_per_sample; ++set) {
      times.push_back(launch_and_fence_us(space_, launch_, set));
    }
    return median(std::move(times));
  }

 private:
  Space space_;
  Launch<Space> launch_;
  WarmUp<Space> warm_up_;
};

}  // namespace kvcanary::perf

#include "perf/harness/cuda.hpp"
