#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/execution_spaces.hpp"
#include "perf/harness/machine.hpp"

/// \file
/// How many sets of inputs a case rotates.
namespace kvcanary::perf {

/// What a case may hold.
template <class Space>
constexpr std::int64_t memory_bytes = std::int64_t{is_host_space<Space> ? 1 : 8} << 30;

/// Sets of inputs to rotate, so that a launch finds little of its set in the largest cache: one and
/// a half caches full, 2 to 64 sets. A small case never gets there; an engine finds such inputs in
/// the cache as well. Fewer, down to 2 (4 of a case that a cache holds), where more would hold over
/// `memory_bytes`. Found by the two functions of the case, bytes_moved and bytes_held.
template <class Space, class Case>
int num_input_sets(const Case& of) {
  const std::int64_t bytes = bytes_moved(of), cache = Machine<Space>::cache_bytes();
  const std::int64_t fewest = bytes < cache ? 4 : 2;
  const std::int64_t wanted = (cache + cache / 2 + bytes - 1) / bytes;
  std::int64_t sets = std::clamp(wanted, fewest, std::int64_t{64});
  while (sets > fewest && bytes_held(of, sets) > memory_bytes<Space>) --sets;
  return static_cast<int>(sets);
}

template <class Space, class Case>
bool exceeds_memory(const Case& of) {
  return bytes_held(of, num_input_sets<Space>(of)) > memory_bytes<Space>;
}

}  // namespace kvcanary::perf
