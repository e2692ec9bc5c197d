#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify.hpp>

#include "src/arguments.hpp"
#include "src/clamp.hpp"
#include "src/endpoint_args.hpp"
#include "src/launch.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/violation_sink.hpp"

/// \file
/// verify: workers walk the entries of the plan, for every endpoint.
namespace kvcanary::detail {

template <class ExecSpace>
class VerifyEntries {
 public:
  template <class MemorySpace>
  VerifyEntries(const VerifyPlan<MemorySpace>& plan, std::span<const Endpoint> endpoints,
                const ViolationSink& sink, std::int64_t num_workers)
      : entries_(plan.entries.data()),
        state_(plan.state.data()),
        capacity_(plan.capacity()),
        endpoints_(endpoints),
        sink_(sink),
        num_workers_(num_workers) {}

  /// There are `num_workers` for each endpoint.
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const EndpointArgs& endpoint = endpoints_.items[index / num_workers_];
    const std::int64_t worker = index % num_workers_, wanted = state_->num_entries;
    const std::int64_t n = clamp(wanted, std::int64_t{0}, capacity_);
    const bool enabled = state_->enabled != 0;
    if (worker == 0) {
      count_work(endpoint, enabled, n);
      if (wanted != n || state_->malformed != 0) sink_.push_plan(endpoint.tag, wanted);
    }
    if (!enabled) return;
    for_each_chunk<ExecSpace>(worker, num_workers_, n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const VerifyEntry entry = entries_[i];
        verify_entry(endpoint, entry, i, sink_);
      }
    });
  }

 private:
  KOKKOS_FUNCTION void count_work(const EndpointArgs& endpoint, bool enabled,
                                  std::int64_t n) const {
    if (!enabled) return sink_.count_disabled(endpoint.tag);
    sink_.count_launch(endpoint.tag);
    sink_.count_entries(endpoint.tag, static_cast<Count>(n));
  }

  const VerifyEntry* entries_;
  const VerifyPlanState* state_;
  std::int64_t capacity_;
  EndpointArray<> endpoints_;
  ViolationSink sink_;
  std::int64_t num_workers_;
};

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void verify(const ExecSpace& space, const VerifyPlan<typename ExecSpace::memory_space>& plan,
            std::span<const Endpoint> endpoints,
            const ViolationLog<typename ExecSpace::memory_space>& log,
            const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_verify(plan, endpoints, log, counters, detail::unreachable_memory<ExecSpace>());
  detail::require_warm("verify", space);
  const std::int64_t workers = detail::num_workers(space, plan.capacity());
  detail::launch_workers(
      "kvc::verify", space, workers * static_cast<std::int64_t>(endpoints.size()),
      detail::VerifyEntries<ExecSpace>(plan, endpoints, {log, counters}, workers));
}

}  // namespace kvcanary
