#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <kvcanary/violation_log.hpp>

/// \file
/// How much was checked: proof that the canary ran at all.
namespace kvcanary {

/// Work of one launch tag.
struct TagCounts {
  Count launches = 0;  ///< times that a write or verify ran for the tag
  Count entries = 0;   ///< records written or verified, without skipped ones

  bool operator==(const TagCounts&) const = default;
};

/// By launch tag, see LaunchTag.
using TagCountsTable = std::array<TagCounts, num_launch_tags>;

/// 64-bit counters of every launch tag. Copies share the storage, like a View.
template <class MemorySpace>
class LaunchCounters {
 public:
  /// Allocates the counters, all 0.
  static LaunchCounters allocate() {
    LaunchCounters counters;
    counters.counts_ = decltype(counters.counts_)("kvcanary::launch_counters");
    return counters;
  }

  /// Sets all to 0, in the order of `space`. Does not fence.
  template <class ExecSpace>
  void reset(const ExecSpace& space) const {
    Kokkos::deep_copy(space, counts_, TagCounts{});
  }

  /// Copies the counters to the host after what `space` has to do; fences `space`.
  template <class ExecSpace>
  TagCountsTable fetch(const ExecSpace& space) const {
    TagCountsTable table;
    Kokkos::View<TagCounts[num_launch_tags], Kokkos::HostSpace,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        host(table.data());
    Kokkos::deep_copy(space, host, counts_);
    space.fence("kvcanary::LaunchCounters::fetch");
    return table;
  }

  TagCounts* counts() const { return counts_.data(); }  ///< device pointer, [num_launch_tags]

 private:
  Kokkos::View<TagCounts[num_launch_tags], MemorySpace> counts_;
};

}  // namespace kvcanary
