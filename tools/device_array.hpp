#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <span>

/// \file
/// What the engine keeps on the host, where kernels can read it.
namespace kvcanary::tools {

/// Memory for the engine's arrays of one step, grown when needed. A host space reads the engine's
/// own memory instead.
template <class Space, class T>
class DeviceArray {
 public:
  /// Makes `host` readable in the order of `space` and returns where. `host` must stay as it is
  /// until `space` is fenced.
  const T* upload(const Space& space, std::span<const T> host) {
    if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
      return host.data();
    } else {
      if (device_.extent(0) < host.size()) {
        device_ = decltype(device_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "upload"),
                                    std::max(host.size(), 2 * device_.extent(0)));
      }
      using Range = std::pair<std::size_t, std::size_t>;
      const auto from = host_view(host.data(), host.size());
      Kokkos::deep_copy(space, Kokkos::subview(device_, Range(0, host.size())), from);
      return device_.data();
    }
  }

 private:
  Kokkos::View<T*, typename Space::memory_space> device_;
};

}  // namespace kvcanary::tools
