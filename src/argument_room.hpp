#pragma once

#include <cstddef>
#include <kvcanary/endpoint.hpp>

#include "backends/shared_tuning.hpp"

/// \file
/// For how many jobs and endpoints a kernel has room in its arguments.
namespace kvcanary::detail {

/// Calls `launch.template operator()<jobs, endpoints>()` with the least room for so many that
/// kernels are compiled with: one of few microseconds waits noticeably for a kilobyte of arguments.
/// \param endpoints_of_first those of the first job
template <class Launch>
void with_room_for(std::size_t num_jobs, std::size_t endpoints_of_first, const Launch& launch) {
  constexpr int few_endpoints = tuning::Shared::few_endpoints, few_jobs = tuning::Shared::few_jobs;
  const std::size_t endpoints = num_jobs == 1 ? endpoints_of_first : max_endpoints;
  if (endpoints == 1) {
    launch.template operator()<1, 1>();
  } else if (endpoints <= few_endpoints) {
    launch.template operator()<1, few_endpoints>();
  } else if (num_jobs <= few_jobs) {
    launch.template operator()<few_jobs, max_endpoints>();
  } else {
    launch.template operator()<max_endpoints, max_endpoints>();
  }
}

}  // namespace kvcanary::detail
