#pragma once

#include <cstdint>

#include "kv_tile.hpp"
#include "report_beyond.hpp"
#include "verify_entry.hpp"
#include "verify_jobs.hpp"
#include "violation_sink.hpp"

/// \file
/// verify_requests on a host: each worker takes an even share of the units, and walks through its
/// requests a tile of positions at a time.
namespace kvcanary::detail {

template <class Chain>
class VerifyRequestsHost {
 public:
  /// Small enough for the first-level cache, large enough that looking up what the positions of a
  /// tile share costs little.
  static constexpr int tile_size = 64;

  VerifyRequestsHost(const JobArray& jobs, const ViolationSink& sink, std::int64_t num_workers)
      : jobs_(jobs), sink_(sink), num_workers_(num_workers) {}

  void operator()(std::int64_t worker) const {
    if (worker == 0) start_report();
    std::int64_t num_units = 0;
    for (int j = 0; j < jobs_.count; ++j) num_units += units_of(jobs_.items[j]);
    const std::int64_t begin = num_units * worker / num_workers_;
    const std::int64_t end = num_units * (worker + 1) / num_workers_;
    std::int64_t first_unit = 0;
    for (int j = 0; j < jobs_.count && first_unit < end; ++j) {
      verify_job(jobs_.items[j], begin, end, first_unit);
    }
  }

 private:
  /// A request, and where its entries are in the job's plan.
  struct Request {
    RequestRange range;
    std::int64_t entry_offset;  ///< from the position to the index of the entry
  };

  /// Positions of a request, and the slots before and at each.
  struct Tile {
    std::int64_t begin;
    int count;
    std::int64_t slot_before_and_at[tile_size + 1];
    std::int64_t expected_token[tile_size];

    const std::int64_t* slot() const { return slot_before_and_at + 1; }
    const std::int64_t* slot_before() const { return slot_before_and_at; }
  };

  static std::int64_t units_of(const JobArgs& job) {
    std::int64_t units = 0;
    for (int r = 0, n = job.batch.count(); r < n; ++r) units += job.num_units(job.range(r));
    return units;
  }

  /// Launches, and the violations of whole plans.
  void start_report() const {
    for (int j = 0; j < jobs_.count; ++j) {
      const JobArgs& job = jobs_.items[j];
      const int n = job.batch.count();
      bool malformed = job.batch.wanted() != n;
      std::int64_t entries = 0;
      for (int r = 0; r < n; ++r) {
        malformed = malformed || job.batch.is_malformed(r);
        entries += job.batch.num_entries(r);
      }
      for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
        const LaunchTag tag = jobs_.endpoints.items[e].tag;
        sink_.count_launch(tag);
        if (malformed) sink_.push(plan_violation(tag, entries));
      }
    }
  }

