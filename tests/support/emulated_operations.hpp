#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "src/plan/plan_by_team.hpp"
#include "src/step/step_impl.hpp"
#include "src/verify/verify_on_device.hpp"
#include "src/verify_requests/verify_requests_on_device.hpp"
#include "src/write/write_by_lane.hpp"
#include "src/write/write_by_scan.hpp"
#include "src/write/write_by_team.hpp"
#include "src/write/write_by_thread.hpp"
#include "tests/support/emulated_team.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// The library's operations on a space: those of a real one, or a device's kernels on emulated
/// teams. Emulated ones draw how large the device is, which of the kernels that can do the work
/// does it, and in which order lanes take turns; from the arguments, so that a case is always the
/// same run.

/// On a real space.
template <class Space>
struct Operations {
  template <class... Arguments>
  static void plan(const Arguments&... arguments) {
    kvcanary::plan(arguments...);
  }
  template <class... Arguments>
  static void write(const Arguments&... arguments) {
    kvcanary::write(arguments...);
  }
  template <class... Arguments>
  static void write_requests(const Arguments&... arguments) {
    kvcanary::write_requests(arguments...);
  }
  template <class... Arguments>
  static void step(const Arguments&... arguments) {
    kvcanary::step(arguments...);
  }
  template <class... Arguments>
  static void verify(const Arguments&... arguments) {
    kvcanary::verify(arguments...);
  }
  template <class... Arguments>
  static void verify_requests(const Arguments&... arguments) {
    kvcanary::verify_requests(arguments...);
  }
};

/// On the teams of an emulated one.
template <class Tuning>
class EmulatedOperations {
 public:
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Memory = Space::memory_space;
  using Log = kvcanary::ViolationLog<Memory>;
  using Counters = kvcanary::LaunchCounters<Memory>;

  static void plan(const Space&, const kvcanary::RequestBatch& batch,
                   const kvcanary::WritePlan<Memory>& write_plan) {
    using namespace kvcanary::detail;
    using Kernel = PlanWriteByTeam<EmulatedMember, Tuning>;
    Rng rng = rng_of(batch.request_rows, batch.prefix_lengths);
    emulate(Kernel(PlanArgs(batch, write_plan)), rng.between(1, 4), Kernel::scratch_bytes, rng);
  }

  static void plan(const Space&, const kvcanary::RequestBatch& batch,
                   const kvcanary::WritePlan<Memory>& write_plan,
                   const kvcanary::VerifyPlan<Memory>& verify_plan) {
    using namespace kvcanary::detail;
    using Kernel = PlanByTeam<EmulatedMember, Tuning>;
    Rng rng = rng_of(batch.request_rows, batch.prefix_lengths);
    const auto request_teams = static_cast<int>(rng.between(1, 4));
    emulate(Kernel(PlanArgs(batch, write_plan, verify_plan), request_teams),
            request_teams + rng.between(1, 4), Kernel::scratch_bytes, rng);
  }

  static void verify(const Space&, const kvcanary::VerifyPlan<Memory>& plan,
                     std::span<const kvcanary::Endpoint> endpoints, const Log& log,
                     const Counters& counters) {
    using namespace kvcanary::detail;
    Rng rng(test_settings::seed() + static_cast<std::uint64_t>(plan.capacity()) + endpoints.size());
    if (endpoints.size() == 1 && rng.chance(50)) {
      verify(VerifyArgs<1>(plan, endpoints, {log, counters}), rng);
    } else {
      verify(VerifyArgs<>(plan, endpoints, {log, counters}), rng);
    }
  }

  static void write(const Space& space, const kvcanary::WritePlan<Memory>& plan,
                    const kvcanary::TokenBatch& batch,
                    std::span<const kvcanary::Endpoint> endpoints, const Log& log,
                    const Counters& counters) {
    const kvcanary::WriteJob<Memory> job{plan, batch, endpoints};
    write(space, std::span<const kvcanary::WriteJob<Memory>>(&job, 1), log, counters);
  }

