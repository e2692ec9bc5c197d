#pragma once

#include <cstdint>
#include <vector>

#include "oracle/report.hpp"
#include "oracle/step.hpp"
#include "oracle/verify_requests.hpp"
#include "tests/support/case.hpp"

/// \file
/// The library's operations on host data, with the signatures of the oracle's.

/// What shapes a launch of write, and must not change what it does: the caller's hint, and, in
/// tests alone, an order to take what only devices take.
enum class WriteShape { unhinted, hinted, by_thread };

/// One job of a write.
struct WriteCall {
  const oracle::WritePlan* plan;
  const oracle::TokenBatch* batch;
  std::vector<oracle::Endpoint>* endpoints;
};

/// Each call uploads its arguments to the memory of Space, runs the operations, and takes back what
/// they may change. The test fails when anything else has changed. Instantiated for every space in
/// run_case.cpp, so that only that file compiles Kokkos code.
template <class Space>
struct Library {
  static void plan(const Layout& layout, const oracle::RequestBatch& batch,
                   oracle::WritePlan& write_plan, oracle::VerifyPlan& verify_plan);

  static void write(const Layout& layout, const std::vector<WriteCall>& jobs, WriteShape shape,
                    std::int64_t log_capacity, oracle::Report& report);

  /// All jobs in one call. The shape is not by_thread, which needs a plan.
  static void write_requests(const Layout& layout, const std::vector<oracle::StepJob>& jobs,
                             WriteShape shape, std::int64_t log_capacity, oracle::Report& report);

  static void verify(const Layout& layout, const oracle::VerifyPlan& plan,
                     const std::vector<oracle::Endpoint>& endpoints, std::int64_t log_capacity,
                     oracle::Report& report);

  /// All jobs in one launch.
  static void verify_requests(const Layout& layout, const std::vector<oracle::VerifyJob>& jobs,
                              std::int64_t log_capacity, oracle::Report& report);

  /// plan, verify and write one after the other, or write before verify where it ends with the last
  /// token, as an engine does, with nothing read back in between.
  static void planned_step(const Layout& layout, const Step& step, Plans& plans,
                           std::vector<oracle::Endpoint>& endpoints, std::int64_t log_capacity,
                           oracle::Report& report);

  /// All jobs in one call of step. The shape is not by_thread.
  static void step(const Layout& layout, oracle::StepSide side,
                   const std::vector<oracle::StepJob>& jobs, WriteShape shape,
                   std::int64_t log_capacity, oracle::Report& report);
};