  /// The units of a job that are among [begin, end) of those of all jobs; the job's start at
  /// `first_unit`, which moves on to the next job's.
  void verify_job(const JobArgs& job, std::int64_t begin, std::int64_t end,
                  std::int64_t& first_unit) const {
    std::int64_t first_entry = 0;
    Count verified = 0;
    for (int r = 0, n = job.batch.count(); r < n && first_unit < end; ++r) {
      const Request request{job.range(r), first_entry - job.range(r).first};
      const std::int64_t end_unit = first_unit + job.num_units(request.range);
      for (std::int64_t u = std::max(begin, first_unit); u < std::min(end, end_unit); ++u) {
        verified += verify_unit(job, request, unit_of(job, request.range, u - first_unit));
      }
      first_unit = end_unit;
      first_entry += request.range.num_entries();
    }
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      sink_.count_entries(jobs_.endpoints.items[e].tag, verified);
    }
  }

  /// Returns the number of entries that are not skipped.
  Count verify_unit(const JobArgs& job, const Request& request, const Unit& unit) const {
    if (unit.beyond) {
      report_beyond(jobs_, job, request.range.row, request.entry_offset, unit.begin,
                    unit.begin + unit.count, sink_);
      return static_cast<Count>(unit.count);
    }
    Tile tile;
    Count verified = 0;
    for (std::int64_t done = 0; done < unit.count; done += tile_size) {
      tile.begin = unit.begin + done;
      tile.count = static_cast<int>(std::min<std::int64_t>(tile_size, unit.count - done));
      fill(job, request, tile);
      for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
        verify_tile(jobs_.endpoints.items[e], request, tile);
      }
      for (int i = 0; i < tile.count; ++i) verified += tile.slot()[i] != padding_slot ? 1 : 0;
    }
    return verified;
  }

  /// Walks along the pages, so that no position costs a division.
  static void fill(const JobArgs& job, const Request& request, Tile& tile) {
    const std::int64_t row = request.range.row, page_size = job.resolve.page_size();
    const std::int32_t* const entries = job.resolve.entries_of(row);
    std::int64_t column = job.resolve.column_of(tile.begin);
    std::int64_t offset = tile.begin - column * page_size;
    tile.slot_before_and_at[0] = job.resolve.predecessor(row, tile.begin, request.range.first);
    for (int i = 0; i < tile.count; ++i) {
      const std::int64_t slot = job.resolve.in_page(entries[column], offset);
      tile.slot_before_and_at[i + 1] = SlotResolver::present_or_invalid(slot);
      if (++offset < page_size) continue;
      offset = 0;
      ++column;
    }
    const std::int64_t columns = job.expected.columns(row);
    for (int i = 0; i < tile.count; ++i) {
      tile.expected_token[i] = job.expected.at(row, columns, tile.begin + i);
    }
  }

  void verify_tile(const EndpointArgs& endpoint, const Request& request, const Tile& tile) const {
    KVTile<tile_size> kv;
    kv(endpoint, tile.slot(), tile.count);
    // The hash after each record, and whether all but the chain is right. No position waits for the
    // one before it.
    std::uint64_t next[tile_size + 1];
    std::int64_t prev_hash[tile_size];
    bool right[tile_size];
    next[0] = hash_after(endpoint, tile.slot_before()[0]);
    for (int i = 0; i < tile.count; ++i) {
      const bool held = endpoint.holds(tile.slot()[i]);
      const Record record = endpoint.load(held ? tile.slot()[i] : 0);
      next[i + 1] = next_hash<Chain>(record);
      prev_hash[i] = record.prev_hash;
      const std::int64_t token = tile.expected_token[i];
      right[i] = held & (record.position == tile.begin + i) &
                 ((token == -1) | (record.token == token)) & kv.has(i, record.kv_hash);
    }
    for (int i = 0; i < tile.count; ++i) {
      const std::int64_t before = tile.slot_before()[i];
      const bool chained = before == no_slot || endpoint.holds(before);
      const bool right_chain = chained && static_cast<std::uint64_t>(prev_hash[i]) == next[i];
      if (right[i] && (right_chain || before == padding_slot)) continue;
      if (tile.slot()[i] != padding_slot) report(endpoint, request, tile, i);
    }
  }

  static std::uint64_t hash_after(const EndpointArgs& endpoint, std::int64_t slot) {
    if (slot == no_slot) return Chain::start();
    return endpoint.holds(slot) ? next_hash<Chain>(endpoint.load(slot)) : 0;
  }

  void report(const EndpointArgs& endpoint, const Request& request, const Tile& tile, int i) const {
    verify_entry<Chain>(endpoint,
                        {.slot = tile.slot()[i],
                         .position = tile.begin + i,
                         .predecessor = tile.slot_before()[i],
                         .expected_token = tile.expected_token[i],
                         .request_row = request.range.row},
                        tile.begin + i + request.entry_offset, sink_);
  }

  JobArray jobs_;
  ViolationSink sink_;
  std::int64_t num_workers_;
};

}  // namespace kvcanary::detail
