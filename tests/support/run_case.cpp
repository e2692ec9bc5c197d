#include "tests/support/run_case.hpp"

#include <kvcanary/kvcanary.hpp>

#include "src/write/write_by_thread.hpp"
#include "tests/support/emulated_operations.hpp"
#include "tests/support/sink.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"
#include "tests/support/uploaded_plans.hpp"

namespace {

template <class Space>
void expect_unchanged(const UploadedEndpoints<Space>& uploaded,
                      const std::vector<oracle::Endpoint>& endpoints) {
  std::vector<oracle::Endpoint> after = endpoints;
  uploaded.fetch(after);
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    EXPECT_TRUE(after[i].canary == endpoints[i].canary) << "endpoint " << i << " changed";
  }
}

/// One job of a write in the memory of Space.
template <class Space>
class UploadedWriteCall {
 public:
  UploadedWriteCall(const Layout& layout, const WriteCall& from)
      : plan_(*from.plan), batch_(layout, *from.batch), endpoints_(layout, *from.endpoints) {}

  kvcanary::WriteJob<typename Space::memory_space> job(WriteShape shape) const {
    kvcanary::TokenBatch batch = batch_.batch();
    batch.max_entries_per_request = shape == WriteShape::hinted ? 1 : 0;
    return {plan_.plan(), batch, endpoints_.endpoints()};
  }

  void fetch(const WriteCall& to) const {
    batch_.expect_unchanged();
    EXPECT_TRUE(plan_.fetch() == *to.plan) << "write changed its plan";
    endpoints_.fetch(*to.endpoints);
  }

 private:
  UploadedWritePlan<Space> plan_;
  UploadedTokenBatch<Space> batch_;
  UploadedEndpoints<Space> endpoints_;
};

/// One job of a write_requests, or of a step, in the memory of Space.
template <class Space>
class UploadedStepJob {
 public:
  UploadedStepJob(const Layout& layout, const oracle::StepJob& from)
      : requests_(layout, *from.requests),
        tokens_(layout, *from.tokens),
        endpoints_(layout, *from.endpoints) {}

  kvcanary::StepJob job(WriteShape shape) const {
    kvcanary::TokenBatch tokens = tokens_.batch();
    tokens.max_entries_per_request = shape == WriteShape::hinted ? 1 : 0;
    return {requests_.batch(), tokens, endpoints_.endpoints()};
  }

  void fetch(const oracle::StepJob& to) const {
    requests_.expect_unchanged();
    tokens_.expect_unchanged();
    endpoints_.fetch(*to.endpoints);
  }

 private:
  UploadedRequestBatch<Space> requests_;
  UploadedTokenBatch<Space> tokens_;
  UploadedEndpoints<Space> endpoints_;
};

template <class Space>
using Holder = typename MemoryHolder<Space>::Type;

/// Calls `operation(space, jobs, scratch, log, counters)` with jobs in the memory of Space.
template <class Space, class Operation>
void run_on_step_jobs(const Layout& layout, const std::vector<oracle::StepJob>& calls,
                      WriteShape shape, std::int64_t log_capacity, oracle::Report& report,
                      const Operation& operation) {
  const Space space;
  const auto scratch = kvcanary::WriteScratch<typename Space::memory_space>::allocate(space);
  std::vector<UploadedStepJob<Space>> uploaded;
  std::vector<kvcanary::StepJob> jobs;
  uploaded.reserve(calls.size());  // a vector that grows would move what the spans point to
  for (const oracle::StepJob& call : calls) {
    jobs.push_back(uploaded.emplace_back(layout, call).job(shape));
  }
  const Sink<Space> sink(space, log_capacity);
  operation(space, std::span<const kvcanary::StepJob>(jobs), scratch, sink.log, sink.counters);
  sink.fetch(space, report);
  for (std::size_t i = 0; i < calls.size(); ++i) uploaded[i].fetch(calls[i]);
}

}  // namespace

template <class Space>
void Library<Space>::plan(const Layout& layout, const oracle::RequestBatch& batch,
                          oracle::WritePlan& write_plan, oracle::VerifyPlan& verify_plan) {
  const Holder<Space> space;
  const UploadedRequestBatch<Holder<Space>> uploaded(layout, batch);
  const UploadedWritePlan<Holder<Space>> uploaded_write(write_plan);
  const UploadedVerifyPlan<Holder<Space>> uploaded_verify(verify_plan);
  Operations<Space>::plan(space, uploaded.batch(), uploaded_write.plan(), uploaded_verify.plan());
  const UploadedWritePlan<Holder<Space>> write_only(write_plan);
  Operations<Space>::plan(space, uploaded.batch(), write_only.plan());
  space.fence();
  uploaded.expect_unchanged();
  write_plan = uploaded_write.fetch();
  EXPECT_TRUE(write_only.fetch() == write_plan) << "the write plan alone differs";
  verify_plan = uploaded_verify.fetch();
}

template <class Space>
void Library<Space>::write(const Layout& layout, const std::vector<WriteCall>& calls,
                           WriteShape shape, std::int64_t log_capacity, oracle::Report& report) {
  const Holder<Space> space;
  std::vector<UploadedWriteCall<Holder<Space>>> uploaded;
  std::vector<kvcanary::WriteJob<typename Holder<Space>::memory_space>> jobs;
  for (const WriteCall& call : calls) uploaded.emplace_back(layout, call);
  for (const UploadedWriteCall<Holder<Space>>& call : uploaded) jobs.push_back(call.job(shape));
  const Sink<Holder<Space>> sink(space, log_capacity);
  const std::span<const typename decltype(jobs)::value_type> all = jobs;
  if (shape == WriteShape::by_thread) {
    kvcanary::detail::write_by_thread(space, all, sink.log, sink.counters);
  } else {
    Operations<Space>::write(space, all, sink.log, sink.counters);
  }
  sink.fetch(space, report);
  for (std::size_t i = 0; i < calls.size(); ++i) uploaded[i].fetch(calls[i]);
}

