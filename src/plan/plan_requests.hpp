#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/plan.hpp>

#include "src/request_args.hpp"
#include "src/slot_finder.hpp"
#include "src/team.hpp"

/// \file
/// The first part of plan: what each request adds, summed up over the requests before it.
namespace kvcanary::detail {

/// What a request adds to the sums of a plan.
struct PlanSums {
  std::int64_t extend = 0;    ///< entries to be written
  std::int64_t verified = 0;  ///< entries to be verified
  std::int64_t malformed = 0;

  KOKKOS_FUNCTION PlanSums& operator+=(const PlanSums& other) {
    extend += other.extend;
    verified += other.verified;
    malformed += other.malformed;
    return *this;
  }
  KOKKOS_FUNCTION PlanSums& operator-=(const PlanSums& other) {
    extend -= other.extend;
    verified -= other.verified;
    malformed -= other.malformed;
    return *this;
  }
};

/// Where plan's sums go: both plans, or the write plan alone.
struct PlanTargets {
  std::int64_t *offsets, *verify_offsets, *seed_slots, *rows;
  WritePlanState* write_state;
  std::int32_t write_capacity;
  VerifyPlanState* verify_state = nullptr;  ///< null: no verify plan
  std::int64_t verify_capacity = 0;
};

/// What is done for each request, and after all of them.
struct PlanRequests {
  RequestArgs batch;
  SlotFinder finder;
  PlanTargets to;

  /// Stores what a plan says of a request by itself, and returns what it adds to the sums.
  KOKKOS_FUNCTION PlanSums plan_request(int r) const {
    const RequestArgs::Request request = batch.request(r);
    const RequestArgs::Positions verified = batch.positions(request);
    to.rows[r] = request.row;
    to.seed_slots[r] = request.prefix == 0 || request.extend == 0
                           ? no_slot
                           : slot_or_invalid(finder.find(request.row, request.prefix - 1));
    return {request.extend, verified.end - verified.first, request.is_malformed ? 1 : 0};
  }

  /// The sums of the requests up to and including `r`.
  KOKKOS_FUNCTION void store_sums(int r, const PlanSums& sums) const {
    to.offsets[r + 1] = sums.extend;
    if (to.verify_state != nullptr) to.verify_offsets[r + 1] = sums.verified;
  }
  KOKKOS_FUNCTION void store_first() const {
    to.offsets[0] = 0;
    if (to.verify_state != nullptr) to.verify_offsets[0] = 0;
  }

  /// `n` requests count of those `wanted`.
  KOKKOS_FUNCTION void store_states(int n, std::int64_t wanted, const PlanSums& total) const {
    const std::int64_t malformed = total.malformed + (wanted != n ? 1 : 0);
    *to.write_state = {.num_requests = n, .malformed = malformed};
    if (to.verify_state == nullptr) return;
    const bool fits = total.verified <= to.verify_capacity;
    to.verify_state->enabled = fits ? 1 : 0;
    to.verify_state->num_entries = fits ? total.verified : to.verify_capacity;
    to.verify_state->required_entries = total.verified;
    to.verify_state->malformed = malformed;
    if (!fits) ++to.verify_state->overflows;
  }
};

/// On a device, by one team, as many requests at a time as it has lanes.
template <class Member, class Tuning>
class PlanRequestsByTeam {
 public:
  static constexpr int team_size = Tuning::Plan::team_size;

  explicit PlanRequestsByTeam(const PlanRequests& plan) : plan_(plan) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    // One look for all lanes: what rules barriers must be the same for all of them.
    if (team.team_rank() == 0) scratch.wanted = plan_.batch.wanted();
    team.team_barrier();
    const std::int64_t wanted = scratch.wanted;
    const int n = plan_.batch.num_counted(wanted);
    PlanSums total;
    for (int first = 0; first < n; first += team_size) {
      const int r = first + team.team_rank();
      const PlanSums own = r < n ? plan_.plan_request(r) : PlanSums{};
      const auto sum = scratch.scan.scan(team, own);
      PlanSums sums = total;
      sums += sum.before;
      sums += own;
      if (r < n) plan_.store_sums(r, sums);
      total += sum.total;
      team.team_barrier();  // the scratch of the scan is used again
    }
    for (int r = n + team.team_rank(); r < plan_.to.write_capacity; r += team_size) {
      plan_.to.offsets[r + 1] = total.extend;
    }
    if (team.team_rank() > 0) return;
    plan_.store_first();
    plan_.store_states(n, wanted, total);
  }

 private:
  struct Scratch {
    TeamScan<PlanSums, team_size, Tuning::warp_width> scan;
    std::int64_t wanted;
  };

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

 private:
  PlanRequests plan_;
};

/// On a host, by one worker.
class PlanRequestsOnHost {
 public:
  explicit PlanRequestsOnHost(const PlanRequests& plan) : plan_(plan) {}

  void operator()(std::int64_t) const {
    const std::int64_t wanted = plan_.batch.wanted();
    const int n = plan_.batch.num_counted(wanted);
    PlanSums total;
    plan_.store_first();
    for (int r = 0; r < n; ++r) {
      total += plan_.plan_request(r);
      plan_.store_sums(r, total);
    }
    std::fill(plan_.to.offsets + n + 1, plan_.to.offsets + plan_.to.write_capacity + 1,
              total.extend);
    plan_.store_states(n, wanted, total);
  }

 private:
  PlanRequests plan_;
};

}  // namespace kvcanary::detail
