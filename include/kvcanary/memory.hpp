#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Where an array lies, as far as it is known, so that a host array that is passed to a device
/// operation is refused instead of faulting on the device.
namespace kvcanary {

/// Who can reach an array. A raw pointer says nothing (`unknown`) and is not checked.
enum class Memory : std::uint8_t { unknown, host, device, host_and_device };

/// The kind of a Kokkos memory space.
template <class MemorySpace>
constexpr Memory memory_of() {
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible) {
    return Memory::device;
  } else if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
    return Memory::host;
  } else {
    return Memory::host_and_device;
  }
}

/// A host array as a View, to copy from or to. The array must outlive it.
template <class T>
auto host_view(T* data, std::size_t size) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, size);
}

}  // namespace kvcanary
