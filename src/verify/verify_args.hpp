#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify.hpp>

#include "src/clamp.hpp"
#include "src/endpoint_args.hpp"
#include "src/violation_sink.hpp"

/// \file
/// A VerifyPlan and its endpoints as kernel arguments, and what is reported of a whole plan.
namespace kvcanary::detail {

/// \tparam capacity of endpoints
template <int capacity = max_endpoints>
struct VerifyArgs {
  const VerifyEntry* entries;
  const VerifyPlanState* state;
  std::int64_t max_entries;
  EndpointArray<capacity> endpoints;
  ViolationSink sink;

  template <class MemorySpace>
  VerifyArgs(const VerifyPlan<MemorySpace>& plan, std::span<const Endpoint> of,
             const ViolationSink& sink)
      : entries(plan.entries.data()),
        state(plan.state.data()),
        max_entries(plan.capacity()),
        endpoints(of),
        sink(sink) {}

  /// What one look at the state says.
  struct Plan {
    std::int64_t wanted;       ///< entries, any number
    std::int64_t num_entries;  ///< that are to be verified: none when it is disabled
    bool is_enabled;
  };
  KOKKOS_FUNCTION Plan plan() const {
    const std::int64_t wanted = state->num_entries;
    const bool is_enabled = state->enabled != 0;
    return {wanted, is_enabled ? clamp(wanted, std::int64_t{0}, max_entries) : 0, is_enabled};
  }

  /// Once for each endpoint.
  KOKKOS_FUNCTION void report(const Plan& plan, int e) const {
    const LaunchTag tag = endpoints.items[e].tag;
    if (plan.is_enabled) {
      sink.count_launch(tag);
      sink.count_entries(tag, static_cast<Count>(plan.num_entries));
    } else {
      sink.count_disabled(tag);
    }
    const bool is_count = plan.wanted == clamp(plan.wanted, std::int64_t{0}, max_entries);
    if (!is_count || state->malformed != 0) sink.push_plan(tag, plan.wanted);
  }
};

}  // namespace kvcanary::detail
