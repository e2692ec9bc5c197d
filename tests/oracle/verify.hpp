#pragma once

#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/report.hpp"

/// \file
/// Checks slots against a plan.
namespace oracle {

void verify(const VerifyPlan& plan, const std::vector<Endpoint>& endpoints, Report& report);

}  // namespace oracle
