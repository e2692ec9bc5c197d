#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/endpoint.hpp>
#include <type_traits>

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
  std::int64_t begin;    ///< first entry of the request, in a batch; a plan says it
};

/// The entries of one request in a run.
template <class Request>
struct ScanPart {
  int job;
  std::int64_t request;  ///< in the job
  Request found;
  WriteRequest entries;       ///< of the request
  std::int64_t first, count;  ///< those in the run

  KOKKOS_FUNCTION bool is_start() const { return first == entries.begin; }
};

/// Deals out all entries in runs of the same cost. Each team sums up the costs of all requests:
/// nobody but the device knows them. In team scratch.
/// \tparam Shape of the kernel, from the backend's tuning
template <class Args, class Shape, int warp_width>
class ScanSplit {
  static constexpr int team_size = Shape::team_size;
  using Job = typename Args::Job;
  using Requests = typename Job::Requests;
  using Request = typename Requests::Request;

 public:
  using Part = ScanPart<Request>;

  /// What lanes have to see alike of a job.
  struct Size {
    std::int64_t num_requests;
    EntryBounds bounds;
    bool checks_positions;
  };

  /// For all lanes of the team. \param num_warps of all teams
  template <class Member>
  KOKKOS_FUNCTION void prepare(const Member& team, const Args& args, std::int64_t num_warps) {
    const int rank = team.team_rank();
    if (rank < args.num_jobs) {
      sizes_[rank] = size(args.jobs[rank]);
      if constexpr (!Job::has_plan) of_batch_.malformed[rank] = 0;
    }
    team.team_barrier();
    const std::int64_t requests = num_requests(args);
    const std::int64_t of_lane = (requests + team_size - 1) / team_size;
    const std::int64_t last = Kokkos::min(requests, of_lane * (rank + 1));
    Sums sums;
    for (std::int64_t q = of_lane * rank; q < last; ++q) add(args, q, rank, sums);
    const auto sum = scan_.scan(team, sums);
    before_[rank] = sum.before;
    if (rank == 0) {
      requests_of_lane_ = of_lane;
      total_ = sum.total.cost;
      run_cost_ = Kokkos::max(parts_of(total_, num_warps), std::int64_t{Shape::min_run});
      if constexpr (!Job::has_plan) of_batch_.tokens = sum.total.tokens;
    }
    team.team_barrier();
  }

  /// Requests that count, of all jobs.
  KOKKOS_FUNCTION std::int64_t num_requests(const Args& args) const {
    std::int64_t requests = 0;
    for (int j = 0; j < args.num_jobs; ++j) requests += sizes_[j].num_requests;
    return requests;
  }

  /// The job of a request, which becomes that in the job.
  KOKKOS_FUNCTION int job_of(const Args& args, std::int64_t& request) const {
    int j = 0;
    for (; j + 1 < args.num_jobs && request >= sizes_[j].num_requests; ++j) {
      request -= sizes_[j].num_requests;
    }
    return j;
  }

