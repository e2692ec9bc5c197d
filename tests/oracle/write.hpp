#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/report.hpp"

/// \file
/// Stamps the records of the tokens that a step adds.
namespace oracle {

struct TokenBatch {
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> slots;
  std::optional<std::vector<std::int64_t>> expected_tokens = {};
  std::optional<std::vector<std::int64_t>> expected_positions = {};
  std::optional<std::int64_t> num_tokens = {};
  std::optional<std::int64_t> check_positions = {};
};

void write(const WritePlan& plan, const TokenBatch& batch, std::vector<Endpoint>& endpoints,
           Report& report);

}  // namespace oracle
