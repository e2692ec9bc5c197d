#include "sim/trace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace kvcanary::sim {
namespace {

const std::string good_line =
    R"({"timestamp": 27, "input_length": 513, "output_length": 3, "hash_ids": [46, 47]})";

std::vector<Request> read(const std::string& text, std::int64_t limit = no_limit) {
  std::istringstream in(text);
  return read_trace(in, "t.jsonl", limit);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Trace, ReadsRequests) {
  const std::vector<Request> requests = read(good_line + "\n" + good_line);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], (Request{27, 513, 3, {46, 47}}));
  EXPECT_EQ(requests[1], requests[0]);
}

TEST(Trace, IgnoresBlankLinesAndFurtherKeys) {
  const std::vector<Request> requests = read(
      "\n \t\r\n"
      R"({"model": [1], "hash_ids": [5], "output_length": 1, "input_length": 1, "timestamp": 0})"
      "\r\n\n");
  EXPECT_EQ(requests, (std::vector<Request>{{0, 1, 1, {5}}}));
}

TEST(Trace, StopsAtTheLimit) {
  EXPECT_EQ(read(good_line + "\n" + good_line + "\n" + good_line, 2).size(), 2u);
  EXPECT_EQ(read(good_line + "\nnot looked at", 1).size(), 1u);
  EXPECT_EQ(read(good_line, 5).size(), 1u);
  EXPECT_THROW(read(good_line, 0), std::invalid_argument);
}

TEST(Trace, NamesTheLineOfAnError) {
  EXPECT_EQ(error_of(good_line + "\n\n{}"),
            "t.jsonl:3: timestamp is missing, must be an integer >= 0");
}

struct BadLine {
  const char* line;
  const char* error;
};

class TraceErrors : public testing::TestWithParam<BadLine> {};

TEST_P(TraceErrors, SayWhatIsWrong) { EXPECT_EQ(error_of(GetParam().line), GetParam().error); }

INSTANTIATE_TEST_SUITE_P(
    Lines, TraceErrors,
    testing::Values(
        BadLine{"", "t.jsonl: the trace is empty, must have at least one request"},
        BadLine{"hello", "t.jsonl:1: not JSON: error at column 1, must be one JSON object"},
        BadLine{R"({"timestamp": 1)",
                "t.jsonl:1: not JSON: error at column 16, must be one JSON object"},
        BadLine{R"({"timestamp": 1e999})",
                "t.jsonl:1: not JSON: a number is too large for a double, must be one JSON object"},
        BadLine{"\"\xff\"", "t.jsonl:1: not JSON: error at column 2, must be one JSON object"},
        BadLine{"17", "t.jsonl:1: the line is 17, must be a JSON object"},
        BadLine{"[]", "t.jsonl:1: the line is an array, must be a JSON object"},
        BadLine{R"({"timestamp": -1})", "t.jsonl:1: timestamp is -1, must be an integer >= 0"},
        BadLine{R"({"timestamp": 1.5})", "t.jsonl:1: timestamp is 1.5, must be an integer >= 0"},
        BadLine{R"({"timestamp": 9223372036854775808})",
                "t.jsonl:1: timestamp is 9223372036854775808, must be an integer >= 0"},
        BadLine{R"({"timestamp": {"a": 1}})",
                "t.jsonl:1: timestamp is an object, must be an integer >= 0"},
        BadLine{R"({"timestamp": "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee"})",
                "t.jsonl:1: timestamp is \"aaaaaaaaaabbbbbbbbbbccccccccccddddddddd..., must be an "
                "integer >= 0"},
        BadLine{R"({"timestamp": 0, "output_length": 1, "hash_ids": [0]})",
                "t.jsonl:1: input_length is missing, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 0})",
                "t.jsonl:1: input_length is 0, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 2147483648})",
                "t.jsonl:1: input_length is 2147483648, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": null})",
                "t.jsonl:1: input_length is null, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "hash_ids": [0]})",
                "t.jsonl:1: output_length is missing, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": 0})",
                "t.jsonl:1: output_length is 0, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": true})",
                "t.jsonl:1: output_length is true, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": 99999999999})",
                "t.jsonl:1: output_length is 99999999999, must be an integer in [1, 2147483647]"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": 1})",
                "t.jsonl:1: hash_ids is missing, must be an array of integers >= 0"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": 3})",
                "t.jsonl:1: hash_ids is 3, must be an array of integers >= 0"},
        BadLine{R"({"timestamp": 0, "input_length": 513, "output_length": 1, "hash_ids": [3]})",
                "t.jsonl:1: hash_ids has 1 ids, must have 2: one per 512 tokens of input_length "
                "513"},
        BadLine{R"({"timestamp": 0, "input_length": 512, "output_length": 1, "hash_ids": [3, 4]})",
                "t.jsonl:1: hash_ids has 2 ids, must have 1: one per 512 tokens of input_length "
                "512"},
        BadLine{R"({"timestamp": 0, "input_length": 513, "output_length": 1, "hash_ids": [3, -4]})",
                "t.jsonl:1: hash_ids[1] is -4, must be an integer >= 0"},
        BadLine{R"({"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": ["a"]})",
                "t.jsonl:1: hash_ids[0] is \"a\", must be an integer >= 0"}));

TEST(Trace, SurvivesDeepNesting) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(error_of("{\"timestamp\": " + deep + "}"),
            "t.jsonl:1: timestamp is an array, must be an integer >= 0");
}

TEST(Trace, SaysWhyAFileCannotBeRead) {
  const std::filesystem::path missing = testing::TempDir() + "/no_such_trace.jsonl";
  try {
    read_trace(missing);
    FAIL() << "no error";
  } catch (const TraceError& error) {
    EXPECT_EQ(error.what(), missing.string() + ": cannot be opened: No such file or directory");
  }
  EXPECT_THROW(read_trace(std::filesystem::path(testing::TempDir())), TraceError);
}

TEST(Trace, WhatIsWrittenIsRead) {
  const std::vector<Request> requests = {{0, 513, 2, {7, 9}}, {5, 1, 1, {0}}};
  const std::filesystem::path file = testing::TempDir() + "/kvcanary_trace_test.jsonl";
  write_trace(file, requests);
  EXPECT_EQ(read_trace(file), requests);
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, R"({"timestamp":0,"input_length":513,"output_length":2,"hash_ids":[7,9]})");
  in.close();
  std::filesystem::remove(file);
}

TEST(Trace, WritingNowhereIsAnError) {
  EXPECT_THROW(write_trace(testing::TempDir() + "/no/such/folder/t.jsonl", {}), TraceError);
}

}  // namespace
}  // namespace kvcanary::sim
