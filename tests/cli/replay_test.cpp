#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "sim/trace.hpp"
#include "sim/workload.hpp"
#include "tests/cli/run_tool.hpp"

/// `kvcanary replay` on good traces: its counts against what the trace implies, and its faults.
namespace kvcanary::cli_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<sim::Request> small_workload() {
  return sim::generate_workload({.conversations = 8,
                                 .max_turns = 3,
                                 .max_turn_length = 700,
                                 .max_output_length = 40,
                                 .seed = 5});
}

std::string trace_file() {
  std::ostringstream text;
  sim::write_trace(text, small_workload());
  return file_with(text.str());
}

std::int64_t kv_positions(const std::vector<sim::Request>& requests) {
  std::int64_t sum = 0;
  for (const sim::Request& request : requests) sum += sim::kv_length(request);
  return sum;
}

Json replay_json(std::vector<std::string> options, int expected_exit) {
  std::vector<std::string> arguments{"replay", trace_file(), "--slots", "16384", "--json", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ToolRun run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, expected_exit) << run.out << run.err;
  return Json::parse(run.out);
}

void expect_clean(const Json& report) {
  EXPECT_EQ(report["clean"], true);
  EXPECT_EQ(report["violations"]["total"], 0);
  EXPECT_EQ(report["mismatches"], Json::array());
  const auto requests = small_workload();
  EXPECT_EQ(report["requests_finished"], requests.size());
  EXPECT_EQ(report["trace_tokens"], kv_positions(requests));
  EXPECT_EQ(report["tokens_written"].get<std::int64_t>() +
                report["prefix_hit_tokens"].get<std::int64_t>() -
                report["recomputed_tokens"].get<std::int64_t>(),
            kv_positions(requests));
}

TEST(Replay, CleanTraceCountsWhatTheTraceImplies) {
  const Json report = replay_json({}, 0);
  expect_clean(report);
  for (const char* tag : {"HEAD_K_FULL", "HEAD_V_FULL"}) {
    EXPECT_EQ(report["written"][tag]["entries"], report["tokens_written"]);
    EXPECT_EQ(report["written"][tag]["launches"], report["steps"]);
    EXPECT_EQ(report["verified"][tag]["entries"], report["slots_verified"]);
  }
  EXPECT_GT(report["slots_verified"].get<std::int64_t>(),
            report["tokens_written"].get<std::int64_t>());
  EXPECT_GT(report["prefix_hit_tokens"].get<std::int64_t>(), 0);
}

TEST(Replay, CleanUnderEveryShapeOfEngine) {
  const std::vector<std::vector<std::string>> shapes{
      {"--page-size", "1"},
      {"--page-size", "64", "--kv-hash", "none"},
      {"--kv-hash", "partial", "--kv-bytes", "24"},
      {"--kv-bytes", "13", "--running", "3", "--chunk", "100"},
      {"--slots", "4096", "--running", "8"},
      {"--window", "128", "--sweep-every", "3"},
      {"--window", "100", "--page-size", "1", "--slots", "6000", "--verify-every", "2"},
      {"--threads", "1", "--seed", "9"},
      {"--chain", "polynomial", "--window", "100", "--sweep-every", "3"}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    expect_clean(replay_json(shape, 0));
  }
}

TEST(Replay, SmallPoolEvicts) {
  const Json report = replay_json({"--slots", "4096"}, 0);
  EXPECT_GT(report["evicted_pages"].get<std::int64_t>(), 0);
}

TEST(Replay, WindowPoolIsVerifiedToo) {
  const Json report = replay_json({"--window", "128", "--sweep-every", "4"}, 0);
  EXPECT_EQ(report["written"]["HEAD_K_SWA"]["entries"], report["tokens_written"]);
  EXPECT_GT(report["verified"]["HEAD_V_SWA"]["entries"].get<std::int64_t>(), 0);
  EXPECT_GT(report["verified"]["SWEEP_K_FULL"]["entries"].get<std::int64_t>(), 0);
  EXPECT_GT(report["verified"]["SWEEP_V_SWA"]["entries"].get<std::int64_t>(), 0);
}

TEST(Replay, NeverVerifyingVerifiesNothing) {
  const Json report = replay_json({"--verify-every", "0"}, 0);
  EXPECT_EQ(report["slots_verified"], 0);
  EXPECT_EQ(report["verified"], Json::object());
}

