#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/argument_room.hpp"
#include "src/launch.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write on a device with a thread for each request and endpoint, which does everything in its
/// serial loop: the shape for decode, where a request has few entries, and what the other shapes
/// are measured against.
namespace kvcanary::detail {

/// \tparam chains those of the jobs
/// \tparam kv_work none or few: at least what the endpoints ask for
template <ChainMix chains, KVWork kv_work, class Args>
class WriteByThread {
 public:
  explicit WriteByThread(const Args& args) : args_(args) {}

  static std::int64_t num_workers(const Args& args) {
    std::int64_t count = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      count += std::int64_t{args.jobs[j].num_endpoints} * args.jobs[j].plan_capacity;
    }
    return count;
  }

  /// Neighbouring workers have neighbouring requests of the same endpoint.
  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    if constexpr (Args::is_single) {
      write_request(args_.jobs[0], args_.endpoints.items[0], worker);
    } else {
      for (int j = 0; j < args_.num_jobs; ++j) {
        const WriteJobArgs& job = args_.jobs[j];
        for (int e = 0; e < job.num_endpoints; ++e, worker -= job.plan_capacity) {
          if (worker >= job.plan_capacity) continue;
          write_request(job, args_.endpoints.items[job.first_endpoint + e], worker);
          return;
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION void write_request(const WriteJobArgs& job, const EndpointArgs& endpoint,
                                     std::int64_t r) const {
    // A decode step is two round trips to memory, what the plan says and what it points to, and
    // little else: so nothing waits for a value before all that it doesn't need is on its way, and
    // what is only counted and reported comes behind the store.
    const PlannedRequest plan = job.planned(r);
    const WritePlanState plan_state = *job.state;
    const bool checks_positions = job.checks_positions();
    const bool guessed = plan.begin >= 0 && plan.begin < job.tokens_given;
    WriteEntry first{};
    if (guessed) first = job.entry(plan.begin);
    const Record seed = Args::load_seed(endpoint, plan.seed_slot);
    const std::int64_t n = job.num_requests(plan_state);
    const std::int64_t first_offset = job.offsets[0], last_offset = job.offsets[n];
    FewKVBytes kv_bytes = guessed ? load_kv(endpoint, first.slot) : FewKVBytes();
    const WriteRequest request = job.request(plan, job.clamped(first_offset, last_offset));
    if (r < n) {
      if (request.begin < request.end) {
        if (!guessed || request.begin != plan.begin) {
          first = job.entry(request.begin);
          kv_bytes = load_kv(endpoint, first.slot);
        }
        write_entries(job, endpoint, request,
                      Args::start(endpoint, chain_in<chains>(job.chain), plan.seed_slot, seed,
                                  checks_positions),
                      first, kv_bytes);
      }
      args_.check_request(endpoint, plan, request, r);
    }
    if (r == 0) args_.count_launch(job, endpoint, plan_state);
  }

  /// All entries of a request, which has one.
  KOKKOS_FUNCTION void write_entries(const WriteJobArgs& job, const EndpointArgs& endpoint,
                                     const WriteRequest& request, ChainState state, WriteEntry next,
                                     FewKVBytes next_kv) const {
    Count entries = 0;
    for (std::int64_t i = request.begin; i < request.end; ++i) {
      const WriteEntry entry = next;
      const FewKVBytes kv_bytes = next_kv;
      if (i + 1 < request.end) {
        next = job.entry(i + 1);
        next_kv = load_kv(endpoint, next.slot);
      }
      if (entry.slot < 0) continue;
      write_entry(job, endpoint, request, state, i, entry, kv_bytes);
      ++entries;
      if (i + 1 == request.end) break;  // a decode step ends here
      state.hash = chain_step(chain_in<chains>(job.chain), state.hash, entry.token, entry.position);
      state.position = entry.position;
    }
    args_.sink.count_entries(endpoint.tag, entries);
  }

  /// The first KV bytes of a slot, of those that are there.
  KOKKOS_FUNCTION static FewKVBytes load_kv(const EndpointArgs& endpoint, std::int64_t slot) {
    if constexpr (kv_work == KVWork::few) {
      if (slot >= 0 && endpoint.holds_kv(slot)) return endpoint.load_few(slot);
    }
    return {};
  }

  KOKKOS_FUNCTION void write_entry(const WriteJobArgs& job, const EndpointArgs& endpoint,
                                   const WriteRequest& request, const ChainState& before,
                                   std::int64_t i, const WriteEntry& entry,
                                   const FewKVBytes& kv_bytes) const {
    const bool storable = Args::is_plain(job, endpoint, before, entry) ||
                          args_.check(job, endpoint, request, before, i, entry);
    if (!storable) return;
    std::uint64_t kv = 0;
    if constexpr (kv_work == KVWork::few) kv = endpoint.hash_few(entry.slot, kv_bytes).value;
    endpoint.store(entry.slot, {.token = entry.token,
                                .position = entry.position,
                                .prev_hash = static_cast<std::int64_t>(before.hash),
                                .kv_hash = static_cast<std::int64_t>(kv)});
  }

  Args args_;
};

template <ChainMix chains, class ExecSpace, class Args>
void launch_write_by_thread(const ExecSpace& space, const Args& args) {
  const auto launch = [&]<KVWork kv_work> {
    using Kernel = WriteByThread<chains, kv_work, Args>;
    launch_workers("kvc::write_thrd", space, Kernel::num_workers(args), Kernel(args));
  };
  kv_work_of(args.endpoints.span()) == KVWork::none ? launch.template operator()<KVWork::none>()
                                                    : launch.template operator()<KVWork::few>();
}

template <class ExecSpace, class Args>
void launch_write_by_thread(const ExecSpace& space, const Args& args) {
  switch (chain_mix_of(args.endpoints.span())) {
    case ChainMix::splitmix:
      return launch_write_by_thread<ChainMix::splitmix>(space, args);
    case ChainMix::polynomial:
      return launch_write_by_thread<ChainMix::polynomial>(space, args);
    case ChainMix::both:
      return launch_write_by_thread<ChainMix::both>(space, args);
  }
}

/// With arguments no larger than the jobs need.
template <class ExecSpace, class MemorySpace>
void write_by_thread(const ExecSpace& space, std::span<const WriteJob<MemorySpace>> jobs,
                     const ViolationLog<MemorySpace>& log,
                     const LaunchCounters<MemorySpace>& counters) {
  with_room_for(
      num_jobs_of_one_chain(jobs), jobs[0].endpoints.size(), [&]<int num_jobs, int num_endpoints> {
        launch_write_by_thread(space, BasicWriteArgs<num_jobs, num_endpoints>(jobs, log, counters));
      });
}

}  // namespace kvcanary::detail
