#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <kvcanary/plan.hpp>
#include <kvcanary/step.hpp>
#include <kvcanary/verify_requests.hpp>
#include <kvcanary/write.hpp>
#include <kvcanary/write_requests.hpp>
#include <span>

/// \file
/// What the host can see of the arguments of an operation is checked before the launch. Each
/// function throws std::invalid_argument with the operation, the argument, what it was and what it
/// must be. Checking takes a fraction of a launch: right arguments cost no allocation and no text.
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

/// What is checked of a WritePlan: sizes, and whether there is a state.
struct WritePlanParts {
  std::int64_t capacity, offsets, request_rows, scratch;
  const void* state;
};

template <class MemorySpace>
WritePlanParts parts_of(const WritePlan<MemorySpace>& plan) {
  return {plan.capacity(), static_cast<std::int64_t>(plan.offsets.extent(0)),
          static_cast<std::int64_t>(plan.request_rows.extent(0)),
          static_cast<std::int64_t>(plan.scratch.bytes.extent(0)), plan.state.data()};
}

/// The same of a VerifyPlan.
struct VerifyPlanParts {
  std::int64_t capacity;
  const void* state;
};

template <class MemorySpace>
VerifyPlanParts parts_of(const VerifyPlan<MemorySpace>& plan) {
  return {plan.capacity(), plan.state.data()};
}

/// The same of a log and counters.
struct ReportParts {
  std::int64_t log_capacity;
  const void *rows, *state, *counts;
};

template <class MemorySpace>
ReportParts parts_of(const ViolationLog<MemorySpace>& log,
                     const LaunchCounters<MemorySpace>& counters) {
  return {log.capacity(), log.rows(), log.state(), counters.counts()};
}

struct WriteJobParts {
  WritePlanParts plan;
  const TokenBatch* batch;
  std::span<const Endpoint> endpoints;
};

/// \param verify_plan nullptr: there is none
void check_plan_parts(const RequestBatch& batch, const WritePlanParts& write_plan,
                      const VerifyPlanParts* verify_plan, Memory unreachable);
/// \param num_jobs may be more than `jobs` holds, which is refused
/// \param scratch bytes that a plan needs for polynomial chains
void check_write_parts(std::size_t num_jobs, std::span<const WriteJobParts> jobs,
                       const ReportParts& report, Memory unreachable, std::int64_t scratch);
void check_verify_parts(const VerifyPlanParts& plan, std::span<const Endpoint> endpoints,
                        const ReportParts& report, Memory unreachable);
void check_verify_requests_parts(std::span<const VerifyJob> jobs, const ReportParts& report,
                                 Memory unreachable);
/// \param given bytes of scratch \param needed those for polynomial chains
void check_write_requests_parts(std::span<const StepJob> jobs, const ReportParts& report,
                                Memory unreachable, std::int64_t given, std::int64_t needed);
/// \param needed bytes of scratch, whatever the chains
void check_step_parts(StepSide side, std::span<const StepJob> jobs, const ReportParts& report,
                      Memory unreachable, std::int64_t given, std::int64_t needed);

template <class MemorySpace>
void check_plan(const RequestBatch& batch, const WritePlan<MemorySpace>& write_plan,
                Memory unreachable) {
  check_plan_parts(batch, parts_of(write_plan), nullptr, unreachable);
}

template <class MemorySpace>
void check_plan(const RequestBatch& batch, const WritePlan<MemorySpace>& write_plan,
                const VerifyPlan<MemorySpace>& verify_plan, Memory unreachable) {
  const VerifyPlanParts verify_parts = parts_of(verify_plan);
  check_plan_parts(batch, parts_of(write_plan), &verify_parts, unreachable);
}

template <class MemorySpace>
void check_write(std::span<const WriteJob<MemorySpace>> jobs, const ViolationLog<MemorySpace>& log,
                 const LaunchCounters<MemorySpace>& counters, Memory unreachable,
                 std::int64_t scratch) {
  // Each job has an endpoint, so more jobs than that are wrong.
  std::array<WriteJobParts, max_endpoints> parts;
  const std::size_t count = std::min(jobs.size(), parts.size());
  for (std::size_t j = 0; j < count; ++j) {
    parts[j] = {parts_of(jobs[j].plan), &jobs[j].batch, jobs[j].endpoints};
  }
  check_write_parts(jobs.size(), std::span<const WriteJobParts>(parts.data(), count),
                    parts_of(log, counters), unreachable, scratch);
}

template <class MemorySpace>
void check_verify(const VerifyPlan<MemorySpace>& plan, std::span<const Endpoint> endpoints,
                  const ViolationLog<MemorySpace>& log, const LaunchCounters<MemorySpace>& counters,
                  Memory unreachable) {
  check_verify_parts(parts_of(plan), endpoints, parts_of(log, counters), unreachable);
}

template <class MemorySpace>
void check_verify_requests(std::span<const VerifyJob> jobs, const ViolationLog<MemorySpace>& log,
                           const LaunchCounters<MemorySpace>& counters, Memory unreachable) {
  check_verify_requests_parts(jobs, parts_of(log, counters), unreachable);
}

template <class MemorySpace>
void check_write_requests(std::span<const StepJob> jobs, const WriteScratch<MemorySpace>& scratch,
                          const ViolationLog<MemorySpace>& log,
                          const LaunchCounters<MemorySpace>& counters, Memory unreachable,
                          std::int64_t needed_scratch) {
  check_write_requests_parts(jobs, parts_of(log, counters), unreachable,
                             static_cast<std::int64_t>(scratch.bytes.extent(0)), needed_scratch);
}

template <class MemorySpace>
void check_step(StepSide side, std::span<const StepJob> jobs,
                const WriteScratch<MemorySpace>& scratch, const ViolationLog<MemorySpace>& log,
                const LaunchCounters<MemorySpace>& counters, Memory unreachable,
                std::int64_t needed_scratch) {
  check_step_parts(side, jobs, parts_of(log, counters), unreachable,
                   static_cast<std::int64_t>(scratch.bytes.extent(0)), needed_scratch);
}

/// Of a KVSources that is made.
void check_kv_sources(std::span<const KVSource> sources, Memory unreachable);

/// Of `type`::allocate, whose `argument` is the number of elements.
void check_capacity(const char* type, const char* argument, std::int64_t value);

/// Of VerifyPlan::assign.
void check_assign(std::int64_t given, std::int64_t capacity);

}  // namespace kvcanary::detail
