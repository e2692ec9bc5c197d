#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/write_plan.hpp>
#include <kvcanary/write_scratch.hpp>
#include <string>
#include <utility>

#include "src/arguments.hpp"
#include "src/containers/fetch.hpp"
#include "src/write/write_by_scan.hpp"

/// \file
/// The members of WritePlan, WriteScratch and VerifyPlan.
namespace kvcanary {

template <class MemorySpace>
template <class ExecSpace>
WritePlan<MemorySpace> WritePlan<MemorySpace>::allocate(const ExecSpace& space,
                                                        std::int64_t max_requests) {
  detail::check_capacity("WritePlan", "max_requests", max_requests);
  const auto array = [&](const char* label, std::int64_t size) {
    return Kokkos::View<std::int64_t*, MemorySpace>(Kokkos::view_alloc(space, std::string(label)),
                                                    size);
  };
  WritePlan plan;
  plan.offsets = array("kvcanary::write_offsets", max_requests + 1);
  plan.seed_slots = array("kvcanary::seed_slots", max_requests);
  plan.request_rows = array("kvcanary::request_rows", max_requests);
  plan.state = decltype(plan.state)(Kokkos::view_alloc(space, "kvcanary::write_plan_state"));
  plan.scratch = WriteScratch<MemorySpace>::allocate(space);
  return plan;
}

template <class MemorySpace>
template <class ExecSpace>
WriteScratch<MemorySpace> WriteScratch<MemorySpace>::allocate(const ExecSpace& space) {
  return {decltype(bytes)(Kokkos::view_alloc(space, "kvcanary::write_scratch"),
                          detail::write_scratch_bytes(space))};
}

template <class MemorySpace>
template <class ExecSpace>
VerifyPlan<MemorySpace> VerifyPlan<MemorySpace>::allocate(const ExecSpace& space,
                                                          std::int64_t max_entries) {
  detail::check_capacity("VerifyPlan", "max_entries", max_entries);
  VerifyPlan plan;
  plan.entries =
      decltype(plan.entries)(Kokkos::view_alloc(space, "kvcanary::verify_entries"), max_entries);
  plan.state = decltype(plan.state)(Kokkos::view_alloc(space, "kvcanary::verify_plan_state"));
  Kokkos::deep_copy(space, plan.state, VerifyPlanState{});
  return plan;
}

template <class MemorySpace>
template <class ExecSpace>
void VerifyPlan<MemorySpace>::assign(const ExecSpace& space,
                                     std::span<const VerifyEntry> host_entries) const {
  const auto count = static_cast<std::int64_t>(host_entries.size());
  detail::check_assign(count, capacity());
  const VerifyPlanState assigned{.enabled = 1,
                                 .num_entries = count,
                                 .required_entries = count,
                                 .malformed = 0,
                                 .overflows = fetch_state(space).overflows};
  if (count > 0) {
    Kokkos::deep_copy(space,
                      Kokkos::subview(entries, std::pair<std::size_t, std::size_t>(0, count)),
                      host_view(host_entries.data(), host_entries.size()));
  }
  Kokkos::deep_copy(space, state, assigned);
  space.fence("kvcanary::VerifyPlan::assign");
}

template <class MemorySpace>
template <class ExecSpace>
VerifyPlanState VerifyPlan<MemorySpace>::fetch_state(const ExecSpace& space) const {
  return detail::fetch_value(space, state, "kvcanary::VerifyPlan::fetch_state");
}

}  // namespace kvcanary
