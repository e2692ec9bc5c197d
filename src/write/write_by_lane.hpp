#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <span>

#include "src/argument_room.hpp"
#include "src/launch.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"
#include "src/write/serial_writer.hpp"
#include "src/write/write_args.hpp"

/// \file
/// write_requests on a device with a lane for each request and endpoint: the shape for decode, as
/// write_by_thread.hpp is where there is a plan. Each warp sums up the lengths of the requests
/// before its own, and waits for no other.
namespace kvcanary::detail {

template <class Member, ChainMix chains, KVWork kv_work, class Args, class Tuning>
class WriteByLane {
  using Writer = SerialWriter<chains, kv_work, Args>;
  using Job = typename Args::Job;
  static constexpr int warp_width = Tuning::warp_width;
  using Warp = detail::Warp<warp_width>;

 public:
  static constexpr int team_size = Tuning::WriteByLane::team_size;
  static constexpr int warps_per_team = team_size / warp_width;

  explicit WriteByLane(const Args& args) : writer_(args) {}

  std::int64_t league_size() const {
    const Args& args = writer_.args();
    std::int64_t warps = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      warps += std::int64_t{args.jobs[j].num_endpoints} * warps_of(args.jobs[j]);
    }
    return (warps + warps_per_team - 1) / warps_per_team;
  }

  /// Neighbouring warps have neighbouring requests of the same endpoint.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Args& args = writer_.args();
    std::int64_t warp =
        std::int64_t{team.league_rank()} * warps_per_team + team.team_rank() / warp_width;
    if constexpr (Args::is_single) {
      if (warp < warps_of(args.jobs[0])) write(team, args.jobs[0], args.endpoints.items[0], warp);
    } else {
      for (int j = 0; j < args.num_jobs; ++j) {
        const Job& job = args.jobs[j];
        const std::int64_t warps = warps_of(job);
        for (int e = 0; e < job.num_endpoints; ++e, warp -= warps) {
          if (warp >= warps) continue;
          write(team, job, args.endpoints.items[job.first_endpoint + e], warp);
          return;
        }
      }
    }
  }

 private:
  /// Warps for each endpoint.
  KOKKOS_FUNCTION static std::int64_t warps_of(const Job& job) {
    return (job.requests.max_requests() + warp_width - 1) / warp_width;
  }

  /// The requests of a warp to an endpoint. As in WriteByThread, nothing waits for a value before
  /// all that it doesn't need is on its way.
  KOKKOS_FUNCTION void write(const Member& team, const Job& job, const EndpointArgs& endpoint,
                             std::int64_t warp) const {
    const Args& args = writer_.args();
    const RequestArgs& batch = job.requests.batch;
    const int first = static_cast<int>(warp) * warp_width;
    const int r = first + Warp::lane_in_warp(team);
    RequestArgs::Request found{};
    if (r < batch.num_given()) found = batch.request(r);
    const std::int64_t wanted = batch.wanted();
    const bool checks_positions = job.checks_positions();
    // Where each request before it adds a token.
    const bool guessed = r < job.tokens_given;
    WriteEntry entry{};
    if (guessed) entry = job.entry(r);
    const int n = batch.num_counted(wanted);
    const bool counts = r < n;
    const std::int64_t seed_slot =
        counts ? detail::seed_slot(job.requests.finder, found.row, found.prefix, found.extend)
               : no_slot;
    const Record seed = Args::load_seed(endpoint, seed_slot);
    FewKVBytes kv_bytes = guessed ? Writer::load_kv(endpoint, entry.slot) : FewKVBytes();

    ExtendSums own, sums = sums_before(team, batch, Kokkos::min(first, n));
    if (counts) own.add(found);
    sums += Warp::scan(team, own);
    ExtendSums before = sums;
    before -= own;
    if (counts) {
      const BatchRequests::Request whole = BatchRequests::request(found, before.tokens);
      const WriteRequest request = clamp_request(whole, job.bounds());
      if (request.begin < request.end) {
        if (request.begin != r) {
          entry = job.entry(request.begin);
          kv_bytes = Writer::load_kv(endpoint, entry.slot);
        }
        writer_.write_entries(
            job, endpoint, request,
            Args::start(endpoint, chain_in<chains>(job.chain), seed_slot, seed, checks_positions),
            entry, kv_bytes);
      }
      args.check_request(endpoint, whole.end, seed_slot, request, r);
    }
    // The last lane knows what all requests add up to.
    if (warp == warps_of(job) - 1 && Warp::lane_in_warp(team) == warp_width - 1) {
      args.count_launch(job, endpoint, {n, wanted != n, sums});
    }
  }

  /// Of the first `count` requests, by all lanes of a warp.
  KOKKOS_FUNCTION static ExtendSums sums_before(const Member& team, const RequestArgs& batch,
                                                int count) {
    ExtendSums sums;
    for (int q = Warp::lane_in_warp(team); q < count; q += warp_width) sums.add(batch.request(q));
    return Warp::combine(team, sums, [](ExtendSums a, const ExtendSums& b) { return a += b; });
  }

  Writer writer_;
};

template <ChainMix chains, class ExecSpace, class Args>
void launch_write_by_lane(const ExecSpace& space, const Args& args) {
  const auto launch = [&]<KVWork kv_work> {
    using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
    using Kernel = WriteByLane<Member, chains, kv_work, Args, Tuning<ExecSpace>>;
    const Kernel kernel(args);
    launch_teams<Kernel::team_size>("kvc::write_lane", space, kernel.league_size(), 0, kernel);
  };
  kv_work_of(args.endpoints.span()) == KVWork::none ? launch.template operator()<KVWork::none>()
                                                    : launch.template operator()<KVWork::few>();
}

/// With arguments no larger than the jobs need, but for launches of both chains, which are seldom.
template <class ExecSpace, class MemorySpace>
void write_by_lane(const ExecSpace& space, std::span<const WriteRequestsJob> jobs,
                   const ViolationLog<MemorySpace>& log,
                   const LaunchCounters<MemorySpace>& counters) {
  with_room_for(num_jobs_of_one_chain(jobs), jobs[0].endpoints.size(),
                [&]<int num_jobs, int num_endpoints> {
                  const WriteArgs<BatchRequests, num_jobs, num_endpoints> args(jobs, log, counters);
                  switch (chain_mix_of(args.endpoints.span())) {
                    case ChainMix::splitmix:
                      return launch_write_by_lane<ChainMix::splitmix>(space, args);
                    case ChainMix::polynomial:
                      return launch_write_by_lane<ChainMix::polynomial>(space, args);
                    case ChainMix::both:
                      return launch_write_by_lane<ChainMix::both>(
                          space, WriteArgs<BatchRequests>(jobs, log, counters));
                  }
                });
}

}  // namespace kvcanary::detail
