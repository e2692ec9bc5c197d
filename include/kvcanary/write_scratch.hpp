#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

/// \file
/// Memory in which writes to polynomial chains, and steps, work.
namespace kvcanary {

/// Where the teams of a device tell each other how far their parts of a polynomial chain are, and
/// those of a step that they are done. Its size is that of the device, whatever is written. Two
/// operations that run at the same time must not use the same. Copies share the storage, like a
/// View.
template <class MemorySpace>
struct WriteScratch {
  /// Zeros at first, then its own. Hosts need none.
  Kokkos::View<std::byte*, MemorySpace> bytes;

  /// As many as the device of `space` needs, in its order.
  template <class ExecSpace>
  static WriteScratch allocate(const ExecSpace& space);
};

}  // namespace kvcanary
