#pragma once

#include <Kokkos_Macros.hpp>

/// \file
/// std::clamp for kernels.
namespace kvcanary::detail {

/// Kokkos::clamp would check that low <= high, and its call of abort costs every kernel a stack.
template <class T>
KOKKOS_INLINE_FUNCTION T clamp(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

}  // namespace kvcanary::detail
