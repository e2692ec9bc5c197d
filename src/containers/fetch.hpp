#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// From a container to the host.
namespace kvcanary::detail {

/// The value of a View of rank 0, after what `space` has to do; fences `space`.
template <class ExecSpace, class View>
typename View::non_const_value_type fetch_value(const ExecSpace& space, const View& view,
                                                const char* label) {
  typename View::non_const_value_type value;
  Kokkos::deep_copy(space, value, view);
  space.fence(label);
  return value;
}

}  // namespace kvcanary::detail
