#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/host_kv_tile.hpp"
#include "src/launch.hpp"
#include "src/write/host_chains.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write for host cores, with two kinds of workers in one launch. A chain worker has a few requests
/// (host_chains.hpp). A KV worker has a tile of entries, and stores `kv_hash` and nothing else: the
/// chain doesn't depend on it, so that work spreads over all cores, however few requests there are.
namespace kvcanary::detail {

class WriteOnHost {
 public:
  /// How much of a job a worker takes.
  struct WorkerLoad {
    std::int32_t requests, kv_entries;
  };

  WriteOnHost(const WriteArgs& args, const WorkerLoad& load) : args_(args), load_(load) {}

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
    return (job.plan_capacity + load_.requests - 1) / load_.requests;
  }

  std::int64_t num_kv_workers(const WriteJobArgs& job) const {
    bool any = false;
    for (int e = 0; e < job.num_endpoints; ++e) any = any || endpoint(job, e).num_sources > 0;
    return any ? (job.tokens_given + load_.kv_entries - 1) / load_.kv_entries : 0;
  }

  void write_chains(const WriteJobArgs& job, std::int64_t worker) const {
    if (worker == 0) {
      for (int e = 0; e < job.num_endpoints; ++e) {
        args_.count_launch(job, endpoint(job, e), *job.state);
      }
    }
    const std::int64_t n = job.num_requests();
    const std::int64_t first = worker * load_.requests;
    if (first >= n) return;
    const std::int64_t last = std::min(n, first + load_.requests);
    const Count entries =
        job.chain == Chain::splitmix
            ? HostChains<Chain::splitmix>(args_, job, job.bounds(n)).write(first, last)
            : HostChains<Chain::polynomial>(args_, job, job.bounds(n)).write(first, last);
    for (int e = 0; e < job.num_endpoints; ++e) {
      args_.sink.count_entries(endpoint(job, e).tag, entries);
    }
  }

  void write_kv_hashes(const WriteJobArgs& job, std::int64_t worker) const {
    const WriteJobArgs::Bounds bounds = job.bounds(job.num_requests());
    const std::int64_t first = bounds.first + worker * load_.kv_entries;
    const std::int64_t last = std::min(bounds.last, first + load_.kv_entries);
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
    if (count == 0) return;
    HostKVTile kv;
    kv.hash(to, held, count, hashes);
    for (int i = 0; i < count; ++i) to.store_kv_hash(held[i], hashes[i]);
  }

  WriteArgs args_;
  WorkerLoad load_;
};

template <class ExecSpace>
void write_on_host(const ExecSpace& space, const WriteArgs& args) {
  using Tuning = tuning::Host::Write;
  std::int64_t requests = 0, tokens = 0;
  for (int j = 0; j < args.num_jobs; ++j) {
    requests += args.jobs[j].plan_capacity;
    tokens += args.jobs[j].tokens_given;
  }
  // No core may stand idle for the sake of full chains.
  const std::int64_t cores = space.concurrency(), kv_workers = Tuning::kv_workers_per_core * cores;
  const WriteOnHost::WorkerLoad load{
      static_cast<std::int32_t>(
          std::clamp<std::int64_t>(requests / cores, 1, Tuning::max_requests_per_worker)),
      static_cast<std::int32_t>(std::clamp<std::int64_t>(tokens / kv_workers, 1, host_tile_size))};
  const WriteOnHost kernel(args, load);
  launch_workers("kvc::write_host", space, kernel.num_workers(), kernel);
}

}  // namespace kvcanary::detail
