#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/violation_log.hpp>

/// \file
/// The kernels' side of the violation log and the counters.
namespace kvcanary::detail {

/// Where kernels report: plain pointers into a ViolationLog and LaunchCounters.
struct ViolationSink {
  Violation* rows;
  Count* total;
  Count capacity;
  TagCounts* counts;

  template <class MemorySpace>
  ViolationSink(const ViolationLog<MemorySpace>& log, const LaunchCounters<MemorySpace>& counters)
      : rows(log.rows()),
        total(log.total()),
        capacity(static_cast<Count>(log.capacity())),
        counts(counters.counts()) {}

  /// Appends a violation if there is room, and counts it in any case.
  KOKKOS_FUNCTION void push(Violation violation) const {
    const Count index = Kokkos::atomic_fetch_add(total, Count{1});
    if (index >= capacity) return;
    // The fail bits go last, so that a reader never takes a half-written row for a complete one.
    const std::int64_t fail_bits = violation.fail_bits;
    violation.fail_bits = 0;
    rows[index] = violation;
    Kokkos::memory_fence();
    Kokkos::atomic_store(&rows[index].fail_bits, fail_bits);
  }

  KOKKOS_FUNCTION void count_launch(LaunchTag tag) const {
    Kokkos::atomic_add(&counts[static_cast<int>(tag)].launches, Count{1});
  }

  KOKKOS_FUNCTION void count_entries(LaunchTag tag, Count entries) const {
    if (entries > 0) Kokkos::atomic_add(&counts[static_cast<int>(tag)].entries, entries);
  }
};

/// A violation of a whole plan; `aux` is the count that was read.
KOKKOS_INLINE_FUNCTION Violation plan_violation(LaunchTag tag, std::int64_t aux) {
  return {.launch_tag = static_cast<std::int64_t>(tag),
          .slot = -1,
          .position = -1,
          .stored_token = 0,
          .expected_token = -1,
          .stored_chain_hash = 0,
          .expected_aux = aux,
          .fail_bits = fail_bit::malformed_plan,
          .request_row = -1,
          .entry = -1};
}

}  // namespace kvcanary::detail