template <class Space>
void Library<Space>::write_requests(const Layout& layout, const std::vector<oracle::StepJob>& jobs,
                                    WriteShape shape, std::int64_t log_capacity,
                                    oracle::Report& report) {
  run_on_step_jobs<Holder<Space>>(
      layout, jobs, shape, log_capacity, report,
      [](const auto&... arguments) { Operations<Space>::write_requests(arguments...); });
}

template <class Space>
void Library<Space>::step(const Layout& layout, oracle::StepSide side,
                          const std::vector<oracle::StepJob>& jobs, WriteShape shape,
                          std::int64_t log_capacity, oracle::Report& report) {
  const auto library_side =
      side == oracle::StepSide::head ? kvcanary::StepSide::head : kvcanary::StepSide::tail;
  run_on_step_jobs<Holder<Space>>(layout, jobs, shape, log_capacity, report,
                                  [=](const auto& space, const auto&... arguments) {
                                    Operations<Space>::step(space, library_side, arguments...);
                                  });
}

template <class Space>
void Library<Space>::verify(const Layout& layout, const oracle::VerifyPlan& plan,
                            const std::vector<oracle::Endpoint>& endpoints,
                            std::int64_t log_capacity, oracle::Report& report) {
  const Holder<Space> space;
  const UploadedVerifyPlan<Holder<Space>> uploaded_plan(plan);
  const UploadedEndpoints<Holder<Space>> uploaded_endpoints(layout, endpoints);
  const Sink<Holder<Space>> sink(space, log_capacity);
  Operations<Space>::verify(space, uploaded_plan.plan(), uploaded_endpoints.endpoints(), sink.log,
                            sink.counters);
  sink.fetch(space, report);
  EXPECT_TRUE(uploaded_plan.fetch() == plan) << "verify changed its plan";
  expect_unchanged(uploaded_endpoints, endpoints);
}

template <class Space>
void Library<Space>::verify_requests(const Layout& layout,
                                     const std::vector<oracle::VerifyJob>& jobs,
                                     std::int64_t log_capacity, oracle::Report& report) {
  const Holder<Space> space;
  std::vector<UploadedRequestBatch<Holder<Space>>> batches;
  std::vector<UploadedEndpoints<Holder<Space>>> endpoints;
  std::vector<kvcanary::VerifyJob> uploaded;
  // A vector that grows would move what the spans point to.
  batches.reserve(jobs.size());
  endpoints.reserve(jobs.size());
  for (const oracle::VerifyJob& job : jobs) {
    batches.emplace_back(layout, job.batch);
    endpoints.emplace_back(layout, job.endpoints);
    uploaded.push_back({batches.back().batch(), endpoints.back().endpoints()});
    if (!job.extends_given) uploaded.back().batch.extend_lengths = {};
  }
  const Sink<Holder<Space>> sink(space, log_capacity);
  Operations<Space>::verify_requests(space, uploaded, sink.log, sink.counters);
  sink.fetch(space, report);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    batches[j].expect_unchanged();
    expect_unchanged(endpoints[j], jobs[j].endpoints);
  }
}

template <class Space>
void Library<Space>::planned_step(const Layout& layout, const Step& step, Plans& plans,
                                  std::vector<oracle::Endpoint>& endpoints,
                                  std::int64_t log_capacity, oracle::Report& report) {
  const Holder<Space> space;
  const UploadedRequestBatch<Holder<Space>> batch(layout, step.batch);
  const UploadedTokenBatch<Holder<Space>> tokens(layout, step.tokens);
  const UploadedWritePlan<Holder<Space>> write_plan(plans.write);
  const UploadedVerifyPlan<Holder<Space>> verify_plan(plans.verify);
  const UploadedEndpoints<Holder<Space>> uploaded(layout, endpoints);
  const Sink<Holder<Space>> sink(space, log_capacity);
  Operations<Space>::plan(space, batch.batch(), write_plan.plan(), verify_plan.plan());
  const auto verify = [&] {
    Operations<Space>::verify(space, verify_plan.plan(), uploaded.endpoints(), sink.log,
                              sink.counters);
  };
  const bool after_write = step.batch.verify_end != oracle::VerifyEnd::prefix;
  if (!after_write) verify();
  Operations<Space>::write(space, write_plan.plan(), tokens.batch(), uploaded.endpoints(), sink.log,
                           sink.counters);
  if (after_write) verify();
  sink.fetch(space, report);
  batch.expect_unchanged();
  tokens.expect_unchanged();
  plans.write = write_plan.fetch();
  plans.verify = verify_plan.fetch();
  uploaded.fetch(endpoints);
}

#define KVCANARY_INSTANTIATE_LIBRARY(Space) template struct Library<Space>;
KVCANARY_FOR_EACH_SPACE(KVCANARY_INSTANTIATE_LIBRARY)
KVCANARY_FOR_EACH_EMULATED_SPACE(KVCANARY_INSTANTIATE_LIBRARY)
