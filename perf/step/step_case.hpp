#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "perf/verify/verify_case.hpp"

/// \file
/// One case of the benchmarks of step: an engine step, with keys and values on both of its sides.
namespace kvcanary::perf {

/// Of the requests of `all`, whose prefixes include what the step adds. The first half of each
/// pool's endpoints is the head's, the second the tail's.
struct StepCase {
  VerifyCase all;

  std::int64_t read_of(std::int64_t request) const {
    return all.prefix_of(request) - all.added_of(request);
  }
  std::int64_t most_added() const { return std::max(all.added_of(0), all.added); }
  std::int64_t tokens() const { return all.added_of(0) + (all.requests - 1) * all.added; }
};

/// "256x4096+1/full": requests x tokens that each reads + tokens that it adds, those of the first
/// request before them where they are others; "/polynomial" where chains are that.
std::string describe(const StepCase& of);

/// Bytes that both sides have to read of what was there before, about.
std::int64_t bytes_moved(const StepCase& of);

/// Bytes that the case holds in memory with `num_sets` sets of inputs, about.
std::int64_t bytes_held(const StepCase& of, std::int64_t num_sets);

/// Decode, chunks of prefill, and both at once.
std::vector<StepCase> step_matrix();

}  // namespace kvcanary::perf
