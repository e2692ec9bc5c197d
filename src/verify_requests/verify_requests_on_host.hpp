#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/host/tuning.hpp"
#include "src/host_kv_tile.hpp"
#include "src/host_tile.hpp"
#include "src/prefetch.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/report_beyond.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// verify_requests on a host: each worker takes an even share of the units, and walks through its
/// requests a tile of positions at a time.
namespace kvcanary::detail {

class VerifyRequestsOnHost {
 public:
  VerifyRequestsOnHost(const VerifyJobArray<>& jobs, const ViolationSink& sink,
                       std::int64_t num_workers)
      : jobs_(jobs), sink_(sink), num_workers_(num_workers) {}

  void operator()(std::int64_t worker) const {
    if (worker == 0) report_batches();
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
  /// Consecutive positions of a request, as many as a worker takes at a time; or, however many they
  /// are, all before or behind its entries: a garbage length must not keep a host busy for hours.
  struct Unit {
    std::int32_t begin;  ///< position
    std::int32_t count;
    bool beyond;  ///< there are no entries for them
  };
  static constexpr std::int32_t unit_size = tuning::Host::VerifyRequests::unit_size;

  struct Request {
    int index;  ///< in the batch
    VerifiedRange range;
    ExpectedTokenArgs::Tokens expected;
  };

  /// Positions of a request, and the slots before and at each.
  struct Slots {
    std::int32_t begin;
    int count;
    std::int64_t before_and_at[host_tile_size + 1];
    std::uint64_t smallest, largest;  ///< of those at the positions; what is no slot is very large

    const std::int64_t* at() const { return before_and_at + 1; }
    std::int64_t before(int i) const { return before_and_at[i]; }

    /// Whether the endpoint holds all of them and their KV bytes, and none is a padding slot.
    bool all_in(const EndpointArgs& endpoint) const {
      const std::int64_t held = std::min(endpoint.num_slots, endpoint.kv_slots);
      return largest < static_cast<std::uint64_t>(held) && none_in(endpoint.padding);
    }
    bool none_in(const PaddingSlots& padding) const {
      const auto first = static_cast<std::uint64_t>(padding.first);
      if (largest < first || smallest >= first + static_cast<std::uint64_t>(padding.count)) {
        return true;
      }
      return std::none_of(at(), at() + count,
                          [&](std::int64_t slot) { return padding.contains(slot); });
    }
  };

  static std::int64_t num_units(const VerifiedRange& range) {
    return (range.first < range.start ? 1 : 0) + (range.count() + unit_size - 1) / unit_size +
           (range.stop < range.end ? 1 : 0);
  }

  static std::int64_t num_units(const VerifyJobArgs& job) {
    std::int64_t units = 0;
    for (int r = 0, n = job.batch.num_counted(); r < n; ++r) units += num_units(job.range(r));
    return units;
  }

  static Unit unit_of(const VerifiedRange& range, std::int64_t index) {
    if (range.first < range.start && index-- == 0) {
      return {range.first, range.start - range.first, true};
    }
    const std::int64_t begin = range.start + index * unit_size;
    if (begin >= range.stop) return {range.stop, range.end - range.stop, true};
    const auto first = static_cast<std::int32_t>(begin);
    return {first, std::min(range.stop - first, unit_size), false};
  }

  /// Launches, entries, and the violations of whole batches.
  void report_batches() const {
    for (int j = 0; j < jobs_.count; ++j) {
      const VerifyJobArgs& job = jobs_.items[j];
      const std::int64_t wanted = job.batch.wanted();
      const int n = job.batch.num_counted(wanted);
      bool malformed = wanted != n;
      std::int64_t entries = 0;
      for (int r = 0; r < n; ++r) {
        const RequestArgs::Request request = job.batch.request(r);
        const RequestArgs::Positions positions = job.batch.positions(request);
        malformed = malformed || request.is_malformed;
        entries += positions.end - positions.first;
      }
      for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
        const LaunchTag tag = jobs_.endpoints.items[e].tag;
        sink_.count_launch(tag);
        sink_.count_entries(tag, static_cast<Count>(entries));
        if (malformed) sink_.push_plan(tag, entries);
      }
    }
  }

