#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/verify.hpp>

#include "src/arguments.hpp"
#include "src/launch.hpp"
#include "src/verify/verify_on_device.hpp"
#include "src/verify/verify_on_host.hpp"

/// \file
/// verify: a kernel for hosts and one for devices.
namespace kvcanary::detail {

template <KVWork kv_work, class ExecSpace, class Args>
void launch_verify(const ExecSpace& space, const Args& args) {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Kernel = VerifyOnDevice<Member, kv_work, Args, Tuning<ExecSpace>>;
  const std::int64_t room = teams_that_fill(space, Kernel::teams_at_once);
  const std::int64_t teams = (args.max_entries - 1) / Kernel::entries_of_team + 1;
  // Few entries are verified in all endpoints at once; many are then read once for all of them.
  const int splits = teams * args.endpoints.count <= room ? args.endpoints.count : 1;
  launch_teams<Kernel::team_size, Kernel::teams_at_once>(
      "kvc::verify", space, std::min(teams, room) * splits, Kernel::scratch_bytes,
      Kernel(args, splits));
}

template <class ExecSpace, class Args>
void verify_on_device(const ExecSpace& space, const Args& args) {
  switch (kv_work_of(args.endpoints.span())) {
    case KVWork::none:
      return launch_verify<KVWork::none>(space, args);
    case KVWork::few:
      return launch_verify<KVWork::few>(space, args);
    case KVWork::one:
    case KVWork::many:
      return launch_verify<KVWork::many>(space, args);
  }
}

template <class ExecSpace>
void verify_on_host(const ExecSpace& space, const VerifyArgs<>& args) {
  const VerifyOnHost kernel(args, num_workers(space, args.max_entries));
  launch_workers("kvc::verify", space, kernel.num_workers(), kernel);
}

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void verify(const ExecSpace& space, const VerifyPlan<typename ExecSpace::memory_space>& plan,
            std::span<const Endpoint> endpoints,
            const ViolationLog<typename ExecSpace::memory_space>& log,
            const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_verify(plan, endpoints, log, counters, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("verify", space);
  const detail::ViolationSink sink(log, counters);
  if constexpr (is_host_space<ExecSpace>) {
    detail::verify_on_host(space, detail::VerifyArgs<>(plan, endpoints, sink));
  } else if (endpoints.size() == 1) {
    detail::verify_on_device(space, detail::VerifyArgs<1>(plan, endpoints, sink));
  } else {
    detail::verify_on_device(space, detail::VerifyArgs<>(plan, endpoints, sink));
  }
}

}  // namespace kvcanary
