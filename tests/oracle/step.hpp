#pragma once

#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/report.hpp"
#include "oracle/write.hpp"

/// \file
/// What a step does on one side of a forward pass.
namespace oracle {

enum class StepSide { head, tail };

/// A pool's part of a step.
struct StepJob {
  const RequestBatch* requests;
  const TokenBatch* tokens;
  std::vector<Endpoint>* endpoints;
};

void step(StepSide side, const std::vector<StepJob>& jobs, Report& report);

}  // namespace oracle
