#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/count.hpp>
#include <span>

/// \file
/// Which slots a verify has to check, and against what.
namespace kvcanary {

/// One slot to check.
struct VerifyEntry {
  std::int64_t slot;
  std::int64_t position;
  std::int64_t predecessor;  ///< slot of position - 1; no_slot at position 0; unchecked_slot or a
                             ///< padding slot leave the chain unchecked
  std::int64_t expected_token;  ///< -1: any
  std::int64_t request_row;     ///< for reports; -1 when no request reads the slot

  bool operator==(const VerifyEntry&) const = default;
};

/// The part of a VerifyPlan that changes with each step, in device memory.
struct VerifyPlanState {
  std::int64_t enabled = 1;           ///< 0: verify does nothing
  std::int64_t num_entries = 0;       ///< entries in the plan, 0 to capacity
  std::int64_t required_entries = 0;  ///< entries that the last `plan` wanted
  std::int64_t malformed = 0;         ///< bad lengths and counts that `plan` found and clamped
  Count overflows = 0;  ///< times that `plan` wanted more than capacity and disabled itself
};

/// Entries of one verify. Filled by `plan` from a batch, or by `assign` from the host (a sweep over
/// the slots that a prefix tree holds). Copies share the storage, like a View.
template <class MemorySpace>
struct VerifyPlan {
  Kokkos::View<VerifyEntry*, MemorySpace> entries;  ///< [capacity]
  Kokkos::View<VerifyPlanState, MemorySpace> state;

  /// Room for `max_entries` (40 bytes each), none in it, enabled; on the device of `space` and in
  /// its order. \throws std::invalid_argument when max_entries < 1
  template <class ExecSpace>
  static VerifyPlan allocate(const ExecSpace& space, std::int64_t max_entries);

  std::int64_t capacity() const { return static_cast<std::int64_t>(entries.extent(0)); }

  /// Replaces the entries by `host_entries` and enables the plan. Fences `space`: not for graphs.
  /// \throws std::invalid_argument when they are more than capacity
  template <class ExecSpace>
  void assign(const ExecSpace& space, std::span<const VerifyEntry> host_entries) const;

  /// Copies the state to the host after what `space` has to do; fences `space`.
  template <class ExecSpace>
  VerifyPlanState fetch_state(const ExecSpace& space) const;
};

}  // namespace kvcanary