TEST(Replay, RequestLimitReadsNoFurther) {
  const std::string trace = file_with(read_file(trace_file()) + "this is not JSON\n");
  const std::string requests = std::to_string(small_workload().size());
  EXPECT_EQ(run_tool({"replay", trace, "--requests", requests}).exit_code, 0);
  EXPECT_EQ(run_tool({"replay", trace}).exit_code, 2);
}

struct FaultCase {
  const char* fault;
  const char* reason;
};

/// A fault, and the chain of all buffers.
class ReplayFault : public testing::TestWithParam<std::tuple<FaultCase, const char*>> {};

TEST_P(ReplayFault, IsDetectedForItsReason) {
  const auto& [kind, chain] = GetParam();
  for (const std::string& at : {std::string(), std::string("@step=20")}) {
    const std::string fault = kind.fault + at;
    SCOPED_TRACE(fault);
    const Json report = replay_json({"--fault", fault, "--stop", "--chain", chain}, 1);
    EXPECT_EQ(report["config"]["chain"], chain);
    EXPECT_EQ(report["clean"], false);
    EXPECT_EQ(report["fault"]["applied"], true);
    EXPECT_GE(report["fault"]["step"].get<std::int64_t>(), at.empty() ? 8 : 20);
    ASSERT_GT(report["violations"]["total"].get<std::int64_t>(), 0);
    EXPECT_GE(report["fault"]["steps_until_detection"].get<std::int64_t>(), 0);
    EXPECT_LE(report["fault"]["steps_until_detection"].get<std::int64_t>(), 10);
    const std::string reason = report["violations"]["first"][0]["fail_reason"];
    EXPECT_THAT(reason, HasSubstr(kind.reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ReplayFault,
    testing::Combine(testing::Values(FaultCase{"kv-bit", "verify_real_kv_hash"},
                                     FaultCase{"table-entry", "verify_chain_hash"},
                                     FaultCase{"early-free", "verify_chain_hash"},
                                     FaultCase{"token", "write_token"},
                                     FaultCase{"position", "write_position"}),
                     testing::Values("splitmix", "polynomial")),
    [](const auto& info) {
      std::string name = std::get<0>(info.param).fault;
      name += std::string("_") + std::get<1>(info.param);
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST(Replay, FlippedBitNamesItsSlot) {
  const Json report = replay_json({"--fault", "kv-bit", "--stop"}, 1);
  EXPECT_EQ(report["violations"]["first"][0]["slot"], report["fault"]["slot"]);
  EXPECT_EQ(report["violations"]["first"][0]["expected_position"], report["fault"]["position"]);
  EXPECT_EQ(report["violations"]["first"][0]["fail_bits"], 4);
}

TEST(Replay, HashOffMissesAFlippedBit) {
  const Json report = replay_json({"--fault", "kv-bit", "--kv-hash", "none"}, 0);
  EXPECT_EQ(report["fault"]["applied"], true);
}

// Exit code 0 would say that a canary under test has slept through the fault.
TEST(Replay, FaultWithoutVictimIsBadUsage) {
  const std::string json = temporary_folder() + "/no_victim.json";
  const ToolRun run =
      run_tool({"replay", trace_file(), "--fault", "kv-bit@step=1000000", "--json", json});
  EXPECT_EQ(run.exit_code, 2);
  const Json report = Json::parse(read_file(json));
  EXPECT_EQ(report["fault"]["applied"], false);
  expect_clean(report);
  EXPECT_EQ(run.err, "kvcanary: --fault kv-bit@step=1000000 found no victim in the run's " +
                         report["steps"].dump() + " steps\n");
  EXPECT_THAT(run.out, HasSubstr("no kv-bit fault"));
}

TEST(Replay, TextReportIsComplete) {
  const ToolRun run =
      run_tool({"replay", trace_file(), "--slots", "16384", "--fault", "table-entry"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  for (const char* part :
       {"violations", "splitmix chains", "requests", "tokens", "verified", "evicted", "seconds",
        "M slots/s", "fault", "detected",
        "kv_canary violation: launch_tag=HEAD_K_FULL fail_reason=verify_chain_hash",
        "KV canary violation in HEAD_K_FULL", "the trace implies"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Replay, SameSeedSameViolations) {
  const auto violations = [] { return replay_json({"--fault", "early-free"}, 1)["violations"]; };
  EXPECT_EQ(violations(), violations());
}

TEST(Replay, JsonGoesToAFileBesideTheText) {
  const std::string json = temporary_folder() + "/report.json";
  const ToolRun run = run_tool({"replay", trace_file(), "--json", json});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("clean"));
  expect_clean(Json::parse(read_file(json)));
}

}  // namespace
}  // namespace kvcanary::cli_test
