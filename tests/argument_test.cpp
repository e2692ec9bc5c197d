#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/argument_fixture.hpp"

/// \file
/// Every mistake in plans and batches that the host can see is refused with the argument, what it
/// is and what it must be.
namespace {

using namespace argument_cases;  // NOLINT(google-build-using-namespace)

TEST_F(ArgumentTest, RightArgumentsAreTaken) {
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(write(), "(not refused)");
  EXPECT_EQ(verify(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
}

TEST_F(ArgumentTest, OptionalArgumentsMayBeLeftOut) {
  batch.expected = {};
  tokens = {};
  EXPECT_EQ(plan(), "(not refused)");
  batch.extend_lengths = {};
  EXPECT_EQ(verify_requests(), "(not refused)");
  EXPECT_EQ(write(), "(not refused)");
}

TEST_F(ArgumentTest, Allocations) {
  for (const std::int64_t size : {0, -1}) {
    const std::string value = std::to_string(size);
    EXPECT_THAT(refusal([=] { kvcanary::WritePlan<HostMemory>::allocate(size); }),
                Refused("WritePlan", "max_requests", value));
    EXPECT_THAT(refusal([=] { kvcanary::VerifyPlan<HostMemory>::allocate(size); }),
                Refused("VerifyPlan", "max_entries", value));
    EXPECT_THAT(refusal([=] { kvcanary::ViolationLog<HostMemory>::allocate(size); }),
                Refused("ViolationLog", "capacity", value));
  }
}

TEST_F(ArgumentTest, AssignMoreThanTheCapacity) {
  const std::vector<kvcanary::VerifyEntry> entries(9);
  const std::string message = refusal([&] { verify_plan.assign(Space{}, entries); });
  EXPECT_THAT(message, testing::HasSubstr("VerifyPlan::assign"));
  EXPECT_THAT(message, testing::HasSubstr("9"));
  EXPECT_THAT(message, testing::HasSubstr("must be at most the capacity 8"));
}

TEST_F(ArgumentTest, WriteJobs) {
  using Job = kvcanary::WriteJob<HostMemory>;
  const auto write_jobs = [this](const std::vector<Job>& jobs) {
    return refusal([&] { kvcanary::write(Space{}, jobs, log, counters); });
  };
  const Job job{write_plan, tokens, endpoints};
  EXPECT_EQ(write_jobs({job, job}), "(not refused)");
  EXPECT_THAT(write_jobs({}), Refused("write", "jobs.size", "0"));
  EXPECT_THAT(write_jobs({job, job, job}), Refused("write", "jobs.size", "3"));

  const std::vector<Endpoint> eleven(11, endpoints[0]);
  EXPECT_THAT(write_jobs({job, {write_plan, tokens, eleven}}),
              Refused("write", "endpoints.size", "13"));
  EXPECT_THAT(write_jobs({job, {write_plan, tokens, {}}}),
              Refused("write", "jobs[1].endpoints.size", "0"));
  kvcanary::WriteBatch bad = tokens;
  bad.slots = two;
  EXPECT_THAT(write_jobs({job, {write_plan, bad, endpoints}}),
              Refused("write", "jobs[1].slots.size", "2"));
  bad = tokens;
  bad.max_entries_per_request = -1;
  EXPECT_THAT(write_jobs({{write_plan, bad, endpoints}}),
              Refused("write", "max_entries_per_request", "-1"));
}

TEST_F(ArgumentTest, ObjectsThatWereNeverAllocated) {
  log = {};
  EXPECT_THAT(write(), Refused("write", "log", "empty"));
  EXPECT_THAT(verify(), Refused("verify", "log", "empty"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "log", "empty"));
  log = kvcanary::ViolationLog<HostMemory>::allocate(1);
  counters = {};
  EXPECT_THAT(write(), Refused("write", "counters", "empty"));
  EXPECT_THAT(verify(), Refused("verify", "counters", "empty"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "counters", "empty"));
  write_plan = {};
  EXPECT_THAT(plan(), Refused("plan", "write_plan", "empty"));
  EXPECT_THAT(write(), Refused("write", "plan", "empty"));
  write_plan = kvcanary::WritePlan<HostMemory>::allocate(3);
  verify_plan = {};
  EXPECT_THAT(plan(), Refused("plan", "verify_plan", "empty"));
  EXPECT_THAT(verify(), Refused("verify", "plan", "empty"));
}

TEST_F(ArgumentTest, SizesOfTheWriteBatch) {
  const std::vector<std::pair<IntSpan kvcanary::WriteBatch::*, std::string>> fields = {
      {&kvcanary::WriteBatch::positions, "positions"},
      {&kvcanary::WriteBatch::slots, "slots"},
      {&kvcanary::WriteBatch::expected_tokens, "expected_tokens"},
      {&kvcanary::WriteBatch::expected_positions, "expected_positions"}};
  const kvcanary::WriteBatch good = tokens;
  for (const auto& [field, name] : fields) {
    tokens = good;
    tokens.*field = two;
    EXPECT_THAT(write(), Refused("write", name + ".size", "2"));
    tokens.*field = four;
    EXPECT_THAT(write(), Refused("write", name + ".size", "4"));
    tokens.*field = IntSpan(ints.data(), 3, Memory::device);
    EXPECT_THAT(write(), Refused("write", name, "in device memory"));
  }
  tokens = good;
  tokens.check_positions = two;
  EXPECT_THAT(write(), Refused("write", "check_positions.size", "2"));
}

TEST_F(ArgumentTest, Spans) {
  tokens.tokens = IntSpan(static_cast<const std::int64_t*>(nullptr), 3);
  EXPECT_THAT(write(), Refused("write", "tokens", "null"));
  tokens.tokens = IntSpan(ints.data(), -1);
  EXPECT_THAT(write(), Refused("write", "tokens.size", "-1"));
  const char* const unaligned = reinterpret_cast<const char*>(ints.data()) + 4;
  tokens.tokens = IntSpan(reinterpret_cast<const std::int64_t*>(unaligned), 3);
  EXPECT_THAT(write(), testing::HasSubstr("tokens is at address 0x"));
  EXPECT_THAT(write(), testing::HasSubstr("must be aligned to 8 bytes"));
}

TEST_F(ArgumentTest, SizesOfThePlanBatch) {
  batch.prefix_lengths = two;
  EXPECT_THAT(plan(), Refused("plan", "prefix_lengths.size", "2"));
  batch.prefix_lengths = three;
  batch.extend_lengths = four;
  EXPECT_THAT(plan(), Refused("plan", "extend_lengths.size", "4"));
  batch.request_rows = batch.prefix_lengths = four;
  EXPECT_THAT(plan(), Refused("plan", "request_rows.size", "4"));
}

TEST_F(ArgumentTest, NumRequests) {
  batch.num_requests = two;
  EXPECT_THAT(plan(), Refused("plan", "num_requests.size", "2"));
  batch.num_requests = IntSpan(ints.data(), 0);
  EXPECT_THAT(plan(), Refused("plan", "num_requests.size", "0"));
}

TEST_F(ArgumentTest, Window) {
  batch.window = -1;
  EXPECT_THAT(plan(), Refused("plan", "window", "-1"));
}

TEST_F(ArgumentTest, Table) {
  const kvcanary::SlotTable good = batch.table;
  const auto refused = [&](auto kvcanary::SlotTable::* field, auto value, const std::string& name) {
    batch.table = good;
    batch.table.*field = value;
    EXPECT_THAT(plan(), Refused("plan", "table." + name, std::to_string(value)));
  };
  for (const std::int64_t page_size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31}) {
    refused(&kvcanary::SlotTable::page_size, page_size, "page_size");
  }
  refused(&kvcanary::SlotTable::row_stride, std::int64_t{2}, "row_stride");
  refused(&kvcanary::SlotTable::num_rows, std::int64_t{-1}, "num_rows");
  refused(&kvcanary::SlotTable::num_columns, std::int64_t{-1}, "num_columns");
  batch.table = good;
  batch.table.entries = nullptr;
  EXPECT_THAT(plan(), Refused("plan", "table.entries", "null"));
  batch.table = good;
  batch.table.memory = Memory::device;
  EXPECT_THAT(plan(), Refused("plan", "table.entries", "in device memory"));
  batch.table = {nullptr, 0, 0, 0, 1};
  EXPECT_EQ(plan(), "(not refused)") << "an empty table needs no entries";
}

TEST_F(ArgumentTest, ExpectedTokens) {
  const kvcanary::ExpectedTokens good = batch.expected;
  const auto refused = [&](std::int64_t kvcanary::ExpectedTokens::* field, std::int64_t value,
                           const std::string& name) {
    batch.expected = good;
    batch.expected.*field = value;
    EXPECT_THAT(plan(), Refused("plan", "expected." + name, std::to_string(value)));
  };
  refused(&kvcanary::ExpectedTokens::row_stride, 2, "row_stride");
  refused(&kvcanary::ExpectedTokens::num_rows, -1, "num_rows");
  refused(&kvcanary::ExpectedTokens::num_columns, -1, "num_columns");
  refused(&kvcanary::ExpectedTokens::token_offset, std::int64_t{1} << 50, "token_offset");
  batch.expected = good;
  batch.expected.num_rows = 3;
  EXPECT_THAT(plan(), Refused("plan", "expected.tokens.size", "6"));
  batch.expected = good;
  batch.expected.valid_lengths = IntSpan(ints.data(), 3, Memory::device);
  EXPECT_THAT(plan(), Refused("plan", "expected.valid_lengths", "in device memory"));
}

TEST_F(ArgumentTest, DeviceArraysOfThePlanBatch) {
  const IntSpan device(ints.data(), 3, Memory::device);
  const kvcanary::PlanBatch good = batch;
  const std::vector<std::pair<IntSpan kvcanary::PlanBatch::*, std::string>> fields = {
      {&kvcanary::PlanBatch::request_rows, "request_rows"},
      {&kvcanary::PlanBatch::prefix_lengths, "prefix_lengths"},
      {&kvcanary::PlanBatch::extend_lengths, "extend_lengths"},
      {&kvcanary::PlanBatch::num_requests, "num_requests"},
      {&kvcanary::PlanBatch::full_to_swa, "full_to_swa"}};
  for (const auto& [field, name] : fields) {
    batch = good;
    batch.*field = device;
    EXPECT_THAT(plan(), Refused("plan", name, "in device memory"));
  }
}

TEST_F(ArgumentTest, JobsOfVerifyRequests) {
  const std::string operation = "verify_requests";
  num_jobs = 0;
  EXPECT_THAT(verify_requests(), Refused(operation, "jobs.size", "0"));
  num_jobs = 3;
  EXPECT_THAT(verify_requests(), Refused(operation, "jobs.size", "3"));
  num_jobs = 2;
  endpoints.assign(7, endpoints[0]);
  EXPECT_THAT(verify_requests(), Refused(operation, "endpoints.size of all jobs", "14"));
  endpoints.resize(6);
  EXPECT_EQ(verify_requests(), "(not refused)");
  endpoints.clear();
  EXPECT_THAT(verify_requests(), Refused(operation, "jobs[0].endpoints.size", "0"));
}

TEST_F(ArgumentTest, BatchesOfVerifyRequests) {
  const std::string operation = "verify_requests", name = "jobs[0].batch.";
  const kvcanary::PlanBatch good = batch;
  batch.prefix_lengths = two;
  EXPECT_THAT(verify_requests(), Refused(operation, name + "prefix_lengths.size", "2"));
  batch = good;
  batch.extend_lengths = four;
  EXPECT_THAT(verify_requests(), Refused(operation, name + "extend_lengths.size", "4"));
  batch = good;
  batch.num_requests = two;
  EXPECT_THAT(verify_requests(), Refused(operation, name + "num_requests.size", "2"));
  batch = good;
  batch.request_rows = batch.prefix_lengths = IntSpan(ints.data(), (1 << 23) + 1);
  batch.extend_lengths = {};
  EXPECT_THAT(verify_requests(), Refused(operation, name + "request_rows.size", "8388609"));
  batch = good;
  batch.window = -1;
  EXPECT_THAT(verify_requests(), Refused(operation, name + "window", "-1"));
  batch = good;
  batch.table.page_size = 0;
  EXPECT_THAT(verify_requests(), Refused(operation, name + "table.page_size", "0"));
  batch = good;
  batch.full_to_swa = IntSpan(ints.data(), 3, Memory::device);
  EXPECT_THAT(verify_requests(), Refused(operation, name + "full_to_swa", "in device memory"));
}

TEST_F(ArgumentTest, OneJobOfVerifyRequests) {
  const auto one = [&] {
    return refusal([&] { kvcanary::verify_requests(Space{}, batch, endpoints, log, counters); });
  };
  EXPECT_EQ(one(), "(not refused)");
  endpoints[1].buffer.stride = 24;
  EXPECT_THAT(one(), Refused("verify_requests", "jobs[0].endpoints[1].buffer.stride", "24"));
}

}  // namespace
