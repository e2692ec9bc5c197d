#pragma once

#include "src/containers/kv_sources_impl.hpp"
#include "src/containers/launch_counters_impl.hpp"
#include "src/containers/plans_impl.hpp"
#include "src/containers/violation_log_impl.hpp"
#include "src/plan/plan_impl.hpp"
#include "src/step/step_impl.hpp"
#include "src/verify/verify_impl.hpp"
#include "src/verify_requests/verify_requests_impl.hpp"
#include "src/warm_up_impl.hpp"
#include "src/write/write_impl.hpp"

/// \file
/// Everything that is a template of an execution space, for one: used by one file in each folder
/// beside this one.

#define KVCANARY_INSTANTIATE(ExecSpace)                                                            \
  namespace kvcanary {                                                                             \
  using MemorySpace = ExecSpace::memory_space;                                                     \
  template KVSources<MemorySpace>::KVSources(const ExecSpace&, std::span<const KVSource>);         \
  template LaunchCounters<MemorySpace> LaunchCounters<MemorySpace>::allocate(const ExecSpace&);    \
  template void LaunchCounters<MemorySpace>::reset(const ExecSpace&) const;                        \
  template TagCountsTable LaunchCounters<MemorySpace>::fetch(const ExecSpace&) const;              \
  template ViolationLog<MemorySpace> ViolationLog<MemorySpace>::allocate(const ExecSpace&,         \
                                                                         std::int64_t);            \
  template void ViolationLog<MemorySpace>::reset(const ExecSpace&) const;                          \
  template ViolationSnapshot ViolationLog<MemorySpace>::fetch(const ExecSpace&) const;             \
  template Count ViolationLog<MemorySpace>::fetch_total(const ExecSpace&) const;                   \
  template WritePlan<MemorySpace> WritePlan<MemorySpace>::allocate(const ExecSpace&,               \
                                                                   std::int64_t);                  \
  template VerifyPlan<MemorySpace> VerifyPlan<MemorySpace>::allocate(const ExecSpace&,             \
                                                                     std::int64_t);                \
  template void VerifyPlan<MemorySpace>::assign(const ExecSpace&,                                  \
                                                std::span<const VerifyEntry>) const;               \
  template VerifyPlanState VerifyPlan<MemorySpace>::fetch_state(const ExecSpace&) const;           \
  template void warm_up(const ExecSpace&);                                                         \
  template void plan(const ExecSpace&, const RequestBatch&, const WritePlan<MemorySpace>&,         \
                     const VerifyPlan<MemorySpace>&);                                              \
  template void plan(const ExecSpace&, const RequestBatch&, const WritePlan<MemorySpace>&);        \
  template void write(const ExecSpace&, std::span<const WriteJob<MemorySpace>>,                    \
                      const ViolationLog<MemorySpace>&, const LaunchCounters<MemorySpace>&);       \
  template WriteScratch<MemorySpace> WriteScratch<MemorySpace>::allocate(const ExecSpace&);        \
  template void write_requests(const ExecSpace&, std::span<const StepJob>,                         \
                               const WriteScratch<MemorySpace>&, const ViolationLog<MemorySpace>&, \
                               const LaunchCounters<MemorySpace>&);                                \
  template void step(const ExecSpace&, StepSide, std::span<const StepJob>,                         \
                     const WriteScratch<MemorySpace>&, const ViolationLog<MemorySpace>&,           \
                     const LaunchCounters<MemorySpace>&);                                          \
  template void verify(const ExecSpace&, const VerifyPlan<MemorySpace>&,                           \
                       std::span<const Endpoint>, const ViolationLog<MemorySpace>&,                \
                       const LaunchCounters<MemorySpace>&);                                        \
  template void verify_requests(const ExecSpace&, std::span<const VerifyJob>,                      \
                                const ViolationLog<MemorySpace>&,                                  \
                                const LaunchCounters<MemorySpace>&);                               \
  }
