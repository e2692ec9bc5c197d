#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/argument_room.hpp"
#include "src/launch.hpp"
#include "src/write/serial_writer.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write on a device with a thread for each request and endpoint, which does everything in its
/// serial loop: the shape for decode, where a request has few entries, and what the other shapes
/// are measured against.
namespace kvcanary::detail {

template <ChainMix chains, KVWork kv_work, class Args>
class WriteByThread {
  using Writer = SerialWriter<chains, kv_work, Args>;
  using Job = typename Args::Job;

 public:
  explicit WriteByThread(const Args& args) : writer_(args) {}

  static std::int64_t num_workers(const Args& args) {
    std::int64_t count = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      count += std::int64_t{args.jobs[j].num_endpoints} * args.jobs[j].requests.max_requests();
    }
    return count;
  }

  /// Neighbouring workers have neighbouring requests of the same endpoint.
  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    const Args& args = writer_.args();
    if constexpr (Args::is_single) {
      write_request(args.jobs[0], args.endpoints.items[0], worker);
    } else {
      for (int j = 0; j < args.num_jobs; ++j) {
        const Job& job = args.jobs[j];
        const std::int32_t requests = job.requests.max_requests();
        for (int e = 0; e < job.num_endpoints; ++e, worker -= requests) {
          if (worker >= requests) continue;
          write_request(job, args.endpoints.items[job.first_endpoint + e], worker);
          return;
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION void write_request(const Job& job, const EndpointArgs& endpoint,
                                     std::int64_t r) const {
    // A decode step is two round trips to memory, what the plan says and what it points to, and
    // little else: so nothing waits for a value before all that it doesn't need is on its way, and
    // what is only counted and reported comes behind the store.
    const PlannedRequest plan = job.requests.request(r);
    const WritePlanState totals = job.requests.totals();
    const bool checks_positions = job.checks_positions();
    const bool guessed = plan.begin >= 0 && plan.begin < job.tokens_given;
    WriteEntry first{};
    if (guessed) first = job.entry(plan.begin);
    const Record seed = Args::load_seed(endpoint, plan.seed_slot);
    const std::int64_t n = job.requests.num_requests(totals);
    const std::int64_t* const offsets = job.requests.offsets;
    const std::int64_t first_offset = offsets[0], last_offset = offsets[n];
    FewKVBytes kv_bytes = guessed ? Writer::load_kv(endpoint, first.slot) : FewKVBytes();
    const WriteRequest request = clamp_request(plan, job.bounds(first_offset, last_offset));
    if (r < n) {
      if (request.begin < request.end) {
        if (!guessed || request.begin != plan.begin) {
          first = job.entry(request.begin);
          kv_bytes = Writer::load_kv(endpoint, first.slot);
        }
        writer_.write_entries(job, endpoint, request,
                              Args::start(endpoint, chain_in<chains>(job.chain), plan.seed_slot,
                                          seed, checks_positions),
                              first, kv_bytes);
      }
      writer_.args().check_request(endpoint, plan.end, plan.seed_slot, request, r);
    }
    if (r == 0) writer_.args().count_launch(job, endpoint, totals);
  }

  Writer writer_;
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
        launch_write_by_thread(
            space, WriteArgs<PlannedRequests, num_jobs, num_endpoints>(jobs, log, counters));
      });
}

}  // namespace kvcanary::detail
