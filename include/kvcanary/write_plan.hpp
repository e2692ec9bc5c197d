#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/write_scratch.hpp>

/// \file
/// What a write has to do for each request.
namespace kvcanary {

/// The part of a WritePlan that changes with each step, in device memory.
struct WritePlanState {
  std::int64_t num_requests = 0;  ///< requests in the plan, 0 to capacity
  std::int64_t malformed = 0;     ///< bad lengths and counts that `plan` found and clamped
};

/// Requests of one write: entries `[offsets[r], offsets[r + 1])` of the batch belong to request r
/// and follow its seed slot. Filled by `plan`, or by the caller. Copies share the storage, like a
/// View.
template <class MemorySpace>
struct WritePlan {
  Kokkos::View<std::int64_t*, MemorySpace> offsets;  ///< [capacity + 1]
  Kokkos::View<std::int64_t*, MemorySpace>
      seed_slots;  ///< [capacity] slot of the token before, or no_slot
  Kokkos::View<std::int64_t*, MemorySpace>
      request_rows;  ///< [capacity] row in the slot table, for reports
  Kokkos::View<WritePlanState, MemorySpace> state;
  /// Of `write` to polynomial chains on a device, where two such writes must not use one plan at
  /// the same time.
  WriteScratch<MemorySpace> scratch;

  /// Room for `max_requests`, none in it, on the device of `space` and in its order.
  /// \throws std::invalid_argument when max_requests < 1
  template <class ExecSpace>
  static WritePlan allocate(const ExecSpace& space, std::int64_t max_requests);

  std::int64_t capacity() const { return static_cast<std::int64_t>(seed_slots.extent(0)); }
};

}  // namespace kvcanary
