#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify.hpp>

#include "src/arguments.hpp"
#include "src/endpoint_args.hpp"
#include "src/launch.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/violation_sink.hpp"

/// \file
/// verify: teams walk the entries of the plan, for every endpoint.
namespace kvcanary::detail {

template <class ExecSpace, class Chain>
class VerifyKernel {
 public:
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  template <class MemorySpace>
  VerifyKernel(const VerifyPlan<MemorySpace>& plan, std::span<const Endpoint> endpoints,
               const ViolationSink& sink, std::int64_t num_teams)
      : entries_(plan.entries.data()),
        state_(plan.state.data()),
        capacity_(plan.capacity()),
        endpoints_(endpoints),
        sink_(sink),
        num_teams_(num_teams) {}

  /// The league holds `num_teams` teams for each endpoint.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const EndpointArgs& endpoint = endpoints_.items[team.league_rank() / num_teams_];
    const std::int64_t rank = team.league_rank() % num_teams_;
    const std::int64_t wanted = state_->num_entries;
    if (rank == 0 && team.team_rank() == 0) {
      sink_.count_launch(endpoint.tag);
      if (wanted < 0 || wanted > capacity_ || state_->malformed != 0) {
        sink_.push(plan_violation(endpoint.tag, wanted));
      }
    }
    if (state_->enabled == 0) return;
    Count verified = 0;
    for_each_chunk<ExecSpace>(
        rank * team.team_size() + team.team_rank(), num_teams_ * team.team_size(),
        wanted < capacity_ ? wanted : capacity_, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const VerifyEntry entry = entries_[i];
            if (entry.slot == padding_slot) continue;
            verify_entry<Chain>(endpoint, entry, i, sink_);
            ++verified;
          }
        });
    // One add a team: all threads of a device adding to one counter would take longer than the
    // rest.
    team.team_reduce(Kokkos::Sum<Count>(verified));
    if (team.team_rank() == 0) sink_.count_entries(endpoint.tag, verified);
  }

 private:
  const VerifyEntry* entries_;
  const VerifyPlanState* state_;
  std::int64_t capacity_;
  EndpointArray<> endpoints_;
  ViolationSink sink_;
  std::int64_t num_teams_;
};

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void verify(const ExecSpace& space, const VerifyPlan<typename ExecSpace::memory_space>& plan,
            std::span<const Endpoint> endpoints,
            const ViolationLog<typename ExecSpace::memory_space>& log,
            const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_verify_plan("verify", "plan", plan.capacity());
  detail::check_verify(endpoints, detail::unreachable_memory<ExecSpace>());
  detail::check_sink("verify", log.capacity(), counters.counts());
  constexpr int team_size = detail::is_host_space<ExecSpace> ? 1 : 256;
  const std::int64_t teams =
      (detail::num_workers(space, plan.capacity()) + team_size - 1) / team_size;
  detail::launch_teams<team_size>(
      "kvcanary::verify", space, teams * static_cast<std::int64_t>(endpoints.size()), 0,
      detail::VerifyKernel<ExecSpace, SplitmixChain>(plan, endpoints, {log, counters}, teams));
}

}  // namespace kvcanary
