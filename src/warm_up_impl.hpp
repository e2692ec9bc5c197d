#pragma once

#include <Kokkos_Core.hpp>
#include <kvcanary/warm_up.hpp>

#include "src/launch.hpp"

/// \file
/// warm_up: a launch that does nothing.
namespace kvcanary::detail {

struct NoWork {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};
}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void warm_up(const ExecSpace& space) {
  detail::require_warm("warm_up", space);
  detail::launch_workers("kvc::warm_up", space, 1, detail::NoWork{});
  space.fence("kvcanary::warm_up");
}

}  // namespace kvcanary