  static void write(const Space&, std::span<const kvcanary::WriteJob<Memory>> jobs, const Log& log,
                    const Counters& counters) {
    using namespace kvcanary::detail;
    Rng rng = rng_of(jobs[0].batch.tokens, jobs[0].batch.slots);
    if (jobs[0].batch.max_entries_per_request == 0) {
      return write_long<PlannedRequests>(jobs, log, counters, rng);
    }
    const WriteArgs<PlannedRequests> args(jobs, log, counters);
    needs_kv_work(args.endpoints, rng) ? write_by_thread<kvcanary::KVWork::few>(args)
                                       : write_by_thread<kvcanary::KVWork::none>(args);
  }

  static void write_requests(const Space&, std::span<const kvcanary::StepJob> jobs,
                             const kvcanary::WriteScratch<Memory>&, const Log& log,
                             const Counters& counters) {
    using namespace kvcanary::detail;
    Rng rng = rng_of(jobs[0].tokens.tokens, jobs[0].tokens.slots);
    if (jobs[0].tokens.max_entries_per_request == 0) {
      return write_long<BatchRequests>(jobs, log, counters, rng);
    }
    const WriteArgs<BatchRequests> args(jobs, log, counters);
    needs_kv_work(args.endpoints, rng) ? write_by_lane<kvcanary::KVWork::few>(args, rng)
                                       : write_by_lane<kvcanary::KVWork::none>(args, rng);
  }

  static void step(const Space& space, kvcanary::StepSide side,
                   std::span<const kvcanary::StepJob> jobs,
                   const kvcanary::WriteScratch<Memory>& scratch, const Log& log,
                   const Counters& counters) {
    using namespace kvcanary::detail;
    using enum kvcanary::VerifyEnd;
    const bool is_head = side == kvcanary::StepSide::head;
    const VerifyJobsOfStep verified(jobs, is_head ? prefix : whole_step);
    if (jobs[0].tokens.max_entries_per_request != 0) {
      Rng rng = rng_of(jobs[0].tokens.tokens, jobs[0].requests.prefix_lengths);
      const WriteArgs<BatchRequests> args(jobs, log, counters);
      const VerifyJobArray<> prefixes(VerifyJobsOfStep(jobs, prefix).span());
      needs_kv_work(args.endpoints, rng)
          ? step_at_once<kvcanary::KVWork::few>(side, prefixes, args, rng)
          : step_at_once<kvcanary::KVWork::none>(side, prefixes, args, rng);
      return;
    }
    if (is_head) verify_requests(space, verified.span(), log, counters);
    write_requests(space, jobs, scratch, log, counters);
    if (!is_head) verify_requests(space, verified.span(), log, counters);
  }

  static void verify_requests(const Space&, std::span<const kvcanary::VerifyJob> jobs,
                              const Log& log, const Counters& counters) {
    using namespace kvcanary::detail;
    const ViolationSink sink(log, counters);
    Rng rng = rng_of(jobs[0].batch.prefix_lengths, jobs[0].batch.request_rows);
    if (jobs.size() == 1 && jobs[0].endpoints.size() == 1 && rng.chance(50)) {
      verify_requests(VerifyJobArray<1, 1>(jobs), sink, rng);
    } else {
      verify_requests(VerifyJobArray<>(jobs), sink, rng);
    }
  }

 private:
  static Rng rng_of(const kvcanary::IntSpan& first, const kvcanary::IntSpan& second) {
    std::uint64_t hash = test_settings::seed();
    for (const kvcanary::IntSpan* span : {&first, &second}) {
      const kvcanary::detail::IntArray array(*span);
      for (std::int64_t i = 0; i < span->size(); ++i) {
        hash = kvcanary::splitmix64(hash ^ static_cast<std::uint64_t>(array[i]));
      }
    }
    return Rng(hash);
  }

  template <class Kernel>
  static void emulate(const Kernel& kernel, std::int64_t league_size, std::size_t scratch_bytes,
                      Rng& rng) {
    ::emulate(kernel, {.league_size = static_cast<int>(league_size),
                       .team_size = Kernel::team_size,
                       .warp_width = Tuning::warp_width,
                       .scratch_bytes = scratch_bytes,
                       .seed = rng.bits()});
  }

  static constexpr std::int64_t max_scan_teams = 6;

