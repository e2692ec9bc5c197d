#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_tool.hpp"

/// OpenMP's threads sleep while they wait, unless the user says otherwise.
namespace kvcanary::cli_test {
namespace {

/// A run in which the user has said nothing but `settings`.
ToolRun run_with(std::vector<std::string> settings, const std::vector<std::string>& arguments) {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    settings.insert(settings.begin(), std::string("--unset=") + name);
  }
  return run_tool(arguments, settings);
}

/// What libgomp says of itself whenever it is loaded. Not its OMP_WAIT_POLICY, which it shows as
/// passive when nothing is set, but how often threads look for work before they sleep.
std::vector<std::string> spin_counts(std::vector<std::string> settings) {
  settings.push_back("OMP_DISPLAY_ENV=verbose");
  const std::string text = run_with(settings, {"--version"}).err;
  const std::string before = "GOMP_SPINCOUNT = '";
  std::vector<std::string> counts;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    counts.push_back(text.substr(at, text.find('\'', at) - at));
  }
  return counts;
}

class Waiting : public testing::Test {
 protected:
  void SetUp() override {
    if (spin_counts({}).empty()) GTEST_SKIP() << "the command line does not use libgomp";
  }
};

TEST_F(Waiting, ThreadsSleepAtOnce) { EXPECT_EQ(spin_counts({}).back(), "0"); }

// Each is one count: the program was not started anew.
TEST_F(Waiting, TheUserDecides) {
  using Counts = std::vector<std::string>;
  EXPECT_EQ(spin_counts({"OMP_WAIT_POLICY=active"}), Counts{"30000000000"});
  EXPECT_EQ(spin_counts({"OMP_WAIT_POLICY=passive"}), Counts{"0"});
  EXPECT_EQ(spin_counts({"GOMP_SPINCOUNT=7000"}), Counts{"7000"});
  EXPECT_EQ(spin_counts({"KMP_BLOCKTIME=1"}), Counts{"300000"});
}

TEST_F(Waiting, NothingElseIsSeenOfIt) {
  const std::vector<std::vector<std::string>> lines{
      {"--help"}, {"replay", "--help"}, {}, {"replay", "no such 'trace'", ""}, {"reply me", "--x"}};
  for (const auto& arguments : lines) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const ToolRun anew = run_with({}, arguments);
    const ToolRun as_it_is = run_with({"OMP_WAIT_POLICY=passive"}, arguments);
    EXPECT_EQ(anew.exit_code, as_it_is.exit_code);
    EXPECT_EQ(anew.out, as_it_is.out);
    EXPECT_EQ(anew.err, as_it_is.err);
  }
  EXPECT_EQ(run_with({}, {"selftest", "--cases", "1"}).err, "");
}

}  // namespace
}  // namespace kvcanary::cli_test
