#pragma once

#include <cstdint>
#include <kvcanary/kvcanary.hpp>

#include "oracle/report.hpp"

/// \file
/// A log and counters in the memory of an execution space.

/// Where the operations of one call report.
template <class Space>
struct Sink {
  using Memory = typename Space::memory_space;

  kvcanary::ViolationLog<Memory> log;
  kvcanary::LaunchCounters<Memory> counters = kvcanary::LaunchCounters<Memory>::allocate();

  explicit Sink(std::int64_t capacity) : log(kvcanary::ViolationLog<Memory>::allocate(capacity)) {}

  void fetch(const Space& space, oracle::Report& report) const {
    const kvcanary::ViolationSnapshot snapshot = log.fetch(space);
    report.total += snapshot.total;
    for (const kvcanary::Violation& v : snapshot.rows) {
      report.violations.push_back({v.launch_tag, v.slot, v.position, v.stored_token,
                                   v.expected_token, v.stored_chain_hash, v.expected_aux,
                                   v.fail_bits, v.request_row, v.entry});
    }
    const kvcanary::TagCountsTable counts = counters.fetch(space);
    for (std::size_t tag = 0; tag < counts.size(); ++tag) {
      report.counts[tag].launches += counts[tag].launches;
      report.counts[tag].entries += counts[tag].entries;
    }
  }
};
