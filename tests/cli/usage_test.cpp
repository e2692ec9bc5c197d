#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tool.hpp"

/// Bad usage, bad input, and the commands that take no trace.
namespace kvcanary::cli_test {
namespace {

using testing::HasSubstr;

constexpr const char* good_line =
    R"({"timestamp": 0, "input_length": 600, "output_length": 4, "hash_ids": [1, 2]})";

/// Exit code 2, nothing on standard output, and a message that says what is wrong.
void expect_refused(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& parts) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  const ToolRun run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  for (const std::string& part : parts) EXPECT_THAT(run.err, HasSubstr(part));
}

TEST(Usage, HelpNamesEverything) {
  const ToolRun help = run_tool({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* part : {"replay", "demo", "selftest", "Exit codes"}) {
    EXPECT_THAT(help.out, HasSubstr(part));
  }
  const ToolRun replay = run_tool({"replay", "--help"});
  EXPECT_EQ(replay.exit_code, 0);
  for (const char* part :
       {"--page-size", "--slots", "--running", "--chunk", "--window", "--kv-bytes", "--kv-hash",
        "--chain", "polynomial", "--verify-every", "--requests", "--seed", "--backend", "--json",
        "--fault", "kv-bit", "early-free"}) {
    EXPECT_THAT(replay.out, HasSubstr(part));
  }
}

TEST(Usage, VersionIsPrinted) {
  const ToolRun run = run_tool({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, testing::MatchesRegex("kvcanary [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, BadOptionsAreRefused) {
  const std::string trace = file_with(std::string(good_line) + "\n");
  expect_refused({}, {"subcommand"});
  expect_refused({"reply"}, {"reply"});
  expect_refused({"replay"}, {"TRACE"});
  expect_refused({"replay", trace, "--page-sise", "4"}, {"--page-sise"});
  expect_refused({"replay", trace, "--page-size", "0"}, {"--page-size", "0"});
  expect_refused({"replay", trace, "--page-size", "many"}, {"--page-size", "many"});
  expect_refused({"replay", trace, "--kv-hash", "some"}, {"--kv-hash", "some", "partial"});
  expect_refused({"replay", trace, "--chain", "daisy"},
                 {"--chain", "daisy", "splitmix", "polynomial"});
  expect_refused({"replay", trace, "--backend", "abacus"}, {"--backend", "abacus"});
  expect_refused({"replay", trace, "--verify-every", "-1"}, {"--verify-every", "-1"});
  expect_refused({"replay", trace, "--fault", "gremlin"}, {"gremlin", "kv-bit", "early-free"});
  expect_refused({"replay", trace, "--fault", "kv-bit@step=x"}, {"kv-bit@step=x"});
  expect_refused({"replay", trace, "--slots", "1000"}, {"1000"});
  expect_refused({"replay", trace, "--slots", "32"}, {"request 0", "603 slots"});
  expect_refused({"selftest", "--cases", "0"}, {"--cases", "0"});
}

TEST(Usage, UnwritableJsonIsRefused) {
  const std::string trace = file_with(std::string(good_line) + "\n");
  const ToolRun run = run_tool({"replay", trace, "--json", "/no/such/folder/report.json"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("/no/such/folder/report.json"));
}

TEST(Usage, BadTraceIsNamedWithFileAndLine) {
  expect_refused({"replay", "/no/such/trace.jsonl"}, {"/no/such/trace.jsonl"});
  expect_refused({"replay", file_with("")}, {"empty"});
  const std::vector<std::pair<std::string, std::string>> bad_lines{
      {"{", "JSON"},
      {"[1, 2]", "object"},
      {R"({"timestamp": 0, "output_length": 4, "hash_ids": [1]})", "input_length"},
      {R"({"timestamp": 0, "input_length": "long", "output_length": 4, "hash_ids": [1]})",
       "input_length"},
      {R"({"timestamp": 0, "input_length": -5, "output_length": 4, "hash_ids": [1]})", "-5"},
      {R"({"timestamp": 0, "input_length": 600, "output_length": 0, "hash_ids": [1, 2]})",
       "output_length"},
      {R"({"timestamp": 0, "input_length": 600, "output_length": 4, "hash_ids": [1]})",
       "hash_ids"}};
  for (const auto& [line, part] : bad_lines) {
    const std::string file = file_with(std::string(good_line) + "\n\n" + line + "\n");
    expect_refused({"replay", file}, {file + ":3: ", part});
  }
}

TEST(Usage, SelftestPasses) {
  const ToolRun run = run_tool({"selftest", "--cases", "20"});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("known answers, splitmix"));
  EXPECT_THAT(run.out, HasSubstr("known answers, polynomial"));
  EXPECT_THAT(run.out, HasSubstr("all passed"));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("FAIL")));
}

TEST(Usage, DemoFindsEveryFault) {
  const ToolRun run = run_tool({"demo"});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  const std::string table = run.out.substr(run.out.rfind("fault        detected"));
  for (const char* line : {"no fault     no", "kv-bit       yes", "table-entry  yes",
                           "early-free   yes", "token        yes", "position     yes"}) {
    EXPECT_THAT(table, HasSubstr(line));
  }
}

}  // namespace
}  // namespace kvcanary::cli_test
