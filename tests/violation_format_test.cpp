#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/violation.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// Violations as text.
namespace {

using kvcanary::LaunchTag;
using kvcanary::Violation;
using testing::HasSubstr;
using testing::Not;
namespace fail_bit = kvcanary::fail_bit;

/// By bit, lowest first.
const std::vector<std::pair<std::int64_t, std::string>> reasons = {
    {1, "verify_chain_hash"},   {2, "verify_position"},  {4, "verify_real_kv_hash"},
    {8, "write_token"},         {16, "write_position"},  {32, "verify_token"},
    {64, "slot_out_of_bounds"}, {128, "malformed_plan"}, {2048, "padding_read"}};

/// A verify entry in which all is wrong.
const Violation verify_violation = {
    .launch_tag = 0,
    .slot = 17,
    .position = 5,
    .stored_token = 101,
    .expected_token = 7592,
    .stored_chain_hash = 0x542FE5061275A6AB,
    .expected_aux = std::bit_cast<std::int64_t>(0xDE7FAE23A9A1B716),
    .fail_bits =
        fail_bit::chain_hash | fail_bit::position | fail_bit::kv_hash | fail_bit::verify_token,
    .request_row = 3,
    .entry = 12,
    .expected_position = 6,
    .stored_kv_hash = 0x1234,
    .expected_kv_hash = std::bit_cast<std::int64_t>(0xFEDCBA9876543210)};

/// A write entry, of which nothing is wrong yet.
const Violation write_violation = {.launch_tag = 4,
                                   .slot = 7,
                                   .position = 6,
                                   .stored_token = 101,
                                   .expected_token = 101,
                                   .stored_chain_hash = 0x542FE5061275A6AB,
                                   .expected_aux = 6,
                                   .fail_bits = 0,
                                   .request_row = 3,
                                   .entry = 12,
                                   .expected_position = 6,
                                   .stored_kv_hash = 0,
                                   .expected_kv_hash = 0};

/// What is not about an entry, or has no record.
Violation other_violation(std::int64_t slot, std::int64_t fail_bits) {
  return {.launch_tag = 11,
          .slot = slot,
          .position = -1,
          .stored_token = 0,
          .expected_token = -1,
          .stored_chain_hash = 0,
          .expected_aux = 0,
          .fail_bits = fail_bits,
          .request_row = -1,
          .entry = -1,
          .expected_position = -1,
          .stored_kv_hash = 0,
          .expected_kv_hash = 0};
}

// ---- names --------------------------------------------------------------------------------------

TEST(ViolationFormatTest, NamesOfTags) {
  const std::vector<std::string> names = {
      "HEAD_K_FULL", "HEAD_V_FULL", "TAIL_K_FULL", "TAIL_V_FULL", "SWEEP_K_FULL", "SWEEP_V_FULL",
      "HEAD_K_SWA",  "HEAD_V_SWA",  "TAIL_K_SWA",  "TAIL_V_SWA",  "SWEEP_K_SWA",  "SWEEP_V_SWA"};
  ASSERT_EQ(names.size(), static_cast<std::size_t>(kvcanary::num_launch_tags));
  for (std::size_t tag = 0; tag < names.size(); ++tag) {
    EXPECT_EQ(to_string(static_cast<LaunchTag>(tag)), names[tag]);
  }
}

TEST(ViolationFormatTest, NamesOfTheCallersTags) {
  const std::array<std::string_view, 3> names{"DRAFT_K", "", "DRAFT_V"};
  EXPECT_EQ(to_string(kvcanary::custom_tag(0), names), "DRAFT_K");
  EXPECT_EQ(to_string(kvcanary::custom_tag(1), names), "TAG_13") << "an empty name is none";
  EXPECT_EQ(to_string(kvcanary::custom_tag(2), names), "DRAFT_V");
  EXPECT_EQ(to_string(kvcanary::custom_tag(3), names), "TAG_15");
  EXPECT_EQ(to_string(kvcanary::custom_tag(0)), "TAG_12");
  EXPECT_EQ(to_string(static_cast<LaunchTag>(255)), "TAG_255");
  EXPECT_EQ(to_string(LaunchTag::head_k_full, names), "HEAD_K_FULL");
}

TEST(ViolationFormatTest, ReasonsOfEveryCombination) {
  EXPECT_EQ(kvcanary::fail_reason(0), "none");
  for (std::int64_t set = 1; set < 512; ++set) {
    std::int64_t bits = 0;
    std::string expected;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      bits |= reasons[i].first;
      expected += (expected.empty() ? "" : "+") + reasons[i].second;
    }
    EXPECT_EQ(kvcanary::fail_reason(bits), expected);
  }
}

