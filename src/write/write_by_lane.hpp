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
/// write_by_thread.hpp is where there is a plan. Each team sums up the lengths of the requests
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

  explicit WriteByLane(const Args& args) : writer_(args) {}

  std::int64_t league_size() const {
    const Args& args = writer_.args();
    std::int64_t teams = 0;
    for (int j = 0; j < args.num_jobs; ++j) {
      teams += std::int64_t{args.jobs[j].num_endpoints} * teams_of(args.jobs[j]);
    }
    return teams;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const { run(team, team.league_rank()); }

  /// What a team does, in a kernel that does something else as well. Neighbouring teams have
  /// neighbouring requests of the same endpoint.
  KOKKOS_FUNCTION void run(const Member& team, std::int64_t block) const {
    const Args& args = writer_.args();
    if constexpr (Args::is_single) {
      write(team, args.jobs[0], args.endpoints.items[0], block);
    } else {
      for (int j = 0; j < args.num_jobs; ++j) {
        const Job& job = args.jobs[j];
        const std::int64_t teams = teams_of(job);
        for (int e = 0; e < job.num_endpoints; ++e, block -= teams) {
          if (block >= teams) continue;
          write(team, job, args.endpoints.items[job.first_endpoint + e], block);
          return;
        }
      }
    }
  }

 private:
  static constexpr int num_warps = team_size / warp_width;
  static_assert(num_warps <= warp_width);
  struct Scratch {
    TeamScan<ExtendSums, team_size, warp_width> scan;
    bool is_uneven[num_warps];  ///< some lane of the warp has seen a request that adds no one token
  };

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);

 private:
  /// Teams for each endpoint.
  KOKKOS_FUNCTION static std::int64_t teams_of(const Job& job) {
    return (job.requests.max_requests() + team_size - 1) / team_size;
  }

  /// The requests of a team to an endpoint. As in WriteByThread, nothing waits for a value before
  /// all that it doesn't need is on its way.
  KOKKOS_FUNCTION void write(const Member& team, const Job& job, const EndpointArgs& endpoint,
                             std::int64_t block) const {
    const Args& args = writer_.args();
    const RequestArgs& batch = job.requests.batch;
    const int first = static_cast<int>(block) * team_size, r = first + team.team_rank();
    SlotFinder::List list{};
    RequestArgs::Request found{};
    if (r < batch.num_given()) {
      list = job.requests.finder.list(r);
      found = batch.request(r);
    }
    const std::int64_t wanted = batch.wanted();
    const bool checks_positions = job.checks_positions();
    // Where each request before it adds a token.
    const bool guessed = r < job.tokens_given;
    WriteEntry entry{};
    if (guessed) entry = job.entry(r);
    const int n = batch.num_counted(wanted);
    const bool counts = r < n;
    const SeedPlace seed_place(job.requests.finder, list, found, counts);
    const Sums sums = sums_up_to(team, batch, found, first, n);
    const std::int64_t seed_slot = seed_place.slot(job.requests.finder);
    const Record seed = Args::load_seed(endpoint, seed_slot);
    FewKVBytes kv_bytes = guessed ? Writer::load_kv(endpoint, entry.slot) : FewKVBytes();
    if (counts) {
      const BatchRequests::Request whole = BatchRequests::request(found, sums.before);
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
    if (block == teams_of(job) - 1 && team.team_rank() == team_size - 1) {
      args.count_launch(job, endpoint, {n, wanted != n, sums.all});
    }
  }

  struct Sums {
    std::int64_t before;  ///< tokens of the requests before the lane's
    ExtendSums all;       ///< of those up to and including it
  };

  /// For all lanes of a team, whose first request is `first`, and that of the lane `found`, of `n`
  /// that count.
  KOKKOS_FUNCTION static Sums sums_up_to(const Member& team, const RequestArgs& batch,
                                         const RequestArgs::Request& found, int first, int n) {
    const int rank = team.team_rank(), r = first + rank;
    ExtendSums own, before;
    if (r < n) own.add(found);
    const int looked_at = add_every_team_size(batch, rank, Kokkos::min(first, n), before);
    // In a decode step each adds a token, and there is nothing to sum up.
    const bool is_even = before.tokens == looked_at && own.tokens == (r < n ? 1 : 0) &&
                         before.malformed + own.malformed == 0;
    auto& scratch = in_scratch<Scratch>(team);
    const int lane = Warp::lane_in_warp(team);
    const bool is_uneven = Warp::any(team, !is_even);
    if (lane == 0) scratch.is_uneven[rank / warp_width] = is_uneven;
    team.team_barrier();
    if (!Warp::any(team, lane < num_warps && scratch.is_uneven[lane])) {
      return {Kokkos::min(r, n), {Kokkos::min(r + 1, n), 0}};
    }
    ExtendSums all = scratch.scan.scan(team, before).total;
    team.team_barrier();
    all += scratch.scan.scan(team, own).before;
    const std::int64_t begin = all.tokens;
    all += own;
    return {begin, all};
  }

  /// Adds requests `rank`, `rank` + team_size, ... of the first `count`; returns their number. Some
  /// are on their way from memory together, whether there are so many or not.
  KOKKOS_FUNCTION static int add_every_team_size(const RequestArgs& batch, int rank, int count,
                                                 ExtendSums& sums) {
    constexpr int at_once = Tuning::WriteByLane::requests_at_once;
    int looked_at = 0;
    KVCANARY_SELDOM_LOOP
    for (int q = rank; q < count; q += at_once * team_size) {
      RequestArgs::Request some[at_once];
      for (int i = 0; i < at_once; ++i) {
        some[i] = batch.request(Kokkos::min(q + i * team_size, count - 1));
      }
      for (int i = 0; i < at_once; ++i) {
        if (q + i * team_size >= count) break;
        sums.add(some[i]);
        ++looked_at;
      }
    }
    return looked_at;
  }

  Writer writer_;
};

template <ChainMix chains, class ExecSpace, class Args>
void launch_write_by_lane(const ExecSpace& space, const Args& args) {
  const auto launch = [&]<KVWork kv_work> {
    using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
    using Kernel = WriteByLane<Member, chains, kv_work, Args, Tuning<ExecSpace>>;
    const Kernel kernel(args);
    launch_teams<Kernel::team_size>("kvc::write_lane", space, kernel.league_size(),
                                    Kernel::scratch_bytes, kernel);
  };
  kv_work_of(args.endpoints.span()) == KVWork::none ? launch.template operator()<KVWork::none>()
                                                    : launch.template operator()<KVWork::few>();
}

/// With arguments no larger than the jobs need, but for launches of both chains, which are seldom.
template <class ExecSpace, class MemorySpace>
void write_by_lane(const ExecSpace& space, std::span<const StepJob> jobs,
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
