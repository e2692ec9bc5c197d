#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/plan/plan_entries.hpp"
#include "src/plan/plan_requests.hpp"

/// \file
/// plan: one team, or one host thread, sums up the requests; then workers fill the verify entries.
namespace kvcanary::detail {

template <class MemorySpace>
PlanTargets targets_of(const WritePlan<MemorySpace>& plan) {
  return {.offsets = plan.offsets.data(),
          .verify_offsets = plan.verify_offsets.data(),
          .seed_slots = plan.seed_slots.data(),
          .rows = plan.request_rows.data(),
          .write_state = plan.state.data(),
          .write_capacity = static_cast<std::int32_t>(plan.capacity())};
}

template <class MemorySpace>
PlanTargets targets_of(const WritePlan<MemorySpace>& write_plan,
                       const VerifyPlan<MemorySpace>& verify_plan) {
  PlanTargets targets = targets_of(write_plan);
  targets.verify_state = verify_plan.state.data();
  targets.verify_capacity = verify_plan.capacity();
  return targets;
}

/// The kernel of the second part, for so many workers.
template <class ExecSpace>
PlanEntries<ExecSpace> plan_entries(const RequestBatch& batch,
                                    const WritePlan<typename ExecSpace::memory_space>& write_plan,
                                    const VerifyPlan<typename ExecSpace::memory_space>& verify_plan,
                                    std::int64_t num_workers) {
  return {RequestArgs(batch),
          SlotFinder(batch),
          ExpectedTokenArgs(batch.expected),
          write_plan.verify_offsets.data(),
          write_plan.state.data(),
          verify_plan.state.data(),
          verify_plan.entries.data(),
          verify_plan.capacity(),
          num_workers};
}

template <class ExecSpace>
void launch_plan_requests(const ExecSpace& space, const RequestBatch& batch,
                          const PlanTargets& targets) {
  const PlanRequests plan{RequestArgs(batch), SlotFinder(batch), targets};
  if constexpr (is_host_space<ExecSpace>) {
    launch_workers("kvc::plan_reqs", space, 1, PlanRequestsOnHost(plan));
  } else {
    using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
    using Kernel = PlanRequestsByTeam<Member, Tuning<ExecSpace>>;
    launch_teams<Kernel::team_size>("kvc::plan_reqs", space, 1, Kernel::scratch_bytes,
                                    Kernel(plan));
  }
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan) {
  detail::check_plan(batch, write_plan, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("plan", space);
  detail::launch_plan_requests(space, batch, detail::targets_of(write_plan));
}

template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan) {
  detail::check_plan(batch, write_plan, verify_plan, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("plan", space);
  detail::launch_plan_requests(space, batch, detail::targets_of(write_plan, verify_plan));
  const std::int64_t workers = detail::num_workers(space, verify_plan.capacity());
  detail::launch_workers("kvc::plan_entry", space, workers,
                         detail::plan_entries<ExecSpace>(batch, write_plan, verify_plan, workers));
}

}  // namespace kvcanary