  /// Whether a kernel that hashes KV bytes must do it, or does it all the same.
  template <class Endpoints>
  static bool needs_kv_work(const Endpoints& endpoints, Rng& rng) {
    return kvcanary::detail::kv_work_of(endpoints.span()) != kvcanary::KVWork::none ||
           rng.chance(20);
  }

  template <class Requests, class Job>
  static void write_long(std::span<const Job> jobs, const Log& log, const Counters& counters,
                         Rng& rng) {
    using namespace kvcanary::detail;
    using Args = WriteArgs<Requests>;
    const Args splitmix(jobs, log, counters, {.splitmix = true, .polynomial = false});
    if (splitmix.num_jobs > 0) {
      needs_kv_kernel<Tuning>(splitmix.endpoints) || rng.chance(20)
          ? write_by_team<true>(splitmix, rng)
          : write_by_team<false>(splitmix, rng);
    }
    const Args polynomial(jobs, log, counters, {.splitmix = false, .polynomial = true});
    if (polynomial.num_jobs > 0) {
      needs_kv_work(polynomial.endpoints, rng) ? write_by_scan<true>(polynomial, rng)
                                               : write_by_scan<false>(polynomial, rng);
    }
  }

  /// Threads of a small device.
  static std::int64_t concurrency(Rng& rng) {
    return rng.between(1, 4) * Tuning::threads_per_multiprocessor;
  }

  /// As much KV work as the endpoints ask for. A kernel that can do more is slow at times, but
  /// right.
  static kvcanary::KVWork some_kv_work(std::span<const kvcanary::detail::EndpointArgs> endpoints,
                                       Rng& rng) {
    using kvcanary::KVWork;
    KVWork work = kvcanary::detail::kv_work_of(endpoints);
    if (rng.chance(30)) work = std::max(work, rng.pick<KVWork>({KVWork::one, KVWork::many}));
    if (work > KVWork::few && rng.chance(20)) work = KVWork::few;
    return work;
  }

  template <class Args>
  static void verify(const Args& args, Rng& rng) {
    using kvcanary::KVWork;
    const KVWork work = some_kv_work(args.endpoints.span(), rng);
    if (work == KVWork::none) return verify<KVWork::none>(args, rng);
    if (work == KVWork::few) return verify<KVWork::few>(args, rng);
    verify<KVWork::many>(args, rng);
  }

  template <kvcanary::KVWork kv_work, class Args>
  static void verify(const Args& args, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel = VerifyOnDevice<EmulatedMember, kv_work, Args, Tuning>;
    const auto splits = static_cast<int>(rng.between(1, args.endpoints.count));
    emulate(Kernel(args, splits), splits * rng.between(1, 3), Kernel::scratch_bytes, rng);
  }

  template <kvcanary::KVWork kv_work>
  static void write_by_thread(
      const kvcanary::detail::WriteArgs<kvcanary::detail::PlannedRequests>& args) {
    using namespace kvcanary::detail;
    const WriteByThread<ChainMix::both, kv_work, WriteArgs<PlannedRequests>> kernel(args);
    const std::int64_t workers = kernel.num_workers(args);
    for (std::int64_t worker = 0; worker < workers; ++worker) kernel(worker);
  }

  template <kvcanary::KVWork kv_work>
  static void write_by_lane(
      const kvcanary::detail::WriteArgs<kvcanary::detail::BatchRequests>& args, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel =
        WriteByLane<EmulatedMember, ChainMix::both, kv_work, WriteArgs<BatchRequests>, Tuning>;
    const Kernel kernel(args);
    emulate(kernel, kernel.league_size(), Kernel::scratch_bytes, rng);
  }

  template <kvcanary::KVWork kv_work, class Args>
  static void step_at_once(kvcanary::StepSide side, const kvcanary::detail::VerifyJobArray<>& jobs,
                           const Args& args, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel =
        StepOnDevice<EmulatedMember, ChainMix::both, kv_work, VerifyJobArray<>, Args, Tuning>;
    alignas(16) static std::byte count[LastTeam::bytes] = {};
    const Kernel kernel(side, jobs, args, LastTeam(count), rng.pick<std::int64_t>({1, 1, 2, 3, 8}),
                        rng.between(1, 12));
    emulate(kernel, kernel.league_size(), Kernel::scratch_bytes, rng);
    for (const std::byte byte : count) EXPECT_EQ(byte, std::byte{0}) << "of an earlier step";
  }

