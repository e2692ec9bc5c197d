#pragma once

/// \file
/// What has to be done before a graph is captured.
namespace kvcanary {

/// Does what the first launch of an operation on the device of `space` does and a stream capture
/// can't hold (on CUDA and HIP: Kokkos copies the addresses of its locks to the device). Call it
/// once a device, after Kokkos::initialize and before the first capture; an operation that has run
/// there uncaptured has done the same. Fences `space`. Nothing to do on hosts.
///
/// An operation that finds itself captured on a device that was not warmed up throws
/// std::logic_error, and leaves the capture as it was.
template <class ExecSpace>
void warm_up(const ExecSpace& space);

}  // namespace kvcanary