TEST(ViolationFormatTest, UnknownBits) {
  EXPECT_EQ(kvcanary::fail_reason(256), "bit_256");
  EXPECT_EQ(kvcanary::fail_reason(1 + 256 + 1024 + 2048),
            "verify_chain_hash+bit_256+bit_1024+padding_read");
  EXPECT_EQ(kvcanary::fail_reason(INT64_MIN), "bit_9223372036854775808");
}

// ---- lines --------------------------------------------------------------------------------------

TEST(ViolationFormatTest, LineOfAVerifyEntry) {
  EXPECT_EQ(to_line(verify_violation),
            "kv_canary violation: launch_tag=HEAD_K_FULL "
            "fail_reason=verify_chain_hash+verify_position+verify_real_kv_hash+verify_token "
            "slot_idx=17 position=5 stored_token=101 expected_token=7592 "
            "stored_chain_hash=0x542fe5061275a6ab expected_aux=0xde7fae23a9a1b716 "
            "request_row=3 entry=12 expected_position=6 stored_kv_hash=0x0000000000001234 "
            "expected_kv_hash=0xfedcba9876543210");
}

TEST(ViolationFormatTest, LineOfAWholePlan) {
  Violation violation = other_violation(-1, fail_bit::malformed_plan);
  violation.expected_aux = 65;
  EXPECT_EQ(to_line(violation),
            "kv_canary violation: launch_tag=SWEEP_V_SWA fail_reason=malformed_plan slot_idx=-1 "
            "position=-1 stored_token=0 expected_token=-1 stored_chain_hash=0x0000000000000000 "
            "expected_aux=0x0000000000000041 request_row=-1 entry=-1 expected_position=-1 "
            "stored_kv_hash=0x0000000000000000 expected_kv_hash=0x0000000000000000");
}

TEST(ViolationFormatTest, TagsOfOthers) {
  const std::array<std::string_view, 1> names{"DRAFT_K"};
  Violation violation = verify_violation;
  const auto expect_tag = [&](std::int64_t tag, const std::string& name) {
    violation.launch_tag = tag;
    EXPECT_THAT(to_line(violation, names), HasSubstr(": launch_tag=" + name + " fail_reason="));
    EXPECT_THAT(to_block(violation, names),
                testing::StartsWith("KV canary violation in " + name + '\n'));
  };
  expect_tag(12, "DRAFT_K");
  expect_tag(13, "TAG_13");
  expect_tag(-1, "TAG_-1");
  expect_tag(256, "TAG_256");
}

// ---- blocks -------------------------------------------------------------------------------------

TEST(ViolationFormatTest, BlockOfAVerifyEntry) {
  EXPECT_EQ(to_block(verify_violation),
            "KV canary violation in HEAD_K_FULL\n"
            "  where    slot 17, position 6, request row 3, entry 12\n"
            "  reason   verify_chain_hash: the slot's history is not the one of the slot before "
            "it\n"
            "  reason   verify_position: the slot holds the token of another position\n"
            "  reason   verify_real_kv_hash: the KV bytes are not the ones that were written\n"
            "  reason   verify_token: the slot holds another token than the request's\n"
            "  token    101, expected 7592\n"
            "  position 5, expected 6\n"
            "  chain    0x542fe5061275a6ab, expected 0xde7fae23a9a1b716\n"
            "  KV hash  0x0000000000001234, expected 0xfedcba9876543210\n");
}

TEST(ViolationFormatTest, BlockSaysWhatIsRight) {
  Violation violation = verify_violation;
  violation.fail_bits = fail_bit::kv_hash;
  violation.expected_aux = violation.stored_chain_hash;
  violation.expected_position = violation.position;
  violation.expected_token = -1;
  const std::string block = to_block(violation);
  EXPECT_THAT(block, HasSubstr("  token    101, expected any\n"));
  EXPECT_THAT(block, HasSubstr("  position 5, as expected\n"));
  EXPECT_THAT(block, HasSubstr("  chain    0x542fe5061275a6ab, as expected or not compared\n"));
  violation.expected_token = violation.stored_token;
  violation.expected_kv_hash = violation.stored_kv_hash;
  EXPECT_THAT(to_block(violation), HasSubstr("  token    101, as expected\n"));
  EXPECT_THAT(to_block(violation),
              HasSubstr("  KV hash  0x0000000000001234, as expected or not compared\n"));
}

TEST(ViolationFormatTest, BlockHasTheReasonsThatApply) {
  Violation violation = verify_violation;
  for (std::int64_t set = 1; set < 512; ++set) {
    violation.fail_bits = 0;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if ((set >> i & 1) != 0) violation.fail_bits |= reasons[i].first;
    }
    const std::string block = to_block(violation);
    for (const auto& [bit, name] : reasons) {
      const auto line = HasSubstr("  reason   " + name + ": ");
      if ((violation.fail_bits & bit) != 0) {
        EXPECT_THAT(block, line);
      } else {
        EXPECT_THAT(block, Not(line));
      }
    }
  }
  violation.fail_bits = 256;
  EXPECT_THAT(to_block(violation), HasSubstr("  reason   bit_256: unknown\n"));
}

