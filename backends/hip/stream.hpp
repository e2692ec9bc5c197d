#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// What is HIP's own about a stream.
#ifdef KOKKOS_ENABLE_HIP
namespace kvcanary {

/// Index of the device that `space` runs on.
inline int device_of(const Kokkos::HIP& space) { return space.hip_device(); }

/// Whether what `space` is given goes into a graph instead of being run.
inline bool is_captured(const Kokkos::HIP& space) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  return hipStreamIsCapturing(space.hip_stream(), &status) == hipSuccess &&
         status != hipStreamCaptureStatusNone;
}

}  // namespace kvcanary
#endif
