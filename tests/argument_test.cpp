#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/arguments.hpp"
#include "tests/support/argument_fixture.hpp"

/// \file
/// Every mistake in plans and batches that the host can see is refused with the argument, what it
/// is and what it must be.
namespace {

using namespace argument_cases;  // NOLINT(google-build-using-namespace)
using kvcanary::RequestBatch;
using kvcanary::TokenBatch;
using testing::EndsWith;
using WriteJob = kvcanary::WriteJob<HostMemory>;

const IntSpan null_ints(static_cast<const std::int64_t*>(nullptr), 0);

TEST_F(ArgumentTest, RightArgumentsAreTaken) {
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(plan_write(), "(not refused)");
  EXPECT_EQ(write(), "(not refused)");
  EXPECT_EQ(verify(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
  EXPECT_EQ(write_requests(), "(not refused)");
  EXPECT_EQ(step(), "(not refused)");
  EXPECT_EQ(step(kvcanary::StepSide::tail), "(not refused)");
}

TEST_F(ArgumentTest, OptionalArgumentsMayBeLeftOut) {
  batch.expected = {};
  EXPECT_EQ(plan(), "(not refused)");
  batch.extend_lengths = {};
  EXPECT_EQ(verify_requests(), "(not refused)");
}

TEST_F(ArgumentTest, OptionalArgumentsAreTaken) {
  const IntSpan one(ints.data(), 1);
  tokens.expected_tokens = tokens.expected_positions = three;
  tokens.num_tokens = tokens.check_positions = one;
  EXPECT_EQ(write(), "(not refused)");
  batch.num_requests = one;
  batch.full_to_swa = six;
  batch.verify_end = kvcanary::VerifyEnd::last_token;
  batch.padding_row = {};
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
}

TEST_F(ArgumentTest, EmptyArraysMayBeNull) {
  tokens.tokens = tokens.positions = tokens.slots = null_ints;
  EXPECT_EQ(write(), "(not refused)");
  batch.request_rows = batch.prefix_lengths = batch.extend_lengths = null_ints;
  batch.expected = {};
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
}

// ---- allocation ---------------------------------------------------------------------------------

TEST_F(ArgumentTest, Allocations) {
  for (const std::int64_t size : {0, -1}) {
    const std::string value = std::to_string(size);
    EXPECT_THAT(refusal([=, this] { kvcanary::WritePlan<HostMemory>::allocate(space, size); }),
                Refused("WritePlan", "max_requests", value));
    EXPECT_THAT(refusal([=, this] { kvcanary::VerifyPlan<HostMemory>::allocate(space, size); }),
                Refused("VerifyPlan", "max_entries", value));
    EXPECT_THAT(refusal([=, this] { kvcanary::ViolationLog<HostMemory>::allocate(space, size); }),
                Refused("ViolationLog", "capacity", value));
  }
}

TEST(ArgumentTextTest, CapacitySaysWhatItMustBe) {
  EXPECT_EQ(refusal([] { kvcanary::detail::check_capacity("ViolationLog", "capacity", 0); }),
            "ViolationLog: capacity is 0, must be at least 1");
  EXPECT_EQ(refusal([] { kvcanary::detail::check_capacity("ViolationLog", "capacity", 1); }),
            "(not refused)");
}

TEST_F(ArgumentTest, AssignMoreThanTheCapacity) {
  const std::vector<kvcanary::VerifyEntry> entries(9);
  EXPECT_EQ(refusal([&] { verify_plan.assign(space, entries); }),
            "VerifyPlan::assign: host_entries.size is 9, must be at most 8, the plan's capacity");
}

TEST_F(ArgumentTest, ObjectsThatWereNeverAllocated) {
  log = {};
  EXPECT_THAT(write(), Refused("write", "log", "empty"));
  EXPECT_THAT(verify(), Refused("verify", "log", "empty"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "log", "empty"));
  EXPECT_THAT(write_requests(), Refused("write_requests", "log", "empty"));
  EXPECT_THAT(step(), Refused("step", "log", "empty"));
  log = kvcanary::ViolationLog<HostMemory>::allocate(space, 1);
  counters = {};
  EXPECT_THAT(write(), Refused("write", "counters", "empty"));
  EXPECT_THAT(verify(), Refused("verify", "counters", "empty"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "counters", "empty"));
  EXPECT_THAT(write_requests(), Refused("write_requests", "counters", "empty"));
  EXPECT_THAT(step(), Refused("step", "counters", "empty"));
  write_plan = {};
  EXPECT_THAT(plan(), Refused("plan", "write_plan", "empty"));
  EXPECT_THAT(write(), Refused("write", "plan", "empty"));
  write_plan = kvcanary::WritePlan<HostMemory>::allocate(space, 3);
  verify_plan = {};
  EXPECT_THAT(plan(), Refused("plan", "verify_plan", "empty"));
  EXPECT_EQ(plan_write(), "(not refused)");
  EXPECT_THAT(verify(), Refused("verify", "plan", "empty"));
}

// ---- plans that the caller made -----------------------------------------------------------------

Kokkos::View<std::int64_t*, HostMemory> ints_view(std::size_t size) {
  return Kokkos::View<std::int64_t*, HostMemory>("ints", size);
}

TEST_F(ArgumentTest, SizesOfAWritePlan) {
  const auto good = write_plan;
  for (const std::size_t size : {3, 5}) {
    write_plan = good;
    write_plan.offsets = ints_view(size);
    EXPECT_THAT(write(), Refused("write", "plan.offsets.size", std::to_string(size)));
    EXPECT_THAT(write(), EndsWith("must be 4, the plan's capacity + 1"));
    EXPECT_THAT(plan(), Refused("plan", "write_plan.offsets.size", std::to_string(size)));
  }
  write_plan = good;
  write_plan.request_rows = ints_view(2);
  EXPECT_THAT(write(), Refused("write", "plan.request_rows.size", "2"));
  EXPECT_THAT(write(), EndsWith("must be 3, the plan's capacity"));
  EXPECT_THAT(plan_write(), Refused("plan", "write_plan.request_rows.size", "2"));
  write_plan = good;
  write_plan.state = {};
  EXPECT_THAT(write(), Refused("write", "plan.state", "not allocated"));
  EXPECT_THAT(plan(), Refused("plan", "write_plan.state", "not allocated"));
}

TEST_F(ArgumentTest, StateOfAVerifyPlan) {
  verify_plan.state = {};
  EXPECT_THAT(verify(), Refused("verify", "plan.state", "not allocated"));
  EXPECT_THAT(plan(), Refused("plan", "verify_plan.state", "not allocated"));
}

/// Plans of sizes for which a test has no memory.
TEST(ArgumentTextTest, CapacityOfWritePlans) {
  const kvcanary::Record record{};
  const TokenBatch batch{.tokens = null_ints, .positions = null_ints, .slots = null_ints};
  const auto check = [&](std::int64_t capacity, std::size_t num_jobs) {
    std::vector<Endpoint> endpoints(num_jobs);
    std::vector<kvcanary::Record> records(num_jobs);
    std::vector<kvcanary::detail::WriteJobParts> jobs;
    for (std::size_t j = 0; j < num_jobs; ++j) {
      endpoints[j] = {static_cast<kvcanary::LaunchTag>(j),
                      {reinterpret_cast<std::byte*>(&records[j]), 1}};
      jobs.push_back({{capacity, capacity + 1, capacity, 0, &record}, &batch, {&endpoints[j], 1}});
    }
    return refusal([&] {
      kvcanary::detail::check_write_parts(num_jobs, jobs, {1, &record, &record, &record},
                                          Memory::unknown, 0);
    });
  };
  constexpr std::int64_t limit = (std::int64_t{1} << 31) / 12;
  EXPECT_EQ(check(limit, 1), "(not refused)");
  EXPECT_THAT(check(limit + 1, 1), Refused("write", "plan.capacity", std::to_string(limit + 1)));
  EXPECT_THAT(check(limit / 2 + 1, 2),
              Refused("write", "plan.capacity of all jobs", std::to_string(2 * (limit / 2 + 1))));
}

/// What a plan needs on a device, and none that the caller made has by itself.
TEST(ArgumentTextTest, ScratchOfPolynomialChains) {
  const std::vector<kvcanary::Record> records(2);
  const kvcanary::Record record{};
  const TokenBatch batch{.tokens = null_ints, .positions = null_ints, .slots = null_ints};
  const auto check = [&](kvcanary::Chain first, kvcanary::Chain second, std::int64_t scratch) {
    std::vector<Endpoint> endpoints(2);
    for (std::size_t e = 0; e < 2; ++e) {
      auto* const data = reinterpret_cast<std::byte*>(const_cast<kvcanary::Record*>(&records[e]));
      endpoints[e] = {static_cast<kvcanary::LaunchTag>(e),
                      {data, 1, 32, Memory::unknown, {}, e == 0 ? first : second}};
    }
    const std::vector<kvcanary::detail::WriteJobParts> jobs = {
        {{4, 5, 4, 1000, &record}, &batch, {&endpoints[0], 1}},
        {{4, 5, 4, scratch, &record}, &batch, {&endpoints[1], 1}}};
    return refusal([&] {
      kvcanary::detail::check_write_parts(2, jobs, {1, &record, &record, &record}, Memory::unknown,
                                          1000);
    });
  };
  using enum kvcanary::Chain;
  for (const std::int64_t scratch : {0, 999}) {
    EXPECT_EQ(check(polynomial, splitmix, scratch), "(not refused)");
    EXPECT_EQ(check(splitmix, polynomial, scratch),
              "write: jobs[1].plan.scratch.size is " + std::to_string(scratch) +
                  ", must be 1000, as WritePlan::allocate makes it on this device: buffer.chain of "
                  "an endpoint is polynomial");
  }
  EXPECT_EQ(check(polynomial, polynomial, 1000), "(not refused)");
  EXPECT_EQ(check(polynomial, polynomial, 1001), "(not refused)") << "of a larger device";
}

/// The same of operations that have no plan. A step needs it whatever the chains.
TEST(ArgumentTextTest, ScratchOfWriteRequestsAndStep) {
  const kvcanary::Record record{};
  kvcanary::StepJob job{.requests = {.request_rows = null_ints,
                                     .prefix_lengths = null_ints,
                                     .extend_lengths = null_ints,
                                     .table = {nullptr, 0, 0, 0, 1}},
                        .tokens = {.tokens = null_ints, .positions = null_ints, .slots = null_ints},
                        .endpoints = {}};
  const auto check = [&](kvcanary::Chain chain, const auto& check_parts) {
    auto* const data = reinterpret_cast<std::byte*>(const_cast<kvcanary::Record*>(&record));
    const Endpoint endpoint{static_cast<kvcanary::LaunchTag>(0),
                            {data, 1, 32, Memory::unknown, {}, chain}};
    job.endpoints = {&endpoint, 1};
    return refusal([&] {
      check_parts({&job, 1}, kvcanary::detail::ReportParts{1, &record, &record, &record});
    });
  };
  using Jobs = std::span<const kvcanary::StepJob>;
  const auto write_requests = [&](kvcanary::Chain chain, std::int64_t given) {
    return check(chain, [=](Jobs jobs, const kvcanary::detail::ReportParts& report) {
      kvcanary::detail::check_write_requests_parts(jobs, report, Memory::unknown, given, 1000);
    });
  };
  const auto step = [&](kvcanary::Chain chain, std::int64_t given) {
    return check(chain, [=](Jobs jobs, const kvcanary::detail::ReportParts& report) {
      kvcanary::detail::check_step_parts(kvcanary::StepSide::tail, jobs, report, Memory::unknown,
                                         given, 1000);
    });
  };
  using enum kvcanary::Chain;
  EXPECT_EQ(write_requests(splitmix, 0), "(not refused)");
  EXPECT_EQ(write_requests(polynomial, 1000), "(not refused)");
  EXPECT_EQ(write_requests(polynomial, 999),
            "write_requests: scratch.size is 999, must be 1000, as WriteScratch::allocate makes it "
            "on this device: buffer.chain of an endpoint is polynomial");
  for (const kvcanary::Chain chain : {splitmix, polynomial}) {
    EXPECT_EQ(step(chain, 1000), "(not refused)");
    EXPECT_EQ(step(chain, 999),
              "step: scratch.size is 999, must be 1000, as WriteScratch::allocate makes it on this "
              "device");
  }
}

TEST_F(ArgumentTest, SideOfAStep) {
  EXPECT_EQ(step(static_cast<kvcanary::StepSide>(2)),
            "step: side is 2, must be 0 (head) or 1 (tail)");
}

TEST_F(ArgumentTest, PartsOfAStep) {
  tokens.positions = two;
  EXPECT_EQ(step(), "step: tokens.positions.size is 2, must be 3, the size of tokens");
  tokens.positions = three;
  batch.extend_lengths = {};
  EXPECT_THAT(step(), Refused("step", "requests.extend_lengths", "not given"));
  batch.extend_lengths = three;
  EXPECT_EQ(step_jobs({}), "step: jobs.size is 0, must be from 1 to 12");
}

// ---- arrays -------------------------------------------------------------------------------------

TEST_F(ArgumentTest, Spans) {
  tokens.tokens = IntSpan(static_cast<const std::int64_t*>(nullptr), 3);
  EXPECT_EQ(write(), "write: batch.tokens is null, must be a pointer to 3 elements");
  tokens.tokens = IntSpan(ints.data(), -1);
  EXPECT_EQ(write(), "write: batch.tokens.size is -1, must be at least 0");
  const char* const unaligned = reinterpret_cast<const char*>(ints.data()) + 4;
  tokens.tokens = IntSpan(reinterpret_cast<const std::int64_t*>(unaligned), 3);
  EXPECT_THAT(write(), testing::StartsWith("write: batch.tokens is at address 0x"));
  EXPECT_THAT(write(), EndsWith("must be aligned to 8 bytes"));
}

/// Spoils one array of the tokens, or of the batch, of all operations that take it.
template <class Batch>
struct Field {
  using Array = IntSpan Batch::*;  // nvcc puts parentheses into the declaration of a member
  Array array;
  std::string name;
};

const std::vector<Field<TokenBatch>> token_arrays = {{&TokenBatch::tokens, "tokens"},
                                                     {&TokenBatch::positions, "positions"},
                                                     {&TokenBatch::slots, "slots"}};
const std::vector<Field<TokenBatch>> optional_token_arrays = {
    {&TokenBatch::expected_tokens, "expected_tokens"},
    {&TokenBatch::expected_positions, "expected_positions"}};
const std::vector<Field<TokenBatch>> token_scalars = {
    {&TokenBatch::num_tokens, "num_tokens"}, {&TokenBatch::check_positions, "check_positions"}};
const std::vector<Field<RequestBatch>> request_arrays = {
    {&RequestBatch::request_rows, "request_rows"},
    {&RequestBatch::prefix_lengths, "prefix_lengths"},
    {&RequestBatch::extend_lengths, "extend_lengths"}};
const std::vector<Field<RequestBatch>> optional_request_arrays = {
    {&RequestBatch::num_requests, "num_requests"}, {&RequestBatch::full_to_swa, "full_to_swa"}};

template <class Batch>
std::vector<Field<Batch>> join(std::vector<Field<Batch>> a, const std::vector<Field<Batch>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(ArgumentTest, RequiredArraysThatAreNotGiven) {
  for (const auto& [array, name] : token_arrays) {
    const TokenBatch good = tokens;
    tokens.*array = {};
    EXPECT_THAT(write(), Refused("write", "batch." + name, "not given"));
    tokens = good;
  }
  for (const auto& [array, name] : request_arrays) {
    const RequestBatch good = batch;
    batch.*array = {};
    EXPECT_THAT(plan(), Refused("plan", "batch." + name, "not given"));
    EXPECT_THAT(plan_write(), Refused("plan", "batch." + name, "not given"));
    if (name != "extend_lengths") {
      EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch." + name, "not given"));
    }
    batch = good;
  }
}

/// An array that an engine computed as null was meant to be given, whatever its size.
TEST_F(ArgumentTest, OptionalArraysThatAreNull) {
  const IntSpan unallocated{Kokkos::View<std::int64_t*, HostMemory>()};
  const IntSpan narrow(static_cast<const std::int32_t*>(nullptr), 3);
  for (const IntSpan& null : {null_ints, unallocated, narrow}) {
    for (const auto& [array, name] : join(optional_token_arrays, token_scalars)) {
      const TokenBatch good = tokens;
      tokens.*array = null;
      EXPECT_THAT(write(), Refused("write", "batch." + name, "null"));
      tokens = good;
    }
    for (const auto& [array, name] : optional_request_arrays) {
      const RequestBatch good = batch;
      batch.*array = null;
      EXPECT_THAT(plan(), Refused("plan", "batch." + name, "null"));
      EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch." + name, "null"));
      batch = good;
    }
    for (IntSpan* const array : {&batch.expected.tokens, &batch.expected.valid_lengths}) {
      const IntSpan good = std::exchange(*array, null);
      const bool is_tokens = array == &batch.expected.tokens;
      EXPECT_THAT(
          plan(),
          Refused("plan", is_tokens ? "batch.expected.tokens" : "batch.expected.valid_lengths",
                  "null"));
      *array = good;
    }
  }
  batch.extend_lengths = null_ints;
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.extend_lengths.size", "0"));
  batch.extend_lengths = IntSpan(static_cast<const std::int32_t*>(nullptr), 3);
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.extend_lengths", "null"));
}

TEST_F(ArgumentTest, ArraysInDeviceMemory) {
  const IntSpan device(ints.data(), 3, Memory::device);
  for (const auto& [array, name] : join(join(token_arrays, optional_token_arrays), token_scalars)) {
    const TokenBatch good = tokens;
    tokens.*array = device;
    EXPECT_THAT(write(), Refused("write", "batch." + name, "in device memory"));
    tokens = good;
  }
  for (const auto& [array, name] : join(request_arrays, optional_request_arrays)) {
    const RequestBatch good = batch;
    batch.*array = device;
    EXPECT_THAT(plan(), Refused("plan", "batch." + name, "in device memory"));
    EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch." + name, "in device memory"));
    batch = good;
  }
}

// ---- the tokens of a step -----------------------------------------------------------------------

TEST_F(ArgumentTest, SizesOfATokenBatch) {
  for (const auto& [array, name] : join(token_arrays, optional_token_arrays)) {
    if (name == "tokens") continue;
    const TokenBatch good = tokens;
    tokens.*array = two;
    EXPECT_EQ(write(), "write: batch." + name + ".size is 2, must be 3, the size of tokens");
    tokens.*array = four;
    EXPECT_THAT(write(), Refused("write", "batch." + name + ".size", "4"));
    tokens = good;
  }
}

TEST_F(ArgumentTest, ScalarsOfATokenBatch) {
  for (const auto& [array, name] : token_scalars) {
    const TokenBatch good = tokens;
    tokens.*array = two;
    EXPECT_EQ(write(), "write: batch." + name + ".size is 2, must be 1, a device scalar");
    tokens.*array = IntSpan(ints.data(), 0);
    EXPECT_THAT(write(), Refused("write", "batch." + name + ".size", "0"));
    tokens = good;
  }
}

TEST_F(ArgumentTest, MaxEntriesPerRequest) {
  tokens.max_entries_per_request = -1;
  EXPECT_EQ(write(), "write: batch.max_entries_per_request is -1, must be at least 0");
}

// ---- the requests of a step ---------------------------------------------------------------------

TEST_F(ArgumentTest, SizesOfARequestBatch) {
  batch.prefix_lengths = two;
  EXPECT_EQ(plan(), "plan: batch.prefix_lengths.size is 2, must be 3, the size of request_rows");
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.prefix_lengths.size", "2"));
  batch.prefix_lengths = three;
  batch.extend_lengths = four;
  EXPECT_THAT(plan(), Refused("plan", "batch.extend_lengths.size", "4"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.extend_lengths.size", "4"));
  EXPECT_EQ(write_requests(),
            "write_requests: requests.extend_lengths.size is 4, must be 3, the size of "
            "request_rows");
  batch.extend_lengths = {};
  EXPECT_THAT(write_requests(), Refused("write_requests", "requests.extend_lengths", "not given"));
}

TEST_F(ArgumentTest, MoreRequestsThanWriteRequestsCounts) {
  constexpr std::int64_t limit = (std::int64_t{1} << 31) / 12;
  const auto of = [this](std::int64_t requests) {
    RequestBatch result = batch;
    result.request_rows = result.prefix_lengths = result.extend_lengths =
        IntSpan(ints.data(), requests);
    result.expected = {};
    return result;
  };
  const std::vector<Endpoint> first = endpoints_from(0, 1), second = endpoints_from(1, 1);
  EXPECT_THAT(write_requests_jobs({{of(limit + 1), tokens, first}}),
              Refused("write_requests", "requests.request_rows.size", std::to_string(limit + 1)));
  EXPECT_EQ(write_requests_jobs({{of(limit), tokens, first}, {of(1), tokens, second}}),
            "write_requests: request_rows.size of all jobs is " + std::to_string(limit + 1) +
                ", must be at most " + std::to_string(limit));
}

TEST_F(ArgumentTest, MoreRequestsThanAPlanHolds) {
  batch.request_rows = batch.prefix_lengths = batch.extend_lengths = four;
  batch.expected.valid_lengths = four;
  EXPECT_EQ(plan(),
            "plan: batch.request_rows.size is 4, must be at most 3, the capacity of write_plan");
}

TEST_F(ArgumentTest, MoreRequestsThanVerifyRequestsCounts) {
  const auto of = [this](std::int64_t requests) {
    RequestBatch result = batch;
    result.request_rows = result.prefix_lengths = IntSpan(ints.data(), requests);
    result.extend_lengths = result.expected.valid_lengths = {};
    return result;
  };
  const std::vector<Endpoint> first = endpoints_from(0, 1), second = endpoints_from(1, 1);
  EXPECT_THAT(verify_jobs({{of((1 << 23) + 1), first}}),
              Refused("verify_requests", "batch.request_rows.size", "8388609"));
  EXPECT_EQ(verify_jobs({{of((1 << 23) - 2), first}, {of(3), second}}),
            "verify_requests: request_rows.size of all jobs is 8388609, must be at most 8388608");
}

TEST_F(ArgumentTest, NumRequests) {
  batch.num_requests = two;
  EXPECT_EQ(plan(), "plan: batch.num_requests.size is 2, must be 1, a device scalar");
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.num_requests.size", "2"));
  batch.num_requests = IntSpan(ints.data(), 0);
  EXPECT_THAT(plan(), Refused("plan", "batch.num_requests.size", "0"));
}

TEST_F(ArgumentTest, Window) {
  batch.window = -1;
  EXPECT_THAT(plan(), Refused("plan", "batch.window", "-1"));
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.window", "-1"));
}

TEST_F(ArgumentTest, VerifyEnd) {
  batch.verify_end = static_cast<kvcanary::VerifyEnd>(3);
  EXPECT_EQ(plan(),
            "plan: batch.verify_end is 3, must be 0 (prefix), 1 (last_token) or 2 (whole_step)");
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.verify_end", "3"));
  batch.verify_end = kvcanary::VerifyEnd::last_token;
  batch.extend_lengths = {};
  EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch.extend_lengths", "not given"));
}

TEST_F(ArgumentTest, Table) {
  const kvcanary::SlotTable good = batch.table;
  const auto refused = [&](auto kvcanary::SlotTable::* field, auto value, const std::string& name) {
    batch.table = good;
    batch.table.*field = value;
    EXPECT_THAT(plan(), Refused("plan", "batch.table." + name, std::to_string(value)));
    EXPECT_THAT(verify_requests(),
                Refused("verify_requests", "batch.table." + name, std::to_string(value)));
  };
  for (const std::int64_t page_size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31}) {
    refused(&kvcanary::SlotTable::page_size, page_size, "page_size");
  }
  refused(&kvcanary::SlotTable::row_stride, std::int64_t{2}, "row_stride");
  refused(&kvcanary::SlotTable::num_rows, std::int64_t{-1}, "num_rows");
  refused(&kvcanary::SlotTable::num_columns, std::int64_t{-1}, "num_columns");
  batch.table = good;
  batch.table.entries = nullptr;
  EXPECT_THAT(plan(), Refused("plan", "batch.table.entries", "null"));
  batch.table = good;
  batch.table.memory = Memory::device;
  EXPECT_THAT(plan(), Refused("plan", "batch.table.entries", "in device memory"));
  batch.table = {nullptr, 0, 0, 0, 1};
  EXPECT_EQ(plan(), "(not refused)") << "an empty table needs no entries";
}

TEST_F(ArgumentTest, TableOfInt64) {
  batch.table = {ints.data(), 2, 3, 3, 1};
  EXPECT_EQ(plan(), "(not refused)");
  batch.table.entries = reinterpret_cast<const char*>(ints.data()) + 4;
  EXPECT_THAT(plan(), testing::HasSubstr("must be aligned to 8 bytes"));
}

TEST_F(ArgumentTest, Lists) {
  batch.table = {};
  batch.lists = {six, four};
  const kvcanary::SlotLists good = batch.lists;
  const auto refused = [&](const std::string& name, const std::string& value) {
    EXPECT_THAT(plan(), Refused("plan", "batch." + name, value));
    EXPECT_THAT(verify_requests(), Refused("verify_requests", "batch." + name, value));
    EXPECT_THAT(write_requests(), Refused("write_requests", "requests." + name, value));
    batch.lists = good;
  };
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
  EXPECT_EQ(write_requests(), "(not refused)");
  for (const std::int64_t page_size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31}) {
    batch.lists.page_size = page_size;
    refused("lists.page_size", std::to_string(page_size));
  }
  batch.lists.offsets = three;
  EXPECT_EQ(plan(),
            "plan: batch.lists.offsets.size is 3, must be 4, one more than there are requests");
  refused("lists.offsets.size", "3");
  batch.lists.first_positions = two;
  EXPECT_EQ(plan(),
            "plan: batch.lists.first_positions.size is 2, must be 3, the size of "
            "request_rows");
  refused("lists.first_positions.size", "2");
  for (const auto& [array, name] :
       std::vector<std::pair<IntSpan kvcanary::SlotLists::*, std::string>>{
           {&kvcanary::SlotLists::pages, "lists.pages"},
           {&kvcanary::SlotLists::offsets, "lists.offsets"},
           {&kvcanary::SlotLists::first_positions, "lists.first_positions"}}) {
    batch.lists.*array = IntSpan(static_cast<const std::int32_t*>(nullptr), 4);
    refused(name, "null");
    batch.lists.*array = IntSpan(ints.data(), 4, Memory::device);
    refused(name, "in device memory");
    batch.lists.*array = IntSpan(ints.data(), -1);
    refused(name + ".size", "-1");
    batch.lists.*array = IntSpan(
        reinterpret_cast<const std::int64_t*>(reinterpret_cast<const char*>(ints.data()) + 4), 4);
    EXPECT_THAT(plan(), testing::HasSubstr("must be aligned to 8 bytes"));
    batch.lists = good;
  }
}

TEST_F(ArgumentTest, ListsAndATable) {
  batch.lists = {six, four};
  EXPECT_EQ(plan(), "plan: batch.table is given, must be left out, as there are lists");
  batch.table = {nullptr, 0, 0, 0, 16};
  EXPECT_THAT(plan(), Refused("plan", "batch.table", "given"));
  batch.table = {};
  EXPECT_EQ(plan(), "(not refused)");
  batch.lists = {six, {}};
  EXPECT_EQ(plan(), "plan: batch.lists.offsets is not given, must be an array of int32 or int64");
  batch.lists = {{}, four};
  EXPECT_EQ(plan(), "plan: batch.lists.pages is not given, must be an array of int32 or int64");
  batch.lists = {{}, {}, three};
  EXPECT_THAT(plan(), Refused("plan", "batch.lists.pages", "not given"));
  batch.lists = {};
  EXPECT_EQ(plan(), "(not refused)") << "a table of no rows";
}

TEST_F(ArgumentTest, RequestsWithoutRows) {
  batch.request_rows = {};
  EXPECT_THAT(plan(), Refused("plan", "batch.request_rows", "not given"));
  batch.table = {};
  batch.lists = {six, four};
  EXPECT_EQ(plan(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
  EXPECT_EQ(write_requests(), "(not refused)");
  batch.extend_lengths = two;
  EXPECT_EQ(plan(), "plan: batch.extend_lengths.size is 2, must be 3, the size of prefix_lengths");
  batch.prefix_lengths = {};
  EXPECT_THAT(plan(), Refused("plan", "batch.prefix_lengths", "not given"));
  batch.prefix_lengths = batch.extend_lengths = four;
  batch.lists.offsets = IntSpan(ints.data(), 5);
  batch.expected = {};
  EXPECT_EQ(plan(),
            "plan: batch.prefix_lengths.size is 4, must be at most 3, the capacity of write_plan");
  batch.request_rows = IntSpan(static_cast<const std::int32_t*>(nullptr), 3);
  EXPECT_THAT(plan(), Refused("plan", "batch.request_rows", "null")) << "meant to be given";
}

TEST_F(ArgumentTest, ExpectedTokens) {
  const kvcanary::ExpectedTokens good = batch.expected;
  const auto refused = [&](std::int64_t kvcanary::ExpectedTokens::* field, std::int64_t value,
                           const std::string& name) {
    batch.expected = good;
    batch.expected.*field = value;
    EXPECT_THAT(plan(), Refused("plan", "batch.expected." + name, std::to_string(value)));
  };
  refused(&kvcanary::ExpectedTokens::row_stride, 2, "row_stride");
  refused(&kvcanary::ExpectedTokens::num_rows, -1, "num_rows");
  refused(&kvcanary::ExpectedTokens::num_columns, -1, "num_columns");
  refused(&kvcanary::ExpectedTokens::token_offset, std::int64_t{1} << 50, "token_offset");
  batch.expected = good;
  batch.expected.num_rows = 3;
  EXPECT_EQ(plan(), "plan: batch.expected.tokens.size is 6, must be at least 9, for its rows");
  batch.expected.num_rows = std::int64_t{1} << 62;
  EXPECT_THAT(plan(), Refused("plan", "batch.expected.tokens.size", "6"));
}

TEST_F(ArgumentTest, ValidLengthsAreByRequest) {
  batch.expected.valid_lengths = two;
  EXPECT_EQ(plan(),
            "plan: batch.expected.valid_lengths.size is 2, must be 3, the size of request_rows");
  batch.expected.valid_lengths = IntSpan(ints.data(), 3, Memory::device);
  EXPECT_THAT(plan(), Refused("plan", "batch.expected.valid_lengths", "in device memory"));
}

// ---- jobs ---------------------------------------------------------------------------------------

TEST_F(ArgumentTest, WriteJobs) {
  const std::vector<Endpoint> first = endpoints_from(0, 2), second = endpoints_from(2, 2);
  const WriteJob job{write_plan, tokens, first}, other{write_plan, tokens, second};
  EXPECT_EQ(write_jobs({job, other}), "(not refused)");
  EXPECT_EQ(write_jobs({}), "write: jobs.size is 0, must be from 1 to 12");
  EXPECT_THAT(write_jobs(std::vector(13, job)), Refused("write", "jobs.size", "13"));

  const std::vector<Endpoint> eleven = endpoints_from(2, 11);
  EXPECT_EQ(write_jobs({job, {write_plan, tokens, eleven}}),
            "write: endpoints.size of all jobs is 13, must be at most 12");
  EXPECT_THAT(write_jobs({job, {write_plan, tokens, {}}}),
              Refused("write", "jobs[1].endpoints.size", "0"));
  TokenBatch bad = tokens;
  bad.slots = two;
  EXPECT_THAT(write_jobs({job, {write_plan, bad, second}}),
              Refused("write", "jobs[1].batch.slots.size", "2"));
  EXPECT_THAT(write_jobs({{{}, tokens, first}, other}), Refused("write", "jobs[0].plan", "empty"));
}

TEST_F(ArgumentTest, TwelveJobsOfOneEndpoint) {
  const std::vector<Endpoint> all = endpoints_from(0, 12);
  std::vector<WriteJob> writes;
  std::vector<kvcanary::VerifyJob> verifies;
  for (const Endpoint& endpoint : all) {
    writes.push_back({write_plan, tokens, {&endpoint, 1}});
    verifies.push_back({batch, {&endpoint, 1}});
  }
  EXPECT_EQ(write_jobs(writes), "(not refused)");
  EXPECT_EQ(verify_jobs(verifies), "(not refused)");
}

TEST_F(ArgumentTest, JobsOfVerifyRequests) {
  const std::string operation = "verify_requests";
  EXPECT_THAT(verify_jobs({}), Refused(operation, "jobs.size", "0"));
  const std::vector<Endpoint> seven = endpoints_from(0, 7), next = endpoints_from(7, 7);
  EXPECT_THAT(verify_jobs({{batch, seven}, {batch, next}}),
              Refused(operation, "endpoints.size of all jobs", "14"));
  EXPECT_THAT(verify_jobs({{batch, seven}, {batch, {}}}),
              Refused(operation, "jobs[1].endpoints.size", "0"));
  RequestBatch bad = batch;
  bad.window = -1;
  EXPECT_THAT(verify_jobs({{batch, {&seven[0], 1}}, {bad, {&seven[1], 1}}}),
              Refused(operation, "jobs[1].batch.window", "-1"));
}

}  // namespace
