#include "oracle/verify_requests.hpp"

#include <numeric>

#include "oracle/verify.hpp"

namespace oracle {
namespace {

RequestBatch batch_of(const VerifyJob& job) {
  RequestBatch batch = job.batch;
  if (!job.extends_given) batch.extend_lengths.assign(batch.prefix_lengths.size(), 0);
  return batch;
}

}  // namespace

VerifyPlan verify_plan_of(const VerifyJob& job) {
  const std::size_t requests = job.batch.prefix_lengths.size();
  WritePlan write_plan{std::vector<std::int64_t>(requests + 1), std::vector<std::int64_t>(requests),
                       std::vector<std::int64_t>(requests)};
  VerifyPlan verify_plan;
  verify_plan.entries.resize(required_entries(job));
  plan(batch_of(job), write_plan, verify_plan);
  return verify_plan;
}

namespace {

/// The request of every entry of the job's plan.
std::vector<std::int64_t> requests_of_entries(const VerifyJob& job) {
  std::vector<std::int64_t> requests;
  std::int64_t r = 0;
  for (const std::int64_t count : verified_positions(batch_of(job))) {
    requests.insert(requests.end(), count, r++);
  }
  return requests;
}

}  // namespace

std::int64_t required_entries(const VerifyJob& job) {
  const std::vector<std::int64_t> counts = verified_positions(batch_of(job));
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void verify_requests(const std::vector<VerifyJob>& jobs, Report& report) {
  for (const VerifyJob& job : jobs) {
    const std::vector<std::int64_t> requests = requests_of_entries(job);
    const std::size_t first = report.violations.size();
    verify(verify_plan_of(job), job.endpoints, report);
    for (std::size_t i = first; i < report.violations.size(); ++i) {
      std::int64_t& entry = report.violations[i].entry;
      if (entry >= 0) entry = requests.at(entry);
    }
  }
}

}  // namespace oracle
