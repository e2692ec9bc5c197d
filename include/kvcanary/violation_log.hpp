#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/violation.hpp>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// Where kernels leave violations, and where the host finds them.
namespace kvcanary {

/// Counts that kernels add to with their own atomic (unsigned long long is the widest type with a
/// native add on every backend).
using Count = unsigned long long;

/// What a log held at one moment.
struct ViolationSnapshot {
  std::vector<Violation> rows;  ///< complete rows among the first `capacity`, in ring order
  Count total = 0;              ///< violations since the last reset, also those that found no room
};

/// Keeps the first `capacity` violations and counts all of them. Copies share the storage, like a
/// View.
template <class MemorySpace>
class ViolationLog {
 public:
  /// Allocates `capacity` rows of 80 bytes, empty. \throws std::invalid_argument when capacity < 1
  static ViolationLog allocate(std::int64_t capacity);

  std::int64_t capacity() const { return static_cast<std::int64_t>(rows_.extent(0)); }

  /// Forgets everything, in the order of `space`. Does not fence.
  template <class ExecSpace>
  void reset(const ExecSpace& space) const {
    Kokkos::deep_copy(space, rows_, Violation{});
    Kokkos::deep_copy(space, total_, Count{0});
  }

  /// Copies the log to the host after what `space` has to do; fences `space`.
  template <class ExecSpace>
  ViolationSnapshot fetch(const ExecSpace& space) const;

  /// The number of violations alone: cheaper, for every step. Fences `space`.
  template <class ExecSpace>
  Count fetch_total(const ExecSpace& space) const {
    Count total = 0;
    Kokkos::deep_copy(space, total, total_);
    space.fence("kvcanary::ViolationLog::fetch_total");
    return total;
  }

  Violation* rows() const { return rows_.data(); }  ///< device pointer, [capacity]
  Count* total() const { return total_.data(); }    ///< device pointer, [1]

 private:
  Kokkos::View<Violation*, MemorySpace> rows_;
  Kokkos::View<Count, MemorySpace> total_;
};

template <class MemorySpace>
ViolationLog<MemorySpace> ViolationLog<MemorySpace>::allocate(std::int64_t capacity) {
  if (capacity < 1) {
    throw std::invalid_argument("ViolationLog: capacity is " + std::to_string(capacity) +
                                ", must be at least 1");
  }
  ViolationLog log;
  log.rows_ = decltype(log.rows_)("kvcanary::violations", capacity);
  log.total_ = decltype(log.total_)("kvcanary::violation_total");
  return log;
}

template <class MemorySpace>
template <class ExecSpace>
ViolationSnapshot ViolationLog<MemorySpace>::fetch(const ExecSpace& space) const {
  ViolationSnapshot snapshot;
  snapshot.total = fetch_total(space);
  const auto kept = std::min<Count>(snapshot.total, rows_.extent(0));
  if (kept == 0) return snapshot;
  snapshot.rows.resize(kept);
  Kokkos::View<Violation*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      snapshot.rows.data(), kept);
  Kokkos::deep_copy(space, host,
                    Kokkos::subview(rows_, std::pair<std::size_t, std::size_t>(0, kept)));
  space.fence("kvcanary::ViolationLog::fetch");
  // A row's fail bits are stored last: without them another stream is still writing the row.
  std::erase_if(snapshot.rows, [](const Violation& row) { return row.fail_bits == 0; });
  return snapshot;
}

}  // namespace kvcanary
