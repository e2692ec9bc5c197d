#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/write/pool_inputs.hpp"
#include "perf/write/write_case.hpp"

/// \file
/// All that a case writes, several sets of it.
namespace kvcanary::perf {

template <class Space>
class WriteInputs {
 public:
  using Memory = typename Space::memory_space;
  using Job = WriteJob<Memory>;

  WriteInputs(const WriteCase& write_case, int num_sets) : write_case_(write_case) {
    constexpr int first_tags[] = {static_cast<int>(LaunchTag::head_k_full),
                                  static_cast<int>(LaunchTag::head_k_swa)};
    for (int i = 0; i < write_case.num_pools(); ++i) {
      pools_.emplace_back(write_case, num_sets, first_tags[i]);
    }
    for (int set = 0; set < num_sets; ++set) {
      std::vector<Job>& jobs = jobs_.emplace_back();
      for (const PoolInputs<Space>& pool : pools_) {
        jobs.push_back({pool.plan(), pool.batch(set), pool.endpoints()});
        requests_jobs_.push_back({pool.requests(), pool.batch(set), pool.endpoints()});
      }
    }
  }

  WriteInputs(const WriteInputs&) = delete;  // jobs refer to pools
  WriteInputs& operator=(const WriteInputs&) = delete;

  const WriteCase& write_case() const { return write_case_; }
  int num_sets() const { return static_cast<int>(jobs_.size()); }
  const std::vector<PoolInputs<Space>>& pools() const { return pools_; }

  /// One for each pool.
  std::span<const Job> jobs(int set) const { return jobs_[static_cast<std::size_t>(set)]; }

  /// The same without plans.
  std::span<const StepJob> requests_jobs(int set) const {
    return std::span<const StepJob>(requests_jobs_)
        .subspan(static_cast<std::size_t>(set) * pools_.size(), pools_.size());
  }

  const ViolationLog<Memory>& log() const { return log_; }
  const LaunchCounters<Memory>& counters() const { return counters_; }

 private:
  WriteCase write_case_;
  std::vector<PoolInputs<Space>> pools_;
  std::vector<std::vector<Job>> jobs_;
  std::vector<StepJob> requests_jobs_;  // of all sets
  ViolationLog<Memory> log_ = ViolationLog<Memory>::allocate(Space(), 16);
  LaunchCounters<Memory> counters_ = LaunchCounters<Memory>::allocate(Space());
};

}  // namespace kvcanary::perf
