#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "launch.hpp"
#include "write_args.hpp"

/// \file
/// write for a host core. A chain is bound by the latency of its multiplications, which leaves most
/// of a core idle; so a worker has several requests in its *lanes*, and advances their chains side
/// by side.
namespace kvcanary::detail {

template <class ExecSpace, class Chain>
class WriteLanes {
 public:
  static constexpr int width = 4;       ///< lanes: enough to hide the latency of a chain
  static constexpr int tile_size = 64;  ///< entries a lane at a time: all lanes stay in L1

  /// Each worker takes `requests_per_worker` requests of a job, one after the other.
  WriteLanes(const WriteArgs& args, std::int32_t requests_per_worker)
      : args_(args), requests_per_worker_(requests_per_worker) {}

  static std::int64_t num_workers(const WriteArgs& args, std::int32_t requests_per_worker) {
    std::int64_t count = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      count += workers_of(args.jobs[j], requests_per_worker);
    }
    return count;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    int j = 0;
    while (worker >= workers_of(args_.jobs[j], requests_per_worker_)) {
      worker -= workers_of(args_.jobs[j++], requests_per_worker_);
    }
    const WriteJobArgs& job = args_.jobs[j];
    if (worker == 0) {
      for (int e = 0; e < job.num_endpoints; ++e)
        args_.count_launch(job, endpoint(job, e), *job.state);
    }
    const std::int64_t n = job.num_requests();
    const std::int64_t first = worker * requests_per_worker_;
    if (first < n) write_requests(job, first, std::min(n, first + requests_per_worker_), n);
  }

 private:
  /// A request on its way, and a tile of its entries.
  struct Lane {
    WriteRequest request;
    std::int64_t next;            ///< the entry that comes next; request.end: the lane is free
    int num_chains;               ///< different ones among the endpoints
    int chain_of[max_endpoints];  ///< by endpoint
    std::uint64_t hash[max_endpoints];  ///< by chain
    WriteStart start[max_endpoints];    ///< by endpoint
    std::int64_t token[tile_size], position[tile_size], slot[tile_size];
    std::uint64_t prev_hash[tile_size];  ///< of one chain

    std::int64_t rest() const { return request.end - next; }
  };

  static std::int64_t workers_of(const WriteJobArgs& job, std::int32_t requests_per_worker) {
    return (job.capacity + requests_per_worker - 1) / requests_per_worker;
  }

  const EndpointArgs& endpoint(const WriteJobArgs& job, int e) const {
    return args_.endpoints.items[job.first_endpoint + e];
  }

  void write_requests(const WriteJobArgs& job, std::int64_t r, std::int64_t last,
                      std::int64_t num_requests) const {
    const WriteJobArgs::Bounds bounds = job.bounds(num_requests);
    Lane lanes[width];
    int active = 0;
    Count entries = 0;
    while (true) {
      for (; active < width && r < last; ++r) {
        if (begin(job, lanes[active], bounds, r)) ++active;
      }
      if (active == 0) break;
      entries += advance_tile(job, lanes, active);
      // Free lanes go to the end.
      for (int l = active - 1; l >= 0; --l) {
        if (lanes[l].rest() == 0 && l != --active) lanes[l] = lanes[active];
      }
    }
    for (int e = 0; e < job.num_endpoints; ++e) {
      args_.sink.count_entries(endpoint(job, e).tag, entries);
    }
  }

  /// Puts a request into a lane; says whether it has entries.
  bool begin(const WriteJobArgs& job, Lane& lane, const WriteJobArgs::Bounds& bounds,
             std::int64_t r) const {
    const WritePlanRow plan = job.plan_row(r);
    lane.request = job.request(plan, bounds);
    lane.next = lane.request.begin;
    lane.num_chains = 0;
    for (int e = 0; e < job.num_endpoints; ++e) {
      lane.start[e] = args_.template start<Chain>(job, endpoint(job, e), plan, lane.request, r,
                                                  WriteArgs::load_seed(endpoint(job, e), plan));
      int chain = 0;
      while (chain < lane.num_chains && lane.hash[chain] != lane.start[e].hash) ++chain;
      if (chain == lane.num_chains) lane.hash[lane.num_chains++] = lane.start[e].hash;
      lane.chain_of[e] = chain;
    }
    return lane.rest() > 0;
  }

