#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// What the tests of refused arguments share.
namespace argument_cases {

using Space = Kokkos::DefaultHostExecutionSpace;
using HostMemory = Space::memory_space;
using kvcanary::Endpoint;
using kvcanary::IntSpan;
using kvcanary::KVSource;
using kvcanary::Memory;

/// The message of the std::invalid_argument that `call` throws.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(not refused)";
}

/// "write: endpoints[1].buffer.stride is 24, must be": the start of a message, whose rest is never
/// empty.
inline testing::Matcher<std::string> Refused(const std::string& operation,
                                             const std::string& argument,
                                             const std::string& value) {
  const std::string start = operation + ": " + argument + " is " + value + ", must be ";
  return testing::AllOf(testing::StartsWith(start), testing::SizeIs(testing::Gt(start.size())));
}

/// Arguments that are all right, for a test to spoil one of.
class ArgumentTest : public testing::Test {
 protected:
  ArgumentTest() {
    for (std::size_t i = 0; i < endpoints.size(); ++i) endpoints[i] = endpoint(i);
    batch.request_rows = batch.prefix_lengths = batch.extend_lengths = three;
    batch.table = {table.data(), 2, 3, 3, 1};
    batch.expected = {six, 2, 3, 3, three, 0};
    tokens.tokens = tokens.positions = tokens.slots = three;
  }

  /// The `index`-th of up to 16 that have no tag and no record in common.
  Endpoint endpoint(std::size_t index) {
    auto* const data = reinterpret_cast<std::byte*>(records.data() + 4 * index);
    return {static_cast<kvcanary::LaunchTag>(index), {data, 4, 32, Memory::host}};
  }
  /// `count` of them from `first` on.
  std::vector<Endpoint> endpoints_from(std::size_t first, std::size_t count) {
    std::vector<Endpoint> result;
    for (std::size_t i = first; i < first + count; ++i) result.push_back(endpoint(i));
    return result;
  }

  std::string plan() {
    return refusal([&] { kvcanary::plan(Space{}, batch, write_plan, verify_plan); });
  }
  std::string plan_write() {
    return refusal([&] { kvcanary::plan(Space{}, batch, write_plan); });
  }
  std::string write() {
    return refusal([&] { kvcanary::write(Space{}, write_plan, tokens, endpoints, log, counters); });
  }
  std::string write_jobs(const std::vector<kvcanary::WriteJob<HostMemory>>& jobs) {
    return refusal([&] {
      kvcanary::write(Space{}, std::span<const kvcanary::WriteJob<HostMemory>>(jobs), log,
                      counters);
    });
  }
  std::string write_requests() { return write_requests_jobs({{batch, tokens, endpoints}}); }
  std::string write_requests_jobs(const std::vector<kvcanary::StepJob>& jobs) {
    return refusal([&] {
      kvcanary::write_requests(Space{}, std::span<const kvcanary::StepJob>(jobs), {}, log,
                               counters);
    });
  }
  std::string step(kvcanary::StepSide side = kvcanary::StepSide::head) {
    return step_jobs({{batch, tokens, endpoints}}, side);
  }
  std::string step_jobs(const std::vector<kvcanary::StepJob>& jobs,
                        kvcanary::StepSide side = kvcanary::StepSide::head) {
    return refusal([&] {
      kvcanary::step(Space{}, side, std::span<const kvcanary::StepJob>(jobs), {}, log, counters);
    });
  }
  std::string verify() {
    return refusal([&] { kvcanary::verify(Space{}, verify_plan, endpoints, log, counters); });
  }
  std::string verify_requests() {
    return refusal([&] { kvcanary::verify_requests(Space{}, batch, endpoints, log, counters); });
  }
  std::string verify_jobs(const std::vector<kvcanary::VerifyJob>& jobs) {
    return refusal([&] {
      kvcanary::verify_requests(Space{}, std::span<const kvcanary::VerifyJob>(jobs), log, counters);
    });
  }

  std::vector<std::int64_t> ints = std::vector<std::int64_t>(6, 0);
  IntSpan two{ints.data(), 2}, three{ints.data(), 3}, four{ints.data(), 4}, six{ints.data(), 6};
  std::vector<std::int32_t> table = std::vector<std::int32_t>(6, 0);
  std::vector<kvcanary::Record> records = std::vector<kvcanary::Record>(64);

  Space space;
  kvcanary::WritePlan<HostMemory> write_plan = kvcanary::WritePlan<HostMemory>::allocate(space, 3);
  kvcanary::VerifyPlan<HostMemory> verify_plan =
      kvcanary::VerifyPlan<HostMemory>::allocate(space, 8);
  kvcanary::ViolationLog<HostMemory> log = kvcanary::ViolationLog<HostMemory>::allocate(space, 8);
  kvcanary::LaunchCounters<HostMemory> counters =
      kvcanary::LaunchCounters<HostMemory>::allocate(space);
  kvcanary::RequestBatch batch;
  kvcanary::TokenBatch tokens;
  std::vector<Endpoint> endpoints = std::vector<Endpoint>(2);
};

}  // namespace argument_cases
