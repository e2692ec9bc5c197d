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
  kvcanary::LaunchCounters<Memory> counters;

  Sink(const Space& space, std::int64_t capacity)
      : log(kvcanary::ViolationLog<Memory>::allocate(space, capacity)),
        counters(kvcanary::LaunchCounters<Memory>::allocate(space)) {}

  void fetch(const Space& space, oracle::Report& report) const {
    const kvcanary::ViolationSnapshot snapshot = log.fetch(space);
    report.total += snapshot.total;
    for (const kvcanary::Violation& row : snapshot.rows) {
      report.violations.push_back(to_oracle(row));
    }
    const kvcanary::TagCountsTable counts = counters.fetch(space);
    for (std::size_t tag = 0; tag < counts.size(); ++tag) {
      report.counts.at(tag).launches += counts[tag].launches;
      report.counts.at(tag).entries += counts[tag].entries;
      report.counts.at(tag).disabled += counts[tag].disabled;
    }
  }

  static oracle::Violation to_oracle(const kvcanary::Violation& row) {
    return {.launch_tag = row.launch_tag,
            .slot = row.slot,
            .position = row.position,
            .stored_token = row.stored_token,
            .expected_token = row.expected_token,
            .stored_chain_hash = row.stored_chain_hash,
            .expected_aux = row.expected_aux,
            .fail_bits = row.fail_bits,
            .request_row = row.request_row,
            .entry = row.entry,
            .expected_position = row.expected_position,
            .stored_kv_hash = row.stored_kv_hash,
            .expected_kv_hash = row.expected_kv_hash};
  }
};
