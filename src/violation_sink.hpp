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
  KOKKOS_FUNCTION void push(const Violation& violation) const {
    const Count index = Kokkos::atomic_fetch_add(total, Count{1});
    if (index < capacity) store(index, violation);
  }

  /// Counts `count` violations at once, and appends those that there is room for: `make(i)` is the
  /// i-th. Takes no longer than the log is.
  template <class Make>
  KOKKOS_FUNCTION void push_many(Count count, const Make& make) const {
    if (count == 0) return;
    const Count index = Kokkos::atomic_fetch_add(total, count);
    for (Count i = 0; i < count && index + i < capacity; ++i) store(index + i, make(i));
  }

  KOKKOS_FUNCTION void count_launch(LaunchTag tag) const {
    Kokkos::atomic_add(&counts[static_cast<int>(tag)].launches, Count{1});
  }

  KOKKOS_FUNCTION void count_entries(LaunchTag tag, Count entries) const {
    if (entries > 0) Kokkos::atomic_add(&counts[static_cast<int>(tag)].entries, entries);
  }

  /// Takes back one entry of those that were counted with others before.
  KOKKOS_FUNCTION void uncount_entry(LaunchTag tag) const {
    Kokkos::atomic_sub(&counts[static_cast<int>(tag)].entries, Count{1});
  }

 private:
  /// The fail bits go last, so that a reader never takes a half-written row for a complete one.
  KOKKOS_FUNCTION void store(Count index, Violation violation) const {
    const std::int64_t fail_bits = violation.fail_bits;
    violation.fail_bits = 0;
    rows[index] = violation;
    Kokkos::memory_fence();
    Kokkos::atomic_store(&rows[index].fail_bits, fail_bits);
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
