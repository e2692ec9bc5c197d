#pragma once

#include <cstdint>
#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/report.hpp"

/// \file
/// Checks what the requests of a batch read: defined as plan with a plan that is large enough, and
/// verify.
namespace oracle {

struct VerifyJob {
  RequestBatch batch;
  std::vector<Endpoint> endpoints;
  bool extends_given = true;  ///< otherwise the extend lengths are 0, whatever the batch says
};

/// Entries that a job's plan has to hold.
std::int64_t required_entries(const VerifyJob& job);

/// A plan that holds them.
VerifyPlan verify_plan_of(const VerifyJob& job);

void verify_requests(const std::vector<VerifyJob>& jobs, Report& report);

}  // namespace oracle
