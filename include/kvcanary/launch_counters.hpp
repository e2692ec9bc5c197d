#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <kvcanary/count.hpp>
#include <kvcanary/launch_tag.hpp>

/// \file
/// How much was checked: proof that the canary ran at all.
namespace kvcanary {

/// Work of one launch tag.
struct TagCounts {
  Count launches = 0;  ///< times that a write, verify or verify_requests ran for the tag
  Count entries = 0;   ///< entries written (without those whose slot is negative) or verified
  Count disabled = 0;  ///< times that a verify did nothing, as its plan was disabled (overflow)

  bool operator==(const TagCounts&) const = default;
};

/// By launch tag, see LaunchTag.
using TagCountsTable = std::array<TagCounts, max_launch_tags>;

/// 64-bit counters of every launch tag. Copies share the storage, like a View.
template <class MemorySpace>
class LaunchCounters {
 public:
  /// Allocates the counters, all 0, on the device of `space` and in its order.
  template <class ExecSpace>
  static LaunchCounters allocate(const ExecSpace& space);

  /// Sets all to 0, in the order of `space`. Does not fence.
  template <class ExecSpace>
  void reset(const ExecSpace& space) const;

  /// Copies the counters to the host after what `space` has to do; fences `space`. An instance of
  /// its own reads while others run kernels: counts that are on their way are missing, no count is
  /// half-read, and none is smaller than it was, but by a reset.
  template <class ExecSpace>
  TagCountsTable fetch(const ExecSpace& space) const;

  TagCounts* counts() const { return counts_.data(); }  ///< device pointer, [max_launch_tags]

 private:
  Kokkos::View<TagCounts[max_launch_tags], MemorySpace> counts_;
};

}  // namespace kvcanary
