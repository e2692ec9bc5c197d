#include "oracle/verify_requests.hpp"

#include "oracle/verify.hpp"

namespace oracle {
namespace {

VerifyPlan plan_of(const VerifyJob& job, std::int64_t capacity) {
  PlanBatch batch = job.batch;
  const std::size_t requests = batch.request_rows.size();
  if (batch.extend_lengths.empty()) batch.extend_lengths.assign(requests, 0);
  WritePlan write_plan{std::vector<std::int64_t>(requests + 1), std::vector<std::int64_t>(requests),
                       std::vector<std::int64_t>(requests)};
  VerifyPlan verify_plan;
  verify_plan.entries.resize(capacity);
  plan(batch, write_plan, verify_plan);
  return verify_plan;
}

}  // namespace

std::int64_t required_entries(const VerifyJob& job) { return plan_of(job, 0).required_entries; }

void verify_requests(const std::vector<VerifyJob>& jobs, Report& report) {
  for (const VerifyJob& job : jobs) {
    verify(plan_of(job, required_entries(job)), job.endpoints, report);
  }
}

}  // namespace oracle
