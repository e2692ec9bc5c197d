#pragma once

#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/report.hpp"
#include "oracle/write.hpp"

/// \file
/// Stamps what the requests of a batch add: defined as plan with a plan that is large enough, and
/// write.
namespace oracle {

WritePlan write_plan_of(const RequestBatch& batch);

void write_requests(const RequestBatch& requests, const TokenBatch& tokens,
                    std::vector<Endpoint>& endpoints, Report& report);

}  // namespace oracle
