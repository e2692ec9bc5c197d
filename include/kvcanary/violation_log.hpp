#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/count.hpp>
#include <kvcanary/violation.hpp>
#include <vector>

/// \file
/// Where kernels leave violations, and where the host finds them.
namespace kvcanary {

/// A violation as it lies in a log. A kernel stores a row word by word, and a reader may copy it at
/// any moment and in any order: the seal tells a whole row from one that is half old, half new.
struct SealedViolation {
  Violation violation;
  std::uint64_t seal;  ///< seal_of(violation, index)
};

/// The seal of the `index`-th violation that a log ever got: a chain of splitmix64 over `index + 1`
/// and the fields. A row that is anything but that violation has it with a probability of 2^-64.
std::uint64_t seal_of(const Violation& violation, Count index);

/// The part of a log that says which violations it holds: the `begin`-th up to and without the
/// `end`-th that it ever got, the first `capacity` of them in its rows.
struct ViolationLogState {
  Count begin = 0;  ///< moved to `end` by a reset
  Count end = 0;    ///< never gets smaller
};

/// What a log held at one moment.
struct ViolationSnapshot {
  std::vector<Violation> rows;  ///< whole rows among the first `capacity`, in the order of the log
  Count total = 0;              ///< violations since the last reset, also those that found no room
};

/// Keeps the first `capacity` violations since the last reset and counts all of them. Copies share
/// the storage, like a View.
template <class MemorySpace>
class ViolationLog {
 public:
  /// Allocates `capacity` rows of 112 bytes, empty, on the device of `space` and in its order.
  /// \throws std::invalid_argument when capacity < 1
  template <class ExecSpace>
  static ViolationLog allocate(const ExecSpace& space, std::int64_t capacity);

  std::int64_t capacity() const { return static_cast<std::int64_t>(rows_.extent(0)); }

  /// Forgets everything, in the order of `space`. Does not fence. No row from before it is ever
  /// taken for one from after it, whatever runs beside it.
  template <class ExecSpace>
  void reset(const ExecSpace& space) const;

  /// Copies the log to the host after what `space` has to do; fences `space`, and nothing else. An
  /// instance of its own reads while others run kernels: rows that they are still writing are left
  /// out, never half-read.
  template <class ExecSpace>
  ViolationSnapshot fetch(const ExecSpace& space) const;

  /// The number of violations alone: cheaper, for every step. Fences `space`.
  template <class ExecSpace>
  Count fetch_total(const ExecSpace& space) const;

  SealedViolation* rows() const { return rows_.data(); }      ///< device pointer, [capacity]
  ViolationLogState* state() const { return state_.data(); }  ///< device pointer, [1]

 private:
  Kokkos::View<SealedViolation*, MemorySpace> rows_;
  Kokkos::View<ViolationLogState, MemorySpace> state_;
};

}  // namespace kvcanary
