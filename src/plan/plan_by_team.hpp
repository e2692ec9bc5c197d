#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/plan/plan_args.hpp"
#include "src/plan/plan_entries.hpp"
#include "src/plan/plan_requests.hpp"

/// \file
/// plan on a device, in one launch: nobody but the device knows lengths, so each team sums them all
/// up, and then has its share of the requests or of the entries.
namespace kvcanary::detail {

/// The write plan alone.
template <class Member, class Tuning>
class PlanWriteByTeam {
  using Requests = PlanRequests<Member, Tuning>;
  using Scratch = typename Requests::Scratch;

 public:
  static constexpr int team_size = Tuning::Plan::team_size, teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

  explicit PlanWriteByTeam(const PlanArgs& args) : args_(args) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Requests requests(args_, team);
    requests.plan(in_scratch<Scratch>(team), team.league_rank(), team.league_size());
  }

 private:
  PlanArgs args_;
};

/// Both plans: the first teams have the requests, the others the entries.
template <class Member, class Tuning>
class PlanByTeam {
  using Requests = PlanRequests<Member, Tuning>;
  using Entries = PlanEntries<Member, Tuning>;
  union Scratch {
    typename Requests::Scratch requests;
    typename Entries::Scratch entries;
  };
  static_assert(sizeof(Scratch) <= Tuning::max_scratch_bytes);

 public:
  static constexpr int team_size = Tuning::Plan::team_size;
  static constexpr int teams_at_once = Tuning::Plan::teams_at_once;
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

  PlanByTeam(const PlanArgs& args, int request_teams)
      : args_(args), request_teams_(request_teams) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    const int rank = team.league_rank();
    if (rank < request_teams_) {
      const Requests requests(args_, team);
      requests.plan(scratch.requests, rank, request_teams_);
    } else {
      const Entries entries(args_, team);
      entries.plan(scratch.entries, rank - request_teams_, team.league_size() - request_teams_);
    }
  }

 private:
  PlanArgs args_;
  int request_teams_;
};

}  // namespace kvcanary::detail
