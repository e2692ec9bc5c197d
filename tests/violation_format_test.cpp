#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <kvcanary/violation.hpp>
#include <string>
#include <vector>

/// \file
/// Violations as text.
namespace {

using kvcanary::LaunchTag;
using kvcanary::Violation;
using testing::HasSubstr;
namespace fail_bit = kvcanary::fail_bit;

/// By bit: 1, 2, 4, ...
const std::vector<std::string> reasons = {"chain_hash",         "position",       "kv_hash",
                                          "write_token",        "write_position", "verify_token",
                                          "slot_out_of_bounds", "malformed_plan"};

const Violation chain_violation = {0,
                                   17,
                                   5,
                                   101,
                                   7592,
                                   0x542FE5061275A6AB,
                                   static_cast<std::int64_t>(0xDE7FAE23A9A1B716),
                                   fail_bit::chain_hash | fail_bit::position,
                                   3,
                                   12};

TEST(ViolationFormatTest, NamesOfTags) {
  const std::vector<std::string> names = {
      "head_k_full", "head_v_full", "tail_k_full", "tail_v_full", "sweep_k_full", "sweep_v_full",
      "head_k_swa",  "head_v_swa",  "tail_k_swa",  "tail_v_swa",  "sweep_k_swa",  "sweep_v_swa"};
  ASSERT_EQ(names.size(), static_cast<std::size_t>(kvcanary::num_launch_tags));
  for (std::size_t tag = 0; tag < names.size(); ++tag) {
    EXPECT_EQ(to_string(static_cast<LaunchTag>(tag)), names[tag]);
  }
  EXPECT_EQ(to_string(static_cast<LaunchTag>(12)), "tag_12");
  EXPECT_EQ(to_string(static_cast<LaunchTag>(-1)), "tag_-1");
}

TEST(ViolationFormatTest, ReasonsOfEveryCombination) {
  EXPECT_EQ(kvcanary::fail_reason(0), "none");
  for (std::int64_t bits = 1; bits < 256; ++bits) {
    std::string expected;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if ((bits >> i & 1) != 0) expected += (expected.empty() ? "" : "+") + reasons[i];
    }
    EXPECT_EQ(kvcanary::fail_reason(bits), expected);
  }
}

TEST(ViolationFormatTest, UnknownBits) {
  EXPECT_EQ(kvcanary::fail_reason(256), "bit_256");
  EXPECT_EQ(kvcanary::fail_reason(1 + 256 + 1024), "chain_hash+bit_256+bit_1024");
  EXPECT_EQ(kvcanary::fail_reason(INT64_MIN), "bit_9223372036854775808");
}

TEST(ViolationFormatTest, LineOfAChainViolation) {
  EXPECT_EQ(to_line(chain_violation),
            "kv_canary violation: launch_tag=head_k_full fail_reason=chain_hash+position "
            "slot_idx=17 position=5 stored_token=101 expected_token=7592 "
            "stored_chain_hash=0x542fe5061275a6ab expected_aux=0xde7fae23a9a1b716 "
            "request_row=3 entry=12");
}

TEST(ViolationFormatTest, LineOfAWholePlan) {
  EXPECT_EQ(kvcanary::to_line({11, -1, -1, 0, -1, 0, 65, fail_bit::malformed_plan, -1, -1}),
            "kv_canary violation: launch_tag=sweep_v_swa fail_reason=malformed_plan slot_idx=-1 "
            "position=-1 stored_token=0 expected_token=-1 stored_chain_hash=0x0000000000000000 "
            "expected_aux=65 request_row=-1 entry=-1");
}

/// Hashes are hexadecimal, positions and counts decimal.
TEST(ViolationFormatTest, AuxOfEachReason) {
  Violation violation = chain_violation;
  violation.expected_aux = 26;
  const auto aux = [&violation](std::int64_t bits) {
    violation.fail_bits = bits;
    const std::string line = to_line(violation);
    const std::size_t begin = line.find("expected_aux=") + 13;
    return line.substr(begin, line.find(' ', begin) - begin);
  };
  const std::string hash = "0x000000000000001a";
  EXPECT_EQ(aux(fail_bit::chain_hash), hash);
  EXPECT_EQ(aux(fail_bit::chain_hash | fail_bit::position | fail_bit::kv_hash), hash);
  EXPECT_EQ(aux(fail_bit::position), "26");
  EXPECT_EQ(aux(fail_bit::position | fail_bit::kv_hash), "26");
  EXPECT_EQ(aux(fail_bit::kv_hash), hash);
  EXPECT_EQ(aux(fail_bit::kv_hash | fail_bit::verify_token), hash);
  EXPECT_EQ(aux(fail_bit::write_position), "26");
  EXPECT_EQ(aux(fail_bit::write_position | fail_bit::write_token), "26");
  EXPECT_EQ(aux(fail_bit::malformed_plan), "26");
}

TEST(ViolationFormatTest, LineIsOneLine) {
  EXPECT_EQ(to_line(chain_violation).find('\n'), std::string::npos);
}

TEST(ViolationFormatTest, BlockSaysWhereAndWhy) {
  Violation violation = chain_violation;
  for (std::int64_t bits = 1; bits < 256; ++bits) {
    violation.fail_bits = bits;
    const std::string block = to_block(violation);
    EXPECT_THAT(block, HasSubstr("head_k_full"));
    EXPECT_THAT(block, HasSubstr("slot 17"));
    EXPECT_THAT(block, HasSubstr("position 5"));
    EXPECT_THAT(block, HasSubstr("row 3"));
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      const bool failed = (bits >> i & 1) != 0;
      EXPECT_EQ(block.find(' ' + reasons[i] + ':') != std::string::npos, failed) << block;
    }
  }
}

}  // namespace
