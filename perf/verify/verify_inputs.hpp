#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <deque>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/harness/expect_clean.hpp"
#include "perf/verify/checked_buffers.hpp"
#include "perf/verify/stamper.hpp"
#include "perf/verify/verify_case.hpp"
#include "perf/verify/verify_table.hpp"

/// \file
/// All that a case checks, several sets of it.
namespace kvcanary::perf {

template <class Space>
class VerifyInputs {
 public:
  using Memory = typename Space::memory_space;

  VerifyInputs(const VerifyCase& of, int num_sets) : case_(of), table_(of, num_sets) {
    std::vector<std::span<const Endpoint>> endpoints;
    for (int i = 0; i < of.num_pools(); ++i) {
      endpoints.push_back(buffers_.emplace_back(of, num_sets, of.pool(i)).endpoints());
    }
    const Stamper<Space> stamp(of);
    for (int set = 0; set < num_sets; ++set) {
      stamp(table_, set, endpoints, log_, counters_);
      std::vector<VerifyJob>& jobs = jobs_.emplace_back();
      for (int i = 0; i < of.num_pools(); ++i) {
        jobs.push_back({table_.batch(set, of.pool(i)), endpoints[static_cast<std::size_t>(i)]});
      }
    }
    counters_.reset(Space());
    Kokkos::fence("perf::stamped");
  }

  VerifyInputs(const VerifyInputs&) = delete;  // jobs refer to buffers
  VerifyInputs& operator=(const VerifyInputs&) = delete;

  const VerifyCase& verify_case() const { return case_; }
  int num_sets() const { return static_cast<int>(jobs_.size()); }
  const VerifyTable<Space>& table() const { return table_; }

  /// One for each pool.
  std::span<const VerifyJob> jobs(int set) const { return jobs_[static_cast<std::size_t>(set)]; }

  const ViolationLog<Memory>& log() const { return log_; }
  const LaunchCounters<Memory>& counters() const { return counters_; }

  /// That launches found nothing, in all that there is to check. \throws std::runtime_error
  void expect_all_checked() const {
    expect_clean<Space>(log_);
    const TagCountsTable counts = counters_.fetch(Space());
    for (int i = 0; i < case_.num_pools(); ++i) {
      const auto wanted = static_cast<Count>(case_.positions(case_.pool(i)));
      for (const Endpoint& endpoint : jobs_[0][static_cast<std::size_t>(i)].endpoints) {
        const TagCounts& found = counts[static_cast<std::size_t>(endpoint.tag)];
        if (found.launches > 0 && found.entries == found.launches * wanted) continue;
        throw std::runtime_error(std::to_string(found.entries) + " slots checked in " +
                                 std::to_string(found.launches) + " launches, not " +
                                 std::to_string(wanted) + " in each");
      }
    }
  }

 private:
  VerifyCase case_;
  VerifyTable<Space> table_;
  std::deque<CheckedBuffers<Space>> buffers_;  // stay where they are
  std::vector<std::vector<VerifyJob>> jobs_;
  ViolationLog<Memory> log_ = ViolationLog<Memory>::allocate(Space(), 16);
  LaunchCounters<Memory> counters_ = LaunchCounters<Memory>::allocate(Space());
};

}  // namespace kvcanary::perf