  KOKKOS_FUNCTION const Size& size_of(int job) const { return sizes_[job]; }
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
  KOKKOS_FUNCTION ScanRun run_of(const Args& args, std::int64_t warp) const {
    const std::int64_t begin = Kokkos::min(warp * run_cost_, total_);
    int low = 0, high = team_size;  // the last lane whose requests begin no later
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (before_[middle].cost <= begin ? low : high) = middle;
    }
    return {low * requests_of_lane_, begin - before_[low].cost,
            Kokkos::min(run_cost_, total_ - begin), first_entry(args, low)};
  }

  /// Takes the next part from a run. False when there is none, and `part` is as it was. For all
  /// lanes of a warp, which see the same: requests may change.
  template <class Member>
  KOKKOS_FUNCTION bool take_part(const Member& team, const Args& args, ScanRun& run,
                                 Part& part) const {
    for (const std::int64_t n = num_requests(args); run.cost > 0 && run.request < n;) {
      std::int64_t r = run.request;
      const int j = job_of(args, r);
      const Request found =
          Warp<warp_width>::from_lane(team, request(args.jobs[j], r, run.begin), 0);
      const WriteRequest entries = clamp_request(found, sizes_[j].bounds);
      const std::int64_t all = entries.end - entries.begin,
                         cost = cost_of(args.jobs[j], found, all);
      const std::int64_t skip = run.skip, taken = Kokkos::min(run.cost, cost - skip);
      const std::int64_t count = Kokkos::min(all - skip, run.cost);
      if (count > 0) part = {j, r, found, entries, entries.begin + skip, count};
      run = {run.request + 1, Kokkos::max(skip - cost, std::int64_t{0}),
             run.cost - Kokkos::max(taken, std::int64_t{0}), found.end};
      if (count > 0) return true;
    }
    return false;
  }

  /// Calls `body(job, request in the job, what was found of it)` for all requests, which lanes
  /// `lane` of `num_lanes` of teams `team` of `num_teams` share.
  template <class Body>
  KOKKOS_FUNCTION void for_each_request(const Args& args, int lane, int num_lanes, int team,
                                        int num_teams, const Body& body) const {
    const std::int64_t n = num_requests(args);
    if constexpr (Job::has_plan) {
      const std::int64_t all = std::int64_t{num_teams} * num_lanes;
      for (std::int64_t q = std::int64_t{team} * num_lanes + lane; q < n; q += all) {
        std::int64_t r = q;
        const int j = job_of(args, r);
        body(j, r, args.jobs[j].requests.request(r));
      }
    } else {
      // Those of one lane's are looked at in turn, to know where their entries begin.
      for (int of = lane; of < team_size; of += num_lanes) {
        const std::int64_t first = of * requests_of_lane_;
        const std::int64_t last = Kokkos::min(n, first + requests_of_lane_);
        std::int64_t begin = first_entry(args, of), turn = first + team;
        for (std::int64_t q = first; q < last; ++q) {
          std::int64_t r = q;
          const int j = job_of(args, r);
          const Request found = request(args.jobs[j], r, begin);
          begin = found.end;
          if (q != turn) continue;
          turn += num_teams;
          body(j, r, found);
        }
      }
    }
  }

  /// What all requests of a job add up to.
  KOKKOS_FUNCTION typename Requests::Totals totals(const Args& args, int job) const {
    if constexpr (Job::has_plan) {
      return args.jobs[job].requests.totals();
    } else {
      int next = job + 1;
      while (next < args.num_jobs && sizes_[next].num_requests == 0) ++next;
      const std::int64_t end = next < args.num_jobs ? tokens_before(next) : of_batch_.tokens;
      const std::int64_t tokens = sizes_[job].num_requests == 0 ? 0 : end - tokens_before(job);
      const std::int64_t n = sizes_[job].num_requests;
      return {n, args.jobs[job].requests.batch.wanted() != n, {tokens, of_batch_.malformed[job]}};
    }
  }

 private:
  /// What the requests of some lanes add up to.
  struct Costs {
    std::int64_t cost = 0;

    KOKKOS_FUNCTION Costs& operator+=(const Costs& other) {
      cost += other.cost;
      return *this;
    }
    KOKKOS_FUNCTION Costs& operator-=(const Costs& other) {
      cost -= other.cost;
      return *this;
    }
  };
  struct CostsAndTokens {
    std::int64_t cost = 0, tokens = 0;

    KOKKOS_FUNCTION CostsAndTokens& operator+=(const CostsAndTokens& other) {
      cost += other.cost;
      tokens += other.tokens;
      return *this;
    }
    KOKKOS_FUNCTION CostsAndTokens& operator-=(const CostsAndTokens& other) {
      cost -= other.cost;
      tokens -= other.tokens;
      return *this;
    }
  };
  using Sums = std::conditional_t<Job::has_plan, Costs, CostsAndTokens>;

  KOKKOS_FUNCTION static Size size(const Job& job) {
    if constexpr (Job::has_plan) {
      const std::int64_t n = job.requests.num_requests(job.requests.totals());
      return {n, job.bounds(n), job.checks_positions()};
    } else {
      return {job.requests.batch.num_counted(), job.bounds(), job.checks_positions()};
    }
  }

  /// \param begin its first entry, which a plan says
  KOKKOS_FUNCTION static Request request(const Job& job, std::int64_t r, std::int64_t begin) {
    if constexpr (Job::has_plan) {
      return job.requests.request(r);
    } else {
      // Of each job, the first request begins with the first entry.
      return Requests::request(job.requests.batch.request(static_cast<int>(r)), r == 0 ? 0 : begin);
    }
  }

  /// Adds a request, counted over all jobs, to the sums of the lane that has it.
  KOKKOS_FUNCTION void add(const Args& args, std::int64_t q, int rank, Sums& sums) {
    std::int64_t r = q;
    const int j = job_of(args, r);
    const Job& job = args.jobs[j];
    if constexpr (Job::has_plan) {
      const WriteRequest entries = clamp_request(job.requests.request(r), sizes_[j].bounds);
      sums.cost += cost_of(entries.end - entries.begin);
    } else {
      const RequestArgs::Request found = job.requests.batch.request(static_cast<int>(r));
      if (r == 0) of_batch_.starts[j] = {rank, sums.tokens};
      if (found.is_malformed) Kokkos::atomic_store(&of_batch_.malformed[j], 1);
      sums.cost += cost_of(job, found.extend);
      sums.tokens += found.extend;
    }
  }

  KOKKOS_FUNCTION static std::int64_t cost_of(std::int64_t entries) {
    return entries > 0 ? entries + Shape::request_cost : 0;
  }
  /// In a batch, the cost of a request doesn't depend on those before it.
  KOKKOS_FUNCTION static std::int64_t cost_of(const Job& job, std::int64_t extend) {
    return cost_of(Kokkos::min(extend, job.tokens_given));
  }
  KOKKOS_FUNCTION static std::int64_t cost_of(const Job& job, const Request& found,
                                              std::int64_t entries) {
    return Job::has_plan ? cost_of(entries) : cost_of(job, found.end - found.begin);
  }

  /// Where, in its job, the entries of a lane's first request begin, in a batch.
  KOKKOS_FUNCTION std::int64_t first_entry(const Args& args, int lane) const {
    if constexpr (Job::has_plan) {
      return 0;
    } else {
      std::int64_t r = lane * requests_of_lane_;
      return r < num_requests(args) ? before_[lane].tokens - tokens_before(job_of(args, r)) : 0;
    }
  }
  /// Tokens of the jobs before one that has requests.
  KOKKOS_FUNCTION std::int64_t tokens_before(int job) const
    requires(!Job::has_plan)
  {
    const JobStart& start = of_batch_.starts[job];
    return before_[start.lane].tokens + start.tokens;
  }

  /// Where a job's first request is.
  struct JobStart {
    int lane;
    std::int64_t tokens;  ///< of the lane's requests before it
  };
  struct OfBatch {
    JobStart starts[max_endpoints];  ///< of jobs that have requests
    int malformed[max_endpoints];    ///< 1: some request is
    std::int64_t tokens;             ///< of all jobs
  };
  struct Nothing {};

  Size sizes_[max_endpoints];
  TeamScan<Sums, team_size, warp_width> scan_;
  Sums before_[team_size];  ///< of the requests before each lane's
  std::int64_t requests_of_lane_, total_, run_cost_;
  std::conditional_t<Job::has_plan, Nothing, OfBatch> of_batch_;
};

}  // namespace kvcanary::detail
