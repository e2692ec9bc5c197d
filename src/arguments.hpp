#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/plan.hpp>
#include <kvcanary/verify_requests.hpp>
#include <kvcanary/write.hpp>
#include <span>
#include <string>

/// \file
/// What the host can see of the arguments of an operation is checked before the launch. Each
/// function throws std::invalid_argument with the argument, what it was and what it must be.
namespace kvcanary::detail {

/// The kind of memory that `ExecSpace` can't reach; Memory::unknown when it reaches all.
template <class ExecSpace>
constexpr Memory unreachable_memory() {
  using Own = typename ExecSpace::memory_space;
  if constexpr (!Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible) {
    return Memory::host;
  } else if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Own>::accessible) {
    return Memory::device;
  } else {
    return Memory::unknown;
  }
}

void check_plan(const PlanBatch& batch, std::int64_t max_requests, Memory unreachable);

/// A VerifyPlan must have been allocated.
void check_verify_plan(const char* operation, const char* argument, std::int64_t max_entries);

/// Jobs and endpoints of one launch, before each job by itself.
void check_write_jobs(std::int64_t jobs, std::int64_t endpoints, std::int64_t max_requests);

/// `job` says which of several, or is empty.
void check_write_job(const std::string& job, const WriteBatch& batch, std::int64_t max_requests,
                     std::span<const Endpoint> endpoints, Memory unreachable);

template <class MemorySpace>
void check_write(std::span<const WriteJob<MemorySpace>> jobs, Memory unreachable) {
  std::int64_t endpoints = 0, max_requests = 0;
  for (const WriteJob<MemorySpace>& job : jobs) {
    endpoints += static_cast<std::int64_t>(job.endpoints.size());
    max_requests += job.plan.capacity();
  }
  check_write_jobs(static_cast<std::int64_t>(jobs.size()), endpoints, max_requests);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    check_write_job(jobs.size() == 1 ? "" : "jobs[" + std::to_string(i) + "].", jobs[i].batch,
                    jobs[i].plan.capacity(), jobs[i].endpoints, unreachable);
  }
}

void check_verify(std::span<const Endpoint> endpoints, Memory unreachable);

void check_verify_requests(std::span<const VerifyJob> jobs, Memory unreachable);

/// The log and the counters must have been allocated.
void check_sink(const char* operation, std::int64_t log_capacity, const void* counts);

}  // namespace kvcanary::detail