  /// Advances all lanes by as many entries as each of them has, up to a tile. Returns the number of
  /// entries that are not skipped.
  Count advance_tile(const WriteJobArgs& job, Lane* lanes, int active) const {
    int count = tile_size;
    for (int l = 0; l < active; ++l) {
      count = static_cast<int>(std::min<std::int64_t>(count, lanes[l].rest()));
    }
    for (int l = 0; l < active; ++l) stage(job, lanes[l], count);
    Count entries = advance_first_chains(lanes, active, count);
    for (int l = 0; l < active; ++l) {
      finish(job, lanes[l], 0, count);
      // Endpoints whose seeds differ, as after damage: rare, so one chain at a time.
      for (int chain = 1; chain < lanes[l].num_chains; ++chain) {
        (void)advance<1>(lanes + l, chain, count);
        finish(job, lanes[l], chain, count);
      }
      lanes[l].next += count;
    }
    return entries;
  }

  static void stage(const WriteJobArgs& job, Lane& lane, int count) {
    job.tokens.copy(lane.next, count, lane.token);
    job.positions.copy(lane.next, count, lane.position);
    job.slots.copy(lane.next, count, lane.slot);
  }

  static Count advance_first_chains(Lane* lanes, int active, int count) {
    static_assert(width == 4);
    switch (active) {
      case 4:
        return advance<4>(lanes, 0, count);
      case 3:
        return advance<3>(lanes, 0, count);
      case 2:
        return advance<2>(lanes, 0, count);
      default:
        return advance<1>(lanes, 0, count);
    }
  }

  /// One chain of each of `Lanes` lanes, side by side.
  template <int Lanes>
  static Count advance(Lane* lanes, int chain, int count) {
    std::uint64_t hash[Lanes];
    for (int l = 0; l < Lanes; ++l) hash[l] = lanes[l].hash[chain];
    Count entries = 0;
    for (int i = 0; i < count; ++i) {
      for (int l = 0; l < Lanes; ++l) {
        Lane& lane = lanes[l];
        lane.prev_hash[i] = hash[l];
        const std::uint64_t next = Chain::step(hash[l], lane.token[i], lane.position[i]);
        const bool skipped = lane.slot[i] < 0;
        hash[l] = skipped ? hash[l] : next;
        entries += skipped ? 0 : 1;
      }
    }
    for (int l = 0; l < Lanes; ++l) lanes[l].hash[chain] = hash[l];
    return entries;
  }

  /// Checks and stores a tile in the endpoints that share a chain.
  void finish(const WriteJobArgs& job, const Lane& lane, int chain, int count) const {
    for (int e = 0; e < job.num_endpoints; ++e) {
      if (lane.chain_of[e] != chain) continue;
      const EndpointArgs& to = endpoint(job, e);
      for (int i = 0; i < count; ++i) {
        const WriteEntry entry{lane.token[i], lane.position[i], lane.slot[i]};
        if (entry.slot < 0) continue;
        if (!WriteArgs::is_plain(job, to, lane.start[e], entry.slot) &&
            !args_.check(job, to, lane.request, lane.start[e], lane.next + i, entry,
                         lane.prev_hash[i])) {
          continue;
        }
        to.store(entry.slot,
                 {entry.token, entry.position, static_cast<std::int64_t>(lane.prev_hash[i]),
                  static_cast<std::int64_t>(to.hash_kv(entry.slot).value)});
      }
    }
  }

  WriteArgs args_;
  std::int32_t requests_per_worker_;
};

template <class ExecSpace>
void launch_write_lanes(const ExecSpace& space, const WriteArgs& args) {
  using Kernel = WriteLanes<ExecSpace, SplitmixChain>;
  // A multiple of the width fills the lanes; but no core may stand idle for it.
  std::int64_t capacity = 0;
  for (int j = 0; j < args.num_jobs; ++j) capacity += args.jobs[j].capacity;
  const std::int64_t share = capacity / space.concurrency();
  const auto requests_per_worker =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(share, 1, 4 * Kernel::width));
  launch_workers("kvcanary::write_lanes", space, Kernel::num_workers(args, requests_per_worker),
                 Kernel(args, requests_per_worker));
}

}  // namespace kvcanary::detail
