#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// What is CUDA's own about a stream.
#ifdef KOKKOS_ENABLE_CUDA
namespace kvcanary {

/// Index of the device that `space` runs on.
inline int device_of(const Kokkos::Cuda& space) { return space.cuda_device(); }

/// Whether what `space` is given goes into a graph instead of being run.
inline bool is_captured(const Kokkos::Cuda& space) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(space.cuda_stream(), &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

}  // namespace kvcanary
#endif
