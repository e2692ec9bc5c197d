#pragma once

#include <algorithm>
#include <cstdint>

#include "src/host_tile.hpp"
#include "src/kv_tile.hpp"
#include "src/prefetch.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/report_beyond.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// verify_requests on a host: each worker takes an even share of the units, and walks through its
/// requests a tile of positions at a time.
namespace kvcanary::detail {

template <class Chain>
class VerifyRequestsHost {
 public:
  VerifyRequestsHost(const JobArray<>& jobs, const ViolationSink& sink, std::int64_t num_workers)
      : jobs_(jobs), sink_(sink), num_workers_(num_workers) {}

  void operator()(std::int64_t worker) const {
    if (worker == 0) start_report();
    std::int64_t units = 0;
    for (int j = 0; j < jobs_.count; ++j) units += num_units(jobs_.items[j]);
    const std::int64_t begin = units * worker / num_workers_;
    const std::int64_t end = units * (worker + 1) / num_workers_;
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

  /// Consecutive positions of a request, as many as a worker takes at a time; or, however many they
  /// are, all that the table does not reach: a garbage length must not keep a host busy for hours.
  struct Unit {
    std::int64_t begin;  ///< position
    std::int64_t count;
    bool beyond;  ///< the table has no slots for them
  };
  static constexpr std::int64_t unit_size = 1024;

  /// Positions of a request, and the slots before and at each.
  struct Slots {
    std::int64_t begin;
    int count;
    std::int64_t before_and_at[host_tile_size + 1];
    std::uint64_t largest;  ///< of slot - 1, which is larger than any for what is no slot to verify

    const std::int64_t* at() const { return before_and_at + 1; }
    std::int64_t before(int i) const { return before_and_at[i]; }
    /// Whether the endpoint holds all of them and their KV bytes, none of which is the padding
    /// slot.
    bool all_in(const EndpointArgs& endpoint) const {
      const std::int64_t held = std::min(endpoint.num_slots, endpoint.kv_slots);
      return held > 0 && largest < static_cast<std::uint64_t>(held) - 1;
    }
  };

  static std::int64_t num_units(const RequestRange& range) {
    return (range.stop - range.first + unit_size - 1) / unit_size +
           (range.stop < range.end ? 1 : 0);
  }

  static std::int64_t num_units(const JobArgs& job) {
    std::int64_t units = 0;
    for (int r = 0, n = job.batch.count(); r < n; ++r) units += num_units(job.range(r));
    return units;
  }

  static Unit unit_of(const RequestRange& range, std::int64_t index) {
    const std::int64_t begin = range.first + index * unit_size;
    if (begin >= range.stop) return {range.stop, range.end - range.stop, true};
    return {begin, std::min(range.stop - begin, unit_size), false};
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
      const std::int64_t end_unit = first_unit + num_units(request.range);
      for (std::int64_t u = std::max(begin, first_unit); u < std::min(end, end_unit); ++u) {
        verified += verify_unit(job, request, unit_of(request.range, u - first_unit));
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
      report_beyond(jobs_.endpoints, job, request.range.row, request.entry_offset, unit.begin,
                    unit.begin + unit.count, sink_);
      return static_cast<Count>(unit.count);
    }
    // The records of a tile are on their way while the tile before it is verified.
    Slots tiles[2];
    Count skipped = 0;
    look_up(job, request, unit, 0, tiles[0]);
    for (int t = 0; tiles[t % 2].count > 0; ++t) {
      const Slots& slots = tiles[t % 2];
      look_up(job, request, unit, (t + 1) * host_tile_size, tiles[(t + 1) % 2]);
      verify_tile(job, request, slots);
      skipped += static_cast<Count>(std::count(slots.at(), slots.at() + slots.count, padding_slot));
    }
    return static_cast<Count>(unit.count) - skipped;
  }

  /// The slots of a unit from its `done`-th position on; asks for their records.
  void look_up(const JobArgs& job, const Request& request, const Unit& unit, std::int64_t done,
               Slots& slots) const {
    slots.begin = unit.begin + done;
    slots.count = static_cast<int>(std::clamp<std::int64_t>(unit.count - done, 0, host_tile_size));
    if (slots.count == 0) return;
    const std::int64_t row = request.range.row;
    slots.before_and_at[0] = job.resolve.predecessor(row, slots.begin, request.range.first);
    job.resolve.present(row, slots.begin, slots.count, slots.before_and_at + 1);
    slots.largest = 0;
    for (int i = 0; i < slots.count; ++i) {
      slots.largest = std::max(slots.largest, static_cast<std::uint64_t>(slots.at()[i]) - 1);
    }
    // Of two neighbours in a page, both records are in one cache line, or in those of others.
    const int step = job.resolve.page_size() > 1 ? 2 : 1;
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      const EndpointArgs& endpoint = jobs_.endpoints.items[e];
      if (!slots.all_in(endpoint)) continue;
      for (int i = 0; i < slots.count; i += step) prefetch_read(&endpoint.at(slots.at()[i]));
    }
  }

  void verify_tile(const JobArgs& job, const Request& request, const Slots& slots) const {
    HostTile tile;
    tile.count = slots.count;
    tile.first_position = static_cast<std::uint64_t>(slots.begin);
    job.expected.fill(request.range.row, slots.begin, slots.count, tile.expected_token,
                      tile.token_mask);
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      const EndpointArgs& endpoint = jobs_.endpoints.items[e];
      if (load(endpoint, slots, tile) && differences(tile) == 0) continue;
      // One of them is wrong, or special: each on its own.
      for (int i = 0; i < slots.count; ++i) {
        if (slots.at()[i] != padding_slot) verify_one(job, endpoint, request, slots, i);
      }
    }
  }

  /// Returns false when not all that the tile needs is there.
  static bool load(const EndpointArgs& endpoint, const Slots& slots, HostTile& tile) {
    if (!slots.all_in(endpoint)) return false;
    for (int i = 0; i < slots.count; ++i) {
      const Record& record = endpoint.at(slots.at()[i]);
      tile.token[i] = static_cast<std::uint64_t>(record.token);
      tile.position[i] = static_cast<std::uint64_t>(record.position);
      tile.prev_hash[i] = static_cast<std::uint64_t>(record.prev_hash);
      tile.kv_hash[i] = static_cast<std::uint64_t>(record.kv_hash);
    }
    const std::int64_t before = slots.before(0);
    if (before == no_slot) {
      tile.first_hash = Chain::start();
    } else if (before == padding_slot) {
      tile.first_hash = tile.prev_hash[0];
    } else if (endpoint.holds(before)) {
      tile.first_hash = next_hash<Chain>(endpoint.load(before));
    } else {
      return false;
    }
    KVTile kv;
    kv(endpoint, slots.at(), slots.count, tile.expected_kv_hash);
    return true;
  }

  void verify_one(const JobArgs& job, const EndpointArgs& endpoint, const Request& request,
                  const Slots& slots, int i) const {
    const std::int64_t row = request.range.row, position = slots.begin + i;
    verify_entry<Chain>(endpoint,
                        {.slot = slots.at()[i],
                         .position = position,
                         .predecessor = slots.before(i),
                         .expected_token = job.expected(row, position),
                         .request_row = row},
                        position + request.entry_offset, sink_);
  }

  JobArray<> jobs_;
  ViolationSink sink_;
  std::int64_t num_workers_;
};

}  // namespace kvcanary::detail
