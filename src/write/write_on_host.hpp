#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "src/host_kv_tile.hpp"
#include "src/launch.hpp"
#include "src/write/host_chains.hpp"
#include "src/write/host_requests.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write for host cores, with two kinds of workers in one launch. A chain worker has a few requests
/// (host_chains.hpp). A KV worker has a tile of entries, and stores `kv_hash` and nothing else: the
/// chain doesn't depend on it, so that work spreads over all cores, however few requests there are.
namespace kvcanary::detail {

template <class Args>
class WriteOnHost {
  using Job = typename Args::Job;
  using Tuning = tuning::Host::Write;

 public:
  /// How much of a job a worker takes.
  struct WorkerLoad {
    std::int64_t requests, kv_entries;
  };

  WriteOnHost(const Args& args, const WorkerLoad& load) : args_(args), load_(load) {}

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
  const EndpointArgs& endpoint(const Job& job, int e) const {
    return args_.endpoints.items[job.first_endpoint + e];
  }

  std::int64_t num_chain_workers(const Job& job) const {
    return (job.requests.max_requests() + load_.requests - 1) / load_.requests;
  }

  std::int64_t num_kv_workers(const Job& job) const {
    bool any = false;
    for (int e = 0; e < job.num_endpoints; ++e) any = any || endpoint(job, e).num_sources > 0;
    return any ? (job.tokens_given + load_.kv_entries - 1) / load_.kv_entries : 0;
  }

  void write_chains(const Job& job, std::int64_t worker) const {
    HostRequests<Job> requests(job);
    if (worker == 0) {
      const auto totals = requests.totals();
      for (int e = 0; e < job.num_endpoints; ++e) {
        args_.count_launch(job, endpoint(job, e), totals);
      }
    }
    std::int64_t first = worker * load_.requests;
    const std::int64_t last = std::min(requests.count(), first + load_.requests);
    if (first >= last) return;
    requests.go_to(first);
    PlannedRequest some[Tuning::requests_at_once];
    Count entries = 0;
    while (first < last) {
      const std::int64_t count = std::min<std::int64_t>(last - first, std::ssize(some));
      std::generate_n(some, count, [&] { return requests.next(); });
      entries +=
          write_chains(job, requests.bounds(), first, {some, static_cast<std::size_t>(count)});
      first += count;
    }
    for (int e = 0; e < job.num_endpoints; ++e) {
      args_.sink.count_entries(endpoint(job, e).tag, entries);
    }
  }

  Count write_chains(const Job& job, const EntryBounds& bounds, std::int64_t first,
                     std::span<const PlannedRequest> requests) const {
    return job.chain == Chain::splitmix
               ? HostChains<Chain::splitmix, Args>(args_, job, bounds).write(first, requests)
               : HostChains<Chain::polynomial, Args>(args_, job, bounds).write(first, requests);
  }

  void write_kv_hashes(const Job& job, std::int64_t worker) const {
    const EntryBounds entries = HostRequests<Job>(job).entries();
    std::int64_t first = entries.first + worker * load_.kv_entries;
    const std::int64_t last = std::min(entries.last, first + load_.kv_entries);
    for (; first < last; first += host_tile_size) {
      for (int e = 0; e < job.num_endpoints; ++e) {
        if (endpoint(job, e).num_sources == 0) continue;
        write_kv_hashes(job.slots, first, std::min(last, first + host_tile_size), endpoint(job, e));
      }
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

  Args args_;
  WorkerLoad load_;
};

template <class ExecSpace, class Args>
void write_on_host(const ExecSpace& space, const Args& args) {
  using Tuning = tuning::Host::Write;
  std::int64_t requests = 0, tokens = 0;
  for (int j = 0; j < args.num_jobs; ++j) {
    requests += args.jobs[j].requests.max_requests();
    tokens += args.jobs[j].tokens_given;
  }
  // No core may stand idle for the sake of full chains.
  const std::int64_t cores = space.concurrency(), kv_workers = Tuning::kv_workers_per_core * cores;
  // But so many workers are enough: those of a batch walk along all lengths before theirs.
  const std::int64_t enough = tuning::Host::Workers::per_core * cores;
  const typename WriteOnHost<Args>::WorkerLoad load{
      std::max(std::clamp<std::int64_t>(requests / cores, 1, Tuning::requests_at_once),
               requests / enough),
      std::max(std::clamp<std::int64_t>(tokens / kv_workers, 1, host_tile_size), tokens / enough)};
  const WriteOnHost<Args> kernel(args, load);
  launch_workers("kvc::write_host", space, kernel.num_workers(), kernel);
}

}  // namespace kvcanary::detail
