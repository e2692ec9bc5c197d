#pragma once

#include "src/plan/plan_impl.hpp"
#include "src/verify/verify_impl.hpp"
#include "src/verify_requests/verify_requests_impl.hpp"
#include "src/write/write_impl.hpp"

/// \file
/// Every operation, once per execution space: used by one file in each folder of backends/.

#define KVCANARY_INSTANTIATE(ExecSpace)                                                         \
  namespace kvcanary {                                                                          \
  template void plan(const ExecSpace&, const PlanBatch&,                                        \
                     const WritePlan<ExecSpace::memory_space>&,                                 \
                     const VerifyPlan<ExecSpace::memory_space>&);                               \
  template void plan(const ExecSpace&, const PlanBatch&,                                        \
                     const WritePlan<ExecSpace::memory_space>&);                                \
  template void write(const ExecSpace&, std::span<const WriteJob<ExecSpace::memory_space>>,     \
                      const ViolationLog<ExecSpace::memory_space>&,                             \
                      const LaunchCounters<ExecSpace::memory_space>&);                          \
  template void verify(const ExecSpace&, const VerifyPlan<ExecSpace::memory_space>&,            \
                       std::span<const Endpoint>, const ViolationLog<ExecSpace::memory_space>&, \
                       const LaunchCounters<ExecSpace::memory_space>&);                         \
  template void verify_requests(const ExecSpace&, std::span<const VerifyJob>,                   \
                                const ViolationLog<ExecSpace::memory_space>&,                   \
                                const LaunchCounters<ExecSpace::memory_space>&);                \
  }
