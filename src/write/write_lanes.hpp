#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/kv_tile.hpp"
#include "src/launch.hpp"
#include "src/write/chain_lanes.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write for host cores, with two kinds of workers in one launch. A chain worker has a few requests
/// (chain_lanes.hpp). A KV worker has a tile of entries, and stores `kv_hash` and nothing else: the
/// chain doesn't depend on it, so that work spreads over all cores, however few requests there are.
namespace kvcanary::detail {

template <class Chain>
class WriteLanes {
 public:
  /// How much of a job a worker takes.
  struct Shares {
    std::int32_t requests, kv_entries;
  };

  WriteLanes(const WriteArgs& args, const Shares& shares) : args_(args), shares_(shares) {}

  std::int64_t num_workers() const {
    std::int64_t count = 0;
    for (int j = 0; j < args_.num_jobs; ++j) {
      count += num_chain_workers(args_.jobs[j]) + num_kv_workers(args_.jobs[j]);
    }
    return count;
  }

  /// For hosts alone: no KOKKOS_FUNCTION here, nor in what it calls.
  void operator()(std::int64_t worker) const {
    // Chains take longest, so their workers come first.
    for (int j = 0; j < args_.num_jobs; ++j) {
      const std::int64_t count = num_chain_workers(args_.jobs[j]);
      if (worker < count) return write_chains(args_.jobs[j], worker);
      worker -= count;
    }
    for (int j = 0; j < args_.num_jobs; ++j) {
      const std::int64_t count = num_kv_workers(args_.jobs[j]);
      if (worker < count) return write_kv_hashes(args_.jobs[j], worker);
      worker -= count;
    }
  }

 private:
  const EndpointArgs& endpoint(const WriteJobArgs& job, int e) const {
    return args_.endpoints.items[job.first_endpoint + e];
  }

  std::int64_t num_chain_workers(const WriteJobArgs& job) const {
    return (job.capacity + shares_.requests - 1) / shares_.requests;
  }

  std::int64_t num_kv_workers(const WriteJobArgs& job) const {
    bool any = false;
    for (int e = 0; e < job.num_endpoints; ++e) any = any || endpoint(job, e).num_sources > 0;
    return any ? (job.num_tokens + shares_.kv_entries - 1) / shares_.kv_entries : 0;
  }

  void write_chains(const WriteJobArgs& job, std::int64_t worker) const {
    if (worker == 0) {
      for (int e = 0; e < job.num_endpoints; ++e) {
        args_.count_launch(job, endpoint(job, e), *job.state);
      }
    }
    const std::int64_t n = job.num_requests();
    const std::int64_t first = worker * shares_.requests;
    if (first >= n) return;
    const Count entries = ChainLanes<Chain>(args_, job, job.bounds(n))
                              .write(first, std::min(n, first + shares_.requests));
    for (int e = 0; e < job.num_endpoints; ++e) {
      args_.sink.count_entries(endpoint(job, e).tag, entries);
    }
  }

  void write_kv_hashes(const WriteJobArgs& job, std::int64_t worker) const {
    const WriteJobArgs::Bounds bounds = job.bounds(job.num_requests());
    const std::int64_t first = bounds.first + worker * shares_.kv_entries;
    const std::int64_t last = std::min(bounds.last, first + shares_.kv_entries);
    for (int e = 0; e < job.num_endpoints; ++e) {
      if (endpoint(job, e).num_sources > 0)
        write_kv_hashes(job.slots, first, last, endpoint(job, e));
    }
  }

  /// Of entries [first, last), at most host_tile_size.
  static void write_kv_hashes(const IntArray& slots, std::int64_t first, std::int64_t last,
                              const EndpointArgs& to) {
    std::int64_t held[host_tile_size];
    std::uint64_t hashes[host_tile_size];
    int count = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t slot = slots[i];
      if (slot < 0 || !to.holds_kv(slot)) continue;
      to.prefetch(slot);
      held[count++] = slot;
    }
    KVTile kv;
    kv(to, held, count, hashes);
    for (int i = 0; i < count; ++i) to.store_kv_hash(held[i], hashes[i]);
  }

  WriteArgs args_;
  Shares shares_;
};

template <class ExecSpace>
void launch_write_lanes(const ExecSpace& space, const WriteArgs& args) {
  using Kernel = WriteLanes<SplitmixChain>;
  std::int64_t requests = 0, tokens = 0;
  for (int j = 0; j < args.num_jobs; ++j) {
    requests += args.jobs[j].capacity;
    tokens += args.jobs[j].num_tokens;
  }
  // Enough to fill the lanes, several times over; but no core may stand idle for it.
  const std::int64_t cores = space.concurrency();
  constexpr std::int64_t chains = ChainLanes<SplitmixChain>::width;
  const typename Kernel::Shares shares{
      static_cast<std::int32_t>(std::clamp<std::int64_t>(requests / cores, 1, 8 * chains)),
      static_cast<std::int32_t>(std::clamp<std::int64_t>(tokens / (4 * cores), 1, host_tile_size))};
  const Kernel kernel(args, shares);
  launch_workers("kvcanary::write_lanes", space, kernel.num_workers(), kernel);
}

}  // namespace kvcanary::detail