  /// The units of a job that are among [begin, end) of those of all jobs; the job's start at
  /// `first_unit`, which moves on to the next job's.
  void verify_job(const VerifyJobArgs& job, std::int64_t begin, std::int64_t end,
                  std::int64_t& first_unit) const {
    for (int r = 0, n = job.batch.num_counted(); r < n && first_unit < end; ++r) {
      const VerifiedRange range = job.range(r);
      const std::int64_t end_unit = first_unit + num_units(range);
      if (end_unit > begin) {
        const Request request{r, range, job.expected.tokens_of(r, range.row)};
        for (std::int64_t u = std::max(begin, first_unit); u < std::min(end, end_unit); ++u) {
          verify_unit(job, request, unit_of(range, u - first_unit));
        }
      }
      first_unit = end_unit;
    }
  }

  void verify_unit(const VerifyJobArgs& job, const Request& request, const Unit& unit) const {
    if (unit.beyond) {
      report_beyond(jobs_.endpoints, job, request.index, request.range.row, unit.begin,
                    unit.begin + unit.count, sink_);
      return;
    }
    // The records of a tile are on their way while the tile before it is verified.
    Slots tiles[2];
    look_up(job, request, unit, 0, tiles[0]);
    for (int t = 0; tiles[t % 2].count > 0; ++t) {
      look_up(job, request, unit, (t + 1) * host_tile_size, tiles[(t + 1) % 2]);
      verify_tile(job, request, tiles[t % 2]);
    }
  }

  /// The slots of a unit from its `done`-th position on; asks for their records.
  void look_up(const VerifyJobArgs& job, const Request& request, const Unit& unit,
               std::int32_t done, Slots& slots) const {
    slots.begin = unit.begin + done;
    slots.count = std::clamp(unit.count - done, 0, host_tile_size);
    if (slots.count == 0) return;
    const SlotFinder::SlotRow& row = request.range.slots;
    slots.before_and_at[0] = job.finder.find_predecessor(row, slots.begin, request.range.first);
    job.finder.find_many(row, slots.begin, slots.count, slots.before_and_at + 1);
    slots.smallest = std::numeric_limits<std::uint64_t>::max();
    slots.largest = 0;
    for (int i = 0; i < slots.count; ++i) {
      const auto slot = static_cast<std::uint64_t>(slots.at()[i]);
      slots.smallest = std::min(slots.smallest, slot);
      slots.largest = std::max(slots.largest, slot);
    }
    // Of two neighbours in a page, both records are in one cache line, or in those of others.
    const int step = job.finder.page_size() > 1 ? 2 : 1;
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      const EndpointArgs& endpoint = jobs_.endpoints.items[e];
      if (!slots.all_in(endpoint)) continue;
      for (int i = 0; i < slots.count; i += step) prefetch_read(&endpoint.at(slots.at()[i]));
    }
  }

  void verify_tile(const VerifyJobArgs& job, const Request& request, const Slots& slots) const {
    HostTile tile;
    tile.count = slots.count;
    tile.first_position = static_cast<std::uint64_t>(slots.begin);
    job.expected.copy(request.expected, slots.begin, slots.count, tile.expected_token,
                      tile.token_mask);
    for (int e = job.first_endpoint; e < job.endpoint_end; ++e) {
      const EndpointArgs& endpoint = jobs_.endpoints.items[e];
      if (load(endpoint, slots, tile) && differences(tile) == 0) continue;
      // One of them is wrong, or special: each on its own.
      for (int i = 0; i < slots.count; ++i) verify_one(job, endpoint, request, slots, i);
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
    tile.chain = endpoint.chain;
    const std::int64_t before = slots.before(0);
    if (before == no_slot) {
      tile.first_hash = chain_start();
    } else if (endpoint.holds_token(before)) {
      tile.first_hash = next_hash(endpoint.load(before), endpoint.chain);
    } else if (before == unchecked_slot || endpoint.padding.contains(before)) {
      tile.first_hash = tile.prev_hash[0];
    } else {
      return false;
    }
    HostKVTile kv;
    kv.hash(endpoint, slots.at(), slots.count, tile.expected_kv_hash);
    return true;
  }

  void verify_one(const VerifyJobArgs& job, const EndpointArgs& endpoint, const Request& request,
                  const Slots& slots, int i) const {
    const std::int64_t position = slots.begin + i;
    verify_entry(endpoint,
                 {.slot = slots.at()[i],
                  .position = position,
                  .predecessor = slots.before(i),
                  .expected_token = job.expected.at(request.expected, position),
                  .request_row = request.range.row},
                 request.index, sink_);
  }

  VerifyJobArray<> jobs_;
  ViolationSink sink_;
  std::int64_t num_workers_;
};

}  // namespace kvcanary::detail
