#pragma once

#include <cstddef>
#include <kvcanary/endpoint.hpp>
#include <span>

#include "backends/shared_tuning.hpp"

/// \file
/// For how many jobs and endpoints a kernel has room in its arguments.
namespace kvcanary::detail {

/// Calls `launch.template operator()<jobs, endpoints>()` with the least room for `jobs` that
/// kernels are compiled with: one of few microseconds waits noticeably for a kilobyte of arguments.
template <class Job, class Launch>
void with_room_for(std::span<const Job> jobs, const Launch& launch) {
  constexpr int few_endpoints = tuning::Shared::few_endpoints, few_jobs = tuning::Shared::few_jobs;
  const std::size_t endpoints = jobs.size() == 1 ? jobs[0].endpoints.size() : max_endpoints;
  if (endpoints == 1) {
    launch.template operator()<1, 1>();
  } else if (endpoints <= few_endpoints) {
    launch.template operator()<1, few_endpoints>();
  } else if (jobs.size() <= few_jobs) {
    launch.template operator()<few_jobs, max_endpoints>();
  } else {
    launch.template operator()<max_endpoints, max_endpoints>();
  }
}

}  // namespace kvcanary::detail