  template <bool hashes_kv, class Args>
  static void write_by_team(const Args& args, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel = WriteByTeam<EmulatedMember, hashes_kv, Args, Tuning>;
    const Kernel kernel = write_by_team_kernel<Kernel>(args, concurrency(rng));
    emulate(kernel, kernel.league_size(), Kernel::scratch_bytes_of(args), rng);
  }

  template <bool hashes_kv, class Args>
  static void write_by_scan(const Args& args, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel = WriteByScan<EmulatedMember, hashes_kv, Args, Tuning>;
    // One board for all launches, as a plan has it: nothing of an earlier one may count.
    static std::vector<Words2> board(ScanBoard::bytes(max_scan_teams) / sizeof(Words2) + 1);
    const Kernel kernel =
        write_by_scan_kernel<Kernel>(args, reinterpret_cast<std::byte*>(board.data()),
                                     rng.between(1, max_scan_teams), concurrency(rng));
    emulate(kernel, kernel.league_size(), Kernel::scratch_bytes, rng);
  }

  template <class Jobs>
  static void verify_requests(const Jobs& jobs, const kvcanary::detail::ViolationSink& sink,
                              Rng& rng) {
    using kvcanary::detail::ChainMix;
    const ChainMix chains = kvcanary::detail::chain_mix_of(jobs.endpoints.span());
    if (chains == ChainMix::both || rng.chance(20)) {
      verify_requests<ChainMix::both>(jobs, sink, rng);
    } else if (chains == ChainMix::splitmix) {
      verify_requests<ChainMix::splitmix>(jobs, sink, rng);
    } else {
      verify_requests<ChainMix::polynomial>(jobs, sink, rng);
    }
  }

  template <kvcanary::detail::ChainMix chains, class Jobs>
  static void verify_requests(const Jobs& jobs, const kvcanary::detail::ViolationSink& sink,
                              Rng& rng) {
    using kvcanary::KVWork;
    const KVWork work = some_kv_work(jobs.endpoints.span(), rng);
    if (work == KVWork::none) verify_requests<chains, KVWork::none>(jobs, sink, rng);
    if (work == KVWork::few) verify_requests<chains, KVWork::few>(jobs, sink, rng);
    if (work == KVWork::one) verify_requests<chains, KVWork::one>(jobs, sink, rng);
    if (work == KVWork::many) verify_requests<chains, KVWork::many>(jobs, sink, rng);
  }

  template <kvcanary::detail::ChainMix chains, kvcanary::KVWork kv_work, class Jobs>
  static void verify_requests(Jobs jobs, const kvcanary::detail::ViolationSink& sink, Rng& rng) {
    using namespace kvcanary::detail;
    using Kernel = VerifyRequestsOnDevice<EmulatedMember, chains, kv_work, Jobs, Tuning>;
    Kernel::Split::prepare(jobs, concurrency(rng) / Tuning::warp_width / 8);
    // How the host may split the work, and not only as it does.
    if (rng.chance(50)) {
      jobs.in_pieces = true;
      jobs.num_groups = static_cast<std::int32_t>(rng.between(1, 20));
      jobs.piece_shift = rng.pick<std::int32_t>({0, 1, 2, 5});
    } else if (rng.chance(50)) {
      jobs.in_pieces = false;
      jobs.num_groups = 0;
      for (int j = 0; j < jobs.num_jobs(); ++j) {
        const auto groups = static_cast<std::int32_t>(rng.between(1, 3));
        jobs.items[j].groups_per_request = Divisor(groups);
        jobs.num_groups += jobs.at(j).batch.num_given() * groups;
      }
    }
    const Kernel kernel(jobs, sink);
    emulate(kernel, kernel.league_size(), Kernel::scratch_bytes, rng);
  }
};

template <>
struct Operations<EmulatedCuda> : EmulatedOperations<EmulatedCuda::Tuning> {};
template <>
struct Operations<EmulatedHip> : EmulatedOperations<EmulatedHip::Tuning> {};
