#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/plan/plan_args.hpp"
#include "src/plan/plan_by_team.hpp"
#include "src/plan/plan_on_host.hpp"

/// \file
/// plan: a kernel for hosts, and two for devices, with a verify plan and without.
namespace kvcanary::detail {

/// As many teams for requests as a lane of each has requests, so that each does one, where there is
/// room for so many at once.
template <class Kernel, class ExecSpace>
int num_request_teams(const ExecSpace& space, const RequestBatch& batch) {
  const LaneRequests of_first(static_cast<int>(num_given(batch)), Kernel::team_size, 0);
  const auto room = static_cast<int>(teams_that_fill(space, 1));
  return std::clamp(of_first.of_lane, 1, room);
}

template <class ExecSpace>
void launch_plan_write(const ExecSpace& space, const RequestBatch& batch, const PlanArgs& args) {
  if constexpr (is_host_space<ExecSpace>) {
    const PlanOnHost kernel(args, 0);
    launch_workers("kvc::plan_write", space, kernel.num_workers(), kernel);
  } else {
    using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
    using Kernel = PlanWriteByTeam<Member, Tuning<ExecSpace>>;
    launch_teams<Kernel::team_size>("kvc::plan_write", space,
                                    num_request_teams<Kernel>(space, batch), Kernel::scratch_bytes,
                                    Kernel(args));
  }
}

template <class ExecSpace>
void launch_plan(const ExecSpace& space, const RequestBatch& batch, const PlanArgs& args) {
  if constexpr (is_host_space<ExecSpace>) {
    const PlanOnHost kernel(args, num_workers(space, args.verify_capacity));
    launch_workers("kvc::plan", space, kernel.num_workers(), kernel);
  } else {
    using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
    using Kernel = PlanByTeam<Member, Tuning<ExecSpace>>;
    const int request_teams = num_request_teams<Kernel>(space, batch);
    const std::int64_t room = teams_that_fill(space, Kernel::teams_at_once) - request_teams;
    const std::int64_t entry_teams =
        std::clamp<std::int64_t>((args.verify_capacity + Kernel::team_size - 1) / Kernel::team_size,
                                 1, std::max<std::int64_t>(1, room));
    launch_teams<Kernel::team_size, Kernel::teams_at_once>(
        "kvc::plan", space, request_teams + entry_teams, Kernel::scratch_bytes,
        Kernel(args, request_teams));
  }
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan) {
  detail::check_plan(batch, write_plan, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("plan", space);
  detail::launch_plan_write(space, batch, detail::PlanArgs(batch, write_plan));
}

template <class ExecSpace>
void plan(const ExecSpace& space, const RequestBatch& batch,
          const WritePlan<typename ExecSpace::memory_space>& write_plan,
          const VerifyPlan<typename ExecSpace::memory_space>& verify_plan) {
  detail::check_plan(batch, write_plan, verify_plan, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("plan", space);
  detail::launch_plan(space, batch, detail::PlanArgs(batch, write_plan, verify_plan));
}

}  // namespace kvcanary
