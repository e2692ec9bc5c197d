#pragma once

#include <Kokkos_Core.hpp>

#include "backends/cuda/tuning.hpp"
#include "backends/hip/tuning.hpp"

/// \file
/// Devices that are not there: operations run the device's kernels on emulated teams
/// (emulated_team.hpp), with the numbers that the device is tuned with. For tests that reach the
/// library through Library.

struct EmulatedCuda {
  using Tuning = kvcanary::tuning::Cuda;
  static const char* name() { return "EmulatedCuda"; }
};

struct EmulatedHip {
  using Tuning = kvcanary::tuning::Hip;
  static const char* name() { return "EmulatedHip"; }
};

/// The space that holds the memory of a space's operations.
template <class Space>
struct MemoryHolder {
  using Type = Space;
};
template <>
struct MemoryHolder<EmulatedCuda> {
  using Type = Kokkos::DefaultHostExecutionSpace;
};
template <>
struct MemoryHolder<EmulatedHip> {
  using Type = Kokkos::DefaultHostExecutionSpace;
};