TEST(ViolationFormatTest, BlocksOfAWriteEntry) {
  Violation violation = write_violation;
  const std::string where = "  where    slot 7, position 6, request row 3, entry 12\n";
  const std::string chain = "  chain    0x542fe5061275a6ab, of the tokens before it\n";
  const std::string token = "  token    101, as expected or not compared\n";
  const std::string position = "  position 6, as expected or not compared\n";

  violation.fail_bits = fail_bit::slot_out_of_bounds;
  EXPECT_THAT(to_block(violation), HasSubstr(where));
  EXPECT_THAT(to_block(violation), HasSubstr(token + position + chain));
  violation.fail_bits = fail_bit::write_token;
  violation.expected_token = 102;
  EXPECT_THAT(to_block(violation), HasSubstr("  token    101, expected 102\n" + position + chain));
  violation.fail_bits |= fail_bit::write_position;
  violation.expected_aux = violation.expected_position = 8;
  EXPECT_THAT(to_block(violation), HasSubstr(where));
  EXPECT_THAT(to_block(violation),
              HasSubstr("  token    101, expected 102\n  position 6, expected 8\n" + chain));
}

TEST(ViolationFormatTest, BlockOfASeed) {
  Violation violation = other_violation(kvcanary::invalid_slot, fail_bit::slot_out_of_bounds);
  violation.request_row = 3;
  violation.entry = 2;
  EXPECT_THAT(to_block(violation),
              HasSubstr("  where    seed of a request, slot -2 (the slot table or its translation "
                        "names none), request row 3, entry 2\n"));
  violation.slot = 900;
  EXPECT_THAT(to_block(violation), HasSubstr("  where    seed of a request, slot 900, request"));
}

TEST(ViolationFormatTest, BlockOfOffsets) {
  Violation violation = other_violation(-1, fail_bit::malformed_plan);
  violation.request_row = 3;
  violation.entry = 2;
  violation.expected_aux = 37;
  const std::string block = to_block(violation);
  EXPECT_THAT(block, HasSubstr("  where    offsets of a request, request row 3, entry 2\n"));
  EXPECT_THAT(block, HasSubstr("  found    the request's entries end at offset 37\n"));
}

TEST(ViolationFormatTest, BlocksOfAWholePlan) {
  Violation violation = other_violation(-1, fail_bit::malformed_plan);
  violation.expected_aux = 37;
  EXPECT_THAT(to_block(violation), HasSubstr("  where    the whole plan\n"));
  EXPECT_THAT(to_block(violation),
              HasSubstr("  found    a count of 37 (requests of a write, entries of a verify)\n"));
  violation.expected_position = 40;
  EXPECT_THAT(to_block(violation),
              HasSubstr("  found    offsets end at 37, the step has 40 tokens\n"));
}

/// Of a verify entry whose record was not looked at.
TEST(ViolationFormatTest, BlocksWithoutARecord) {
  Violation violation = other_violation(0, fail_bit::padding_read);
  violation.position = 0;
  violation.expected_position = 6;
  violation.request_row = 3;
  violation.entry = 12;
  EXPECT_EQ(to_block(violation),
            "KV canary violation in SWEEP_V_SWA\n"
            "  where    slot 0, position 6, request row 3, entry 12\n"
            "  reason   padding_read: a padding slot, which holds nobody's token, is read as part "
            "of a request's prefix\n"
            "  record   not looked at\n"
            "  token    expected any\n");
  violation.fail_bits = fail_bit::slot_out_of_bounds;
  violation.slot = kvcanary::invalid_slot;
  violation.expected_token = 7592;
  const std::string block = to_block(violation);
  EXPECT_THAT(block, HasSubstr("  where    slot -2 (the slot table or its translation names none), "
                               "position 6, request row 3, entry 12\n"));
  EXPECT_THAT(block, HasSubstr("  record   not looked at, or all of it is 0\n"));
  EXPECT_THAT(block, HasSubstr("  token    expected 7592\n"));
}

/// A predecessor or a KV row is out of bounds: the record was compared.
TEST(ViolationFormatTest, BlockOfAPredecessorOutOfBounds) {
  Violation violation = verify_violation;
  violation.fail_bits = fail_bit::slot_out_of_bounds;
  violation.position = violation.expected_position = 0;
  violation.expected_aux = violation.stored_chain_hash;
  violation.expected_token = violation.stored_token;
  EXPECT_THAT(to_block(violation), HasSubstr("  token    101, as expected\n"
                                             "  position 0, as expected\n"
                                             "  chain    0x542fe5061275a6ab, as expected or not "
                                             "compared\n"
                                             "  KV hash  "));
}

TEST(ViolationFormatTest, LineIsOneLine) {
  EXPECT_EQ(to_line(verify_violation).find('\n'), std::string::npos);
}

}  // namespace
