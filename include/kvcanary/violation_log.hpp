#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <kvcanary/violation.hpp>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// Where kernels leave violations, and where the host finds them.
namespace kvcanary {

/// Counts that kernels add to with their own atomic: the type whose add is native on every backend
/// (desul makes that of `unsigned long long` a compare-and-swap loop on CUDA).
using Count = std::uint64_t;

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

  /// Copies the log to the host after what `space` has to do; fences `space`, and nothing else. An
  /// instance of its own reads while others run kernels: rows that they are still writing are left
  /// out, never half-read.
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
  template <class ExecSpace>
  std::vector<Violation> copy_rows(const ExecSpace& space, std::size_t count) const {
    std::vector<Violation> copy(count);
    const auto host = host_view(copy.data(), count);
    Kokkos::deep_copy(space, host,
                      Kokkos::subview(rows_, std::pair<std::size_t, std::size_t>(0, count)));
    space.fence("kvcanary::ViolationLog::fetch");
    return copy;
  }

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
  // A row's fail bits are stored last, but a copy reads it in no particular order: only a row that
  // was complete when the first copy read it is sure to be whole in the second.
  const std::vector<Violation> first = copy_rows(space, kept), second = copy_rows(space, kept);
  for (std::size_t i = 0; i < kept; ++i) {
    if (first[i].fail_bits != 0) snapshot.rows.push_back(second[i]);
  }
  return snapshot;
}

}  // namespace kvcanary
