#pragma once

#include <Kokkos_Core.hpp>

#include "backends/cuda/tuning.hpp"
#include "backends/hip/tuning.hpp"
#include "backends/host/tuning.hpp"
#include "backends/shared_tuning.hpp"

/// \file
/// Which numbers an execution space runs with. All numbers of this kind are in the files included
/// here, and nowhere else.
namespace kvcanary {

template <class ExecSpace>
struct TuningOf {
  using Type = tuning::Host;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct TuningOf<Kokkos::Cuda> {
  using Type = tuning::Cuda;
};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct TuningOf<Kokkos::HIP> {
  using Type = tuning::Hip;
};
#endif

/// tuning::Host, tuning::Cuda or tuning::Hip.
template <class ExecSpace>
using Tuning = typename TuningOf<ExecSpace>::Type;

}  // namespace kvcanary
