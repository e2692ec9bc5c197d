#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/launch_counters.hpp>
#include <kvcanary/violation_log.hpp>

#include "src/seal.hpp"

/// \file
/// The kernels' side of the violation log and the counters.
namespace kvcanary::detail {

/// Where kernels report: plain pointers into a ViolationLog and LaunchCounters.
struct ViolationSink {
  SealedViolation* rows;
  ViolationLogState* state;
  Count capacity;
  TagCounts* counts;

  template <class MemorySpace>
  ViolationSink(const ViolationLog<MemorySpace>& log, const LaunchCounters<MemorySpace>& counters)
      : rows(log.rows()),
        state(log.state()),
        capacity(static_cast<Count>(log.capacity())),
        counts(counters.counts()) {}

  /// Counts a violation, and appends it, `make()`, if there is room.
  template <class Make>
  KOKKOS_FUNCTION void push(const Make& make) const {
    const Count index = reserve(1), place = index - begin();
    if (place < capacity) store(place, index, make());
  }

  /// Reports a whole plan.
  /// \param found the count that was read \param wanted what it must be, where that is known
  KOKKOS_FUNCTION void push_plan(LaunchTag tag, std::int64_t found,
                                 std::int64_t wanted = -1) const {
    push([&] {
      return Violation{.launch_tag = static_cast<std::int64_t>(tag),
                       .slot = -1,
                       .position = -1,
                       .stored_token = 0,
                       .expected_token = -1,
                       .stored_chain_hash = 0,
                       .expected_aux = found,
                       .fail_bits = fail_bit::malformed_plan,
                       .request_row = -1,
                       .entry = -1,
                       .expected_position = wanted,
                       .stored_kv_hash = 0,
                       .expected_kv_hash = 0};
    });
  }

  /// Counts `count` violations at once, and appends those that there is room for: `make(i)` is the
  /// i-th. Takes no longer than the log is.
  template <class Make>
  KOKKOS_FUNCTION void push_many(Count count, const Make& make) const {
    if (count == 0) return;
    const Count index = reserve(count), place = index - begin();
    for (Count i = 0; i < count && place + i < capacity; ++i) store(place + i, index + i, make(i));
  }

  KOKKOS_FUNCTION void count_launch(LaunchTag tag) const {
    Kokkos::atomic_add(&of_tag(tag).launches, Count{1});
  }
  KOKKOS_FUNCTION void count_disabled(LaunchTag tag) const {
    Kokkos::atomic_add(&of_tag(tag).disabled, Count{1});
  }
  KOKKOS_FUNCTION void count_entries(LaunchTag tag, Count entries) const {
    if (entries > 0) Kokkos::atomic_add(&of_tag(tag).entries, entries);
  }

 private:
  KOKKOS_FUNCTION TagCounts& of_tag(LaunchTag tag) const { return counts[static_cast<int>(tag)]; }

  // Hosts look at a log while kernels run: scopes are those of the whole node.
  KOKKOS_FUNCTION Count reserve(Count count) const {
    return desul::atomic_fetch_add(&state->end, count, desul::MemoryOrderRelaxed(),
                                   desul::MemoryScopeNode());
  }
  KOKKOS_FUNCTION Count begin() const {
    return *static_cast<const volatile Count*>(&state->begin);  // atomic_load would be a loop
  }

  /// The order in which a row's words become visible does not matter: it is whole when its seal
  /// says so. The fence sends them off at once, and not at the end of the kernel.
  KOKKOS_FUNCTION void store(Count place, Count index, const Violation& violation) const {
    SealedViolation& row = rows[place];
    row.violation = violation;
    row.seal = seal(row.violation, index);
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
  }
};

}  // namespace kvcanary::detail
