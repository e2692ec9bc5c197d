#pragma once

#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backends/execution_spaces.hpp"

/// \file
/// The execution spaces of this build by the names that the command line uses.
namespace kvcanary::tools {

/// "openmp", "cuda", ...
std::string lower(std::string_view name);

template <class Space>
std::string backend_name() {
  return lower(Space::name());
}

/// Names of all execution spaces of the build.
inline std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for_each_space(ExecutionSpaces{}, [&]<class Space> { names.push_back(backend_name<Space>()); });
  return names;
}

/// Name of the space that Kokkos takes by default: the device if there is one.
inline std::string default_backend() { return backend_name<Kokkos::DefaultExecutionSpace>(); }

/// Calls `visit.operator()<Space>()` for the space with this name.
/// \throws std::invalid_argument when the build has none
template <class Visit>
void with_backend(std::string_view name, Visit&& visit) {
  bool found = false;
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    if (backend_name<Space>() == name) {
      visit.template operator()<Space>();
      found = true;
    }
  });
  if (!found)
    throw std::invalid_argument("backend '" + std::string(name) + "' is not in this build");
}

}  // namespace kvcanary::tools
