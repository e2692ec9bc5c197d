#include "oracle/write_requests.hpp"

#include <algorithm>
#include <cstdint>

namespace oracle {

WritePlan write_plan_of(const RequestBatch& batch) {
  const std::size_t room = std::max<std::size_t>(1, batch.prefix_lengths.size());
  WritePlan write_plan{std::vector<std::int64_t>(room + 1), std::vector<std::int64_t>(room),
                       std::vector<std::int64_t>(room)};
  VerifyPlan verify_plan;  // holds nothing
  plan(batch, write_plan, verify_plan);
  return write_plan;
}

void write_requests(const RequestBatch& requests, const TokenBatch& tokens,
                    std::vector<Endpoint>& endpoints, Report& report) {
  write(write_plan_of(requests), tokens, endpoints, report);
}

}  // namespace oracle
