#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/violation_log.hpp>
#include <utility>

#include "src/arguments.hpp"
#include "src/containers/fetch.hpp"

/// \file
/// The members of ViolationLog.
namespace kvcanary {

template <class MemorySpace>
template <class ExecSpace>
ViolationLog<MemorySpace> ViolationLog<MemorySpace>::allocate(const ExecSpace& space,
                                                              std::int64_t capacity) {
  detail::check_capacity("ViolationLog", "capacity", capacity);
  ViolationLog log;
  log.rows_ = decltype(log.rows_)(Kokkos::view_alloc(space, "kvcanary::violations"), capacity);
  log.state_ = decltype(log.state_)(Kokkos::view_alloc(space, "kvcanary::violation_log_state"));
  return log;
}

template <class MemorySpace>
template <class ExecSpace>
void ViolationLog<MemorySpace>::reset(const ExecSpace& space) const {
  using Scalar = Kokkos::View<Count, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(space, Scalar(&state_.data()->begin), Scalar(&state_.data()->end));
}

template <class MemorySpace>
template <class ExecSpace>
ViolationSnapshot ViolationLog<MemorySpace>::fetch(const ExecSpace& space) const {
  const ViolationLogState now = detail::fetch_value(space, state_, "kvcanary::ViolationLog::fetch");
  ViolationSnapshot snapshot{.rows = {}, .total = now.end - now.begin};
  const std::size_t kept = std::min<Count>(snapshot.total, rows_.extent(0));
  if (kept == 0) return snapshot;
  std::vector<SealedViolation> rows(kept);
  Kokkos::deep_copy(space, host_view(rows.data(), kept),
                    Kokkos::subview(rows_, std::pair<std::size_t, std::size_t>(0, kept)));
  space.fence("kvcanary::ViolationLog::fetch");
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& [violation, seal] = rows[i];
    if (seal == seal_of(violation, now.begin + i)) snapshot.rows.push_back(violation);
  }
  return snapshot;
}

template <class MemorySpace>
template <class ExecSpace>
Count ViolationLog<MemorySpace>::fetch_total(const ExecSpace& space) const {
  const ViolationLogState now =
      detail::fetch_value(space, state_, "kvcanary::ViolationLog::fetch_total");
  return now.end - now.begin;
}

}  // namespace kvcanary
