#include "oracle/step.hpp"

#include "oracle/verify_requests.hpp"
#include "oracle/write_requests.hpp"

namespace oracle {
namespace {

void verify(const std::vector<StepJob>& jobs, VerifyEnd end, Report& report) {
  std::vector<VerifyJob> verified;
  for (const StepJob& job : jobs) {
    verified.push_back({*job.requests, *job.endpoints});
    verified.back().batch.verify_end = end;
  }
  verify_requests(verified, report);
}

void write(const std::vector<StepJob>& jobs, Report& report) {
  for (const StepJob& job : jobs) {
    write_requests(*job.requests, *job.tokens, *job.endpoints, report);
  }
}

}  // namespace

void step(StepSide side, const std::vector<StepJob>& jobs, Report& report) {
  if (side == StepSide::head) verify(jobs, VerifyEnd::prefix, report);
  write(jobs, report);
  if (side == StepSide::tail) verify(jobs, VerifyEnd::whole_step, report);
}

}  // namespace oracle
