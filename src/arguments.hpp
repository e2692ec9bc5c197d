#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/plan.hpp>
#include <kvcanary/verify_requests.hpp>
#include <kvcanary/write.hpp>
#include <span>

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

void check_write(const WriteBatch& batch, std::int64_t max_requests,
                 std::span<const Endpoint> endpoints, Memory unreachable);

void check_verify(std::span<const Endpoint> endpoints, Memory unreachable);

void check_verify_requests(std::span<const VerifyJob> jobs, Memory unreachable);

/// The log and the counters must have been allocated.
void check_sink(const char* operation, std::int64_t log_capacity, const void* counts);

}  // namespace kvcanary::detail
