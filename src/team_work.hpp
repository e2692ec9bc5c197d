#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "verify_jobs.hpp"

/// \file
/// Where each unit of a verify_requests lies, worked out by every team of a device for itself: no
/// one else knows the lengths, and a second launch would cost more.
namespace kvcanary::detail {

/// Sums over the requests up to a point.
struct Work {
  std::int64_t units = 0;
  std::int64_t entries = 0;

  KOKKOS_FUNCTION void add(const Work& other) {
    units += other.units;
    entries += other.entries;
  }
};

/// The request that holds a unit.
struct Place {
  int job = 0;
  std::int64_t first_unit = 0, end_unit = 0;  ///< of the request, among those of all jobs
  std::int64_t first_entry = 0;               ///< of the request, in the job's plan
  RequestRange range{};

  KOKKOS_FUNCTION bool holds(std::int64_t unit) const {
    return unit >= first_unit && unit < end_unit;
  }
};

/// In team scratch. Lanes are dealt to the jobs, and each lane takes neighbouring requests of its
/// job: one scan serves any number of requests and jobs.
template <int team_size>
struct TeamWork {
  static constexpr int group = 16;
  static constexpr int num_groups = team_size / group;
  static_assert(team_size % group == 0 && team_size % max_jobs == 0);

  Work of_lane[team_size], of_group[num_groups];
  Work before[team_size + 1];  ///< of each lane, and the sum of all
  int num_requests[max_jobs];

  template <class Member>
  KOKKOS_FUNCTION void divide(const Member& team, const JobArray& jobs) {
    const int lane = team.team_rank();
    const int job = lane / lanes_of(jobs), n = jobs.items[job].batch.count();
    if (lane % lanes_of(jobs) == 0) num_requests[job] = n;
    const int per_lane = (n + lanes_of(jobs) - 1) / lanes_of(jobs);
    const int begin = lane % lanes_of(jobs) * per_lane;
    Work mine;
    for (int r = begin; r < begin + per_lane && r < n; ++r) mine.add(work_of(jobs.items[job], r));
    scan(team, mine);
  }

  KOKKOS_FUNCTION std::int64_t num_units() const { return before[team_size].units; }

  KOKKOS_FUNCTION std::int64_t num_entries(const JobArray& jobs, int job) const {
    const int lanes = lanes_of(jobs);
    return before[(job + 1) * lanes].entries - before[job * lanes].entries;
  }

  /// The place of a unit in [0, num_units()).
  KOKKOS_FUNCTION Place find(const JobArray& jobs, std::int64_t unit) const {
    int lane = 0;
    for (int high = team_size; high - lane > 1;) {
      const int middle = (lane + high) / 2;
      (before[middle].units <= unit ? lane : high) = middle;
    }
    const int lanes = lanes_of(jobs), job = lane / lanes;
    const int per_lane = (num_requests[job] + lanes - 1) / lanes;
    Work at = before[lane];
    for (int r = lane % lanes * per_lane;; ++r) {
      const RequestRange range = jobs.items[job].range(r);
      const std::int64_t end = at.units + jobs.items[job].num_units(range);
      if (unit < end) {
        return {job, at.units, end, at.entries - before[job * lanes].entries, range};
      }
      at.units = end;
      at.entries += range.num_entries();
    }
  }

 private:
  KOKKOS_FUNCTION static int lanes_of(const JobArray& jobs) { return team_size / jobs.count; }

  KOKKOS_FUNCTION static Work work_of(const JobArgs& job, int r) {
    const RequestRange range = job.range(r);
    return {job.num_units(range), range.num_entries()};
  }

  /// before[lane] = sum of the lanes before. Two levels, so that it takes three barriers and some
  /// dozens of scratch loads that don't depend on each other: small batches wait for little else.
  template <class Member>
  KOKKOS_FUNCTION void scan(const Member& team, const Work& mine) {
    const int lane = team.team_rank();
    of_lane[lane] = mine;
    team.team_barrier();
    if (lane < num_groups) of_group[lane] = sum_of(of_lane + lane * group, group, group);
    team.team_barrier();
    Work sum = sum_of(of_group, num_groups, lane / group);
    sum.add(sum_of(of_lane + lane / group * group, group, lane % group));
    before[lane] = sum;
    if (lane == team_size - 1) {
      sum.add(mine);
      before[team_size] = sum;
    }
    team.team_barrier();
  }

  /// Sum of the first `count` of `size` values.
  KOKKOS_FUNCTION static Work sum_of(const Work* values, int size, int count) {
    Work sum;
    for (int i = 0; i < size; ++i) {
      const Work value = values[i];
      if (i < count) sum.add(value);
    }
    return sum;
  }
};

}  // namespace kvcanary::detail
