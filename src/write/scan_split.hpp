#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/endpoint.hpp>

#include "src/team.hpp"
#include "src/write/write_args.hpp"

/// \file
/// Which entries a warp of a scan takes.
namespace kvcanary::detail {

/// What a warp takes: consecutive entries of a launch, those of all requests of all jobs one after
/// the other. A request takes as long as its entries, and some more: both are its *cost*.
struct ScanRun {
  std::int64_t request;  ///< where it begins, counted over all jobs
  std::int64_t skip;     ///< cost of the request before that; it may be more than the request has
  std::int64_t cost;     ///< of the run
};

/// The entries of one request in a run.
struct ScanPart {
  int job;
  std::int64_t request;  ///< in the job
  WriteRequest entries;  ///< of the request
  std::int64_t seed_slot;
  std::int64_t first, count;  ///< those in the run

  KOKKOS_FUNCTION bool is_start() const { return first == entries.begin; }
};

/// Deals out all entries in runs of the same cost. Each team sums up the costs of all requests:
/// nobody but the device knows them. In team scratch.
/// \tparam Shape of the kernel, from the backend's tuning
template <class Shape, int warp_width>
class ScanSplit {
  static constexpr int team_size = Shape::team_size;

 public:
  /// For all lanes of the team. \param num_warps of all teams
  template <class Member, class Args>
  KOKKOS_FUNCTION void prepare(const Member& team, const Args& args, std::int64_t num_warps) {
    const int rank = team.team_rank();
    if (rank < args.num_jobs) sizes_[rank] = args.jobs[rank].size();
    team.team_barrier();
    const std::int64_t requests = num_requests(args);
    const std::int64_t of_lane = (requests + team_size - 1) / team_size;
    const std::int64_t last = Kokkos::min(requests, of_lane * (rank + 1));
    std::int64_t cost = 0;
    for (std::int64_t q = of_lane * rank; q < last; ++q) cost += cost_of(num_entries(args, q));
    const auto sum = scan_.scan(team, cost);
    cost_before_[rank] = sum.before;
    if (rank == 0) {
      requests_of_lane_ = of_lane;
      total_ = sum.total;
      run_cost_ = Kokkos::max(parts_of(sum.total, num_warps), std::int64_t{Shape::min_run});
    }
    team.team_barrier();
  }

  /// Requests that count, of all jobs.
  template <class Args>
  KOKKOS_FUNCTION std::int64_t num_requests(const Args& args) const {
    std::int64_t requests = 0;
    for (int j = 0; j < args.num_jobs; ++j) requests += sizes_[j].num_requests;
    return requests;
  }

  /// The job of a request, which becomes that in the job.
  template <class Args>
  KOKKOS_FUNCTION int job_of(const Args& args, std::int64_t& request) const {
    int j = 0;
    for (; j + 1 < args.num_jobs && request >= sizes_[j].num_requests; ++j) {
      request -= sizes_[j].num_requests;
    }
    return j;
  }

  KOKKOS_FUNCTION const WriteJobArgs::Size& size_of(int job) const { return sizes_[job]; }
  KOKKOS_FUNCTION std::int64_t run_cost() const { return run_cost_; }

  /// `total` / `parts`, rounded up. Divisions of 64 bits take long on a device.
  KOKKOS_FUNCTION static std::int64_t parts_of(std::int64_t total, std::int64_t parts) {
    const auto sum = static_cast<std::uint64_t>(total + parts - 1);
    if ((sum | static_cast<std::uint64_t>(parts)) >> 32 != 0) return (total + parts - 1) / parts;
    return static_cast<std::uint32_t>(sum) / static_cast<std::uint32_t>(parts);
  }

  /// Whether warps from this one on, counted over all teams, have nothing to do.
  KOKKOS_FUNCTION bool is_beyond(std::int64_t warp) const { return warp * run_cost_ >= total_; }

  /// The run of a warp.
  KOKKOS_FUNCTION ScanRun run_of(std::int64_t warp) const {
    const std::int64_t begin = Kokkos::min(warp * run_cost_, total_);
    int low = 0, high = team_size;  // the last lane whose requests begin no later
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (cost_before_[middle] <= begin ? low : high) = middle;
    }
    return {low * requests_of_lane_, begin - cost_before_[low],
            Kokkos::min(run_cost_, total_ - begin)};
  }

  /// Takes the next part from a run. False when there is none. For all lanes of a warp, which see
  /// the same: plans may change.
  template <class Member, class Args>
  KOKKOS_FUNCTION bool take_part(const Member& team, const Args& args, ScanRun& run,
                                 ScanPart& part) const {
    for (const std::int64_t n = num_requests(args); run.cost > 0 && run.request < n;) {
      std::int64_t r = run.request;
      const int j = job_of(args, r);
      const PlannedRequest plan = Warp<warp_width>::from_lane(team, args.jobs[j].planned(r), 0);
      const WriteRequest request = args.jobs[j].request(plan, sizes_[j].bounds);
      const std::int64_t entries = request.end - request.begin, cost = cost_of(entries);
      const std::int64_t skip = run.skip, taken = Kokkos::min(run.cost, cost - skip);
      part = {j,
              r,
              request,
              plan.seed_slot,
              request.begin + skip,
              Kokkos::min(entries - skip, run.cost)};
      run = {run.request + 1, Kokkos::max(skip - cost, std::int64_t{0}),
             run.cost - Kokkos::max(taken, std::int64_t{0})};
      if (part.count > 0) return true;
    }
    return false;
  }

 private:
  template <class Args>
  KOKKOS_FUNCTION std::int64_t num_entries(const Args& args, std::int64_t request) const {
    const int j = job_of(args, request);
    const WriteRequest found =
        args.jobs[j].request(args.jobs[j].planned(request), sizes_[j].bounds);
    return found.end - found.begin;
  }

  KOKKOS_FUNCTION static std::int64_t cost_of(std::int64_t entries) {
    return entries > 0 ? entries + Shape::request_cost : 0;
  }

  WriteJobArgs::Size sizes_[max_endpoints];
  TeamScan<std::int64_t, team_size, warp_width> scan_;
  std::int64_t cost_before_[team_size];  ///< that of each lane's requests
  std::int64_t requests_of_lane_, total_, run_cost_;
};

}  // namespace kvcanary::detail
