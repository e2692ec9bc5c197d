#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/record.hpp"
#include "oracle/write.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/check.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Damaged pools, and exactly what verify must say about them.
namespace {

using build::Ints;
using oracle::Endpoint;
using oracle::KVMode;
using oracle::no_slot;
using oracle::Record;
using oracle::VerifyEntry;
using oracle::VerifyPlan;
using oracle::Violation;
namespace bit = oracle::bit;

/// The four tokens whose hashes are published, at positions 0 to 3.
const Ints tokens = {101, 7592, 2088, 102};
const Ints slots = {5, 2, 7, 3};
constexpr auto anchor = static_cast<std::int64_t>(0xDE7FAE23A9A1B716);
constexpr std::int64_t second_hash = 0x542FE5061275A6AB;

/// Eight slots that hold the four tokens, with KV bytes of two sources of which part is read.
Endpoint written(int tag = 0, KVMode mode = KVMode::all, std::int64_t stride = 48) {
  std::vector<Endpoint> endpoints = {build::endpoint(tag, 8, stride)};
  endpoints[0].mode = mode;
  endpoints[0].sources = {build::kv_source(8, 1, 32, 24), build::kv_source(2, 4, 20, 13)};
  oracle::Report report;
  oracle::write(build::write_plan({4}, {no_slot}), {tokens, build::iota(4), slots}, endpoints,
                report);
  return endpoints[0];
}

template <class Space>
class VerifyTest : public SpaceTest<Space> {
 protected:
  static std::vector<Violation> run(const VerifyPlan& plan, const Endpoint& endpoint) {
    return check_verify<Space>({}, plan, {endpoint}).violations;
  }

  /// What is reported about the chain in `slots`, as "entry:bits" in the order of the entries.
  static std::string findings(const Endpoint& endpoint) {
    return to_text(run(build::verify_chain(slots), endpoint));
  }

  static std::string to_text(std::vector<Violation> violations) {
    std::ranges::sort(violations, {}, &Violation::entry);
    std::string text;
    for (const Violation& violation : violations) {
      text += (text.empty() ? "" : " ") + std::to_string(violation.entry) + ':' +
              std::to_string(violation.fail_bits);
    }
    return text;
  }
};
TYPED_TEST_SUITE(VerifyTest, OperationSpaces, SpaceName);

TYPED_TEST(VerifyTest, WhatWasWrittenIsClean) {
  for (const KVMode mode : {KVMode::none, KVMode::partial, KVMode::all}) {
    for (const std::int64_t stride : {32, 48, 64, 144}) {
      const oracle::Report report =
          check_verify<TypeParam>({}, build::verify_chain(slots), {written(4, mode, stride)});
      EXPECT_TRUE(report.violations.empty());
      EXPECT_EQ(report.counts[4], (oracle::TagCounts{1, 4}));
    }
  }
}

/// One flipped bit is found at the entry itself, at the entry after it, or at both, and nowhere
/// else.
TYPED_TEST(VerifyTest, EveryFieldOfARecord) {
  using Member = std::int64_t Record::*;  // nvcc would spell it with parentheses, and GCC mind
  struct Field {
    Member member;
    std::int64_t own, successors;
  };
  const std::vector<Field> fields = {
      {&Record::token, 0, bit::chain_hash},
      {&Record::position, bit::position, bit::chain_hash},
      {&Record::prev_hash, bit::chain_hash, bit::chain_hash},
      {&Record::kv_hash, bit::kv_hash, 0},
  };
  for (const Field& field : fields) {
    for (const int flipped : {0, 1, 7, 8, 31, 32, 47, 62, 63}) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        Endpoint endpoint = written();
        Record record = oracle::load(endpoint, slots[i]);
        record.*field.member ^= static_cast<std::int64_t>(std::uint64_t{1} << flipped);
        oracle::store(endpoint, slots[i], record);

        std::string expected;
        const auto expect = [&](std::size_t entry, std::int64_t bits) {
          if (bits == 0 || entry >= slots.size()) return;
          expected +=
              (expected.empty() ? "" : " ") + std::to_string(entry) + ':' + std::to_string(bits);
        };
        expect(i, field.own);
        expect(i + 1, field.successors);
        EXPECT_EQ(TestFixture::findings(endpoint), expected) << "entry " << i << " bit " << flipped;
      }
    }
  }
}

TYPED_TEST(VerifyTest, FieldsOfAChainViolation) {
  Endpoint endpoint = written();
  Record record = oracle::load(endpoint, 2);
  record.prev_hash = 12;
  record.position = 40;
  oracle::store(endpoint, 2, record);
  EXPECT_EQ(TestFixture::run(build::verify_chain({5, 2}, 9), endpoint),
            (std::vector<Violation>{{.launch_tag = 0,
                                     .slot = 2,
                                     .position = 40,
                                     .stored_token = 7592,
                                     .expected_token = -1,
                                     .stored_chain_hash = 12,
                                     .expected_aux = second_hash,
                                     .fail_bits = bit::chain_hash | bit::position,
                                     .request_row = 9,
                                     .entry = 1,
                                     .expected_position = 1,
                                     .stored_kv_hash = record.kv_hash,
                                     .expected_kv_hash = record.kv_hash}}));
}

/// Position 0 is compared with the anchor.
TYPED_TEST(VerifyTest, FieldsOfAChainViolationAtTheStart) {
  Endpoint endpoint = written(63, KVMode::none);
  oracle::store(endpoint, 5, {101, 0, 77, 0});
  EXPECT_EQ(TestFixture::run(build::verify_chain({5}), endpoint),
            (std::vector<Violation>{{.launch_tag = 63,
                                     .slot = 5,
                                     .position = 0,
                                     .stored_token = 101,
                                     .expected_token = -1,
                                     .stored_chain_hash = 77,
                                     .expected_aux = anchor,
                                     .fail_bits = bit::chain_hash,
                                     .request_row = 1,
                                     .entry = 0,
                                     .expected_position = 0,
                                     .stored_kv_hash = 0,
                                     .expected_kv_hash = 0}}));
}

TYPED_TEST(VerifyTest, FieldsOfAPositionViolation) {
  const Endpoint endpoint = written(7);
  const std::int64_t kv = oracle::load(endpoint, 2).kv_hash;
  const VerifyPlan plan = build::verify_plan({{2, 6, 5, 7592, 4}});
  EXPECT_EQ(TestFixture::run(plan, endpoint),
            (std::vector<Violation>{{.launch_tag = 7,
                                     .slot = 2,
                                     .position = 1,
                                     .stored_token = 7592,
                                     .expected_token = 7592,
                                     .stored_chain_hash = second_hash,
                                     .expected_aux = second_hash,
                                     .fail_bits = bit::position,
                                     .request_row = 4,
                                     .entry = 0,
                                     .expected_position = 6,
                                     .stored_kv_hash = kv,
                                     .expected_kv_hash = kv}}));
}

TYPED_TEST(VerifyTest, FieldsOfAKVViolation) {
  Endpoint endpoint = written();
  Record record = oracle::load(endpoint, 5);
  const std::int64_t right = record.kv_hash;
  record.kv_hash = 3;
  oracle::store(endpoint, 5, record);
  EXPECT_EQ(TestFixture::run(build::verify_chain({5}), endpoint),
            (std::vector<Violation>{{.launch_tag = 0,
                                     .slot = 5,
                                     .position = 0,
                                     .stored_token = 101,
                                     .expected_token = -1,
                                     .stored_chain_hash = anchor,
                                     .expected_aux = anchor,
                                     .fail_bits = bit::kv_hash,
                                     .request_row = 1,
                                     .entry = 0,
                                     .expected_position = 0,
                                     .stored_kv_hash = 3,
                                     .expected_kv_hash = right}}));
}

TYPED_TEST(VerifyTest, ExpectedTokens) {
  const Endpoint endpoint = written();
  VerifyPlan plan = build::verify_chain(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) plan.entries[i].expected_token = tokens[i];
  EXPECT_TRUE(TestFixture::run(plan, endpoint).empty());

  plan.entries[1].expected_token = 0;
  plan.entries[2].expected_token = -2;
  plan.entries[3].expected_token = -1;
  EXPECT_EQ(TestFixture::to_text(TestFixture::run(plan, endpoint)), "1:32 2:32");
  plan.num_entries = 2;
  const std::int64_t kv = oracle::load(endpoint, 2).kv_hash;
  EXPECT_EQ(TestFixture::run(plan, endpoint),
            (std::vector<Violation>{{.launch_tag = 0,
                                     .slot = 2,
                                     .position = 1,
                                     .stored_token = 7592,
                                     .expected_token = 0,
                                     .stored_chain_hash = second_hash,
                                     .expected_aux = second_hash,
                                     .fail_bits = bit::verify_token,
                                     .request_row = 1,
                                     .entry = 1,
                                     .expected_position = 1,
                                     .stored_kv_hash = kv,
                                     .expected_kv_hash = kv}}));
}

/// One slot wrong in everything: all bits in one violation.
TYPED_TEST(VerifyTest, AllBitsOfAnEntry) {
  const Endpoint endpoint = written();
  VerifyPlan plan = build::verify_plan({{6, 3, 5, 1, 1}});  // slot 6 was never written
  EXPECT_EQ(
      TestFixture::to_text(TestFixture::run(plan, endpoint)),
      "0:" + std::to_string(bit::chain_hash | bit::position | bit::kv_hash | bit::verify_token));
  plan.entries[0].predecessor = 8;
  EXPECT_EQ(TestFixture::to_text(TestFixture::run(plan, endpoint)),
            "0:" + std::to_string(bit::position | bit::kv_hash | bit::verify_token |
                                  bit::slot_out_of_bounds));
}

/// Bytes that are hashed matter to their slot alone, others to none.
TYPED_TEST(VerifyTest, KVBytes) {
  Endpoint endpoint = written();
  for (std::size_t entry = 0; entry < slots.size(); ++entry) {
    const std::int64_t slot = slots[entry];
    const std::string found = std::to_string(entry) + ":4";
    const std::int64_t first = slot * 32, second = slot * 20;  // page 4 * 20 bytes: no gap
    const auto flip = [&](int source, std::int64_t at) {
      endpoint.sources[source].bytes[at] ^= std::byte{0x80};
      const std::string text = TestFixture::findings(endpoint);
      endpoint.sources[source].bytes[at] ^= std::byte{0x80};
      return text;
    };
    EXPECT_EQ(flip(0, first), found);
    EXPECT_EQ(flip(0, first + 23), found);
    EXPECT_EQ(flip(0, first + 24), "");
    EXPECT_EQ(flip(1, second), found);
    EXPECT_EQ(flip(1, second + 12), found);
    EXPECT_EQ(flip(1, second + 13), "");
  }
}

TYPED_TEST(VerifyTest, KVBytesInModes) {
  for (const auto& [mode, at_15, at_16] : {std::tuple{KVMode::none, "", ""},
                                           {KVMode::partial, "0:4", ""},
                                           {KVMode::all, "0:4", "0:4"}}) {
    Endpoint endpoint = written(0, mode);
    endpoint.sources[0].bytes[5 * 32 + 15] ^= std::byte{1};
    EXPECT_EQ(TestFixture::findings(endpoint), at_15);
    endpoint = written(0, mode);
    endpoint.sources[0].bytes[5 * 32 + 16] ^= std::byte{1};
    EXPECT_EQ(TestFixture::findings(endpoint), at_16);
  }
}

TYPED_TEST(VerifyTest, ModeNoneExpectsAKVHashOfZero) {
  Endpoint endpoint = written(0, KVMode::all);
  endpoint.mode = KVMode::none;
  EXPECT_EQ(TestFixture::findings(endpoint), "0:4 1:4 2:4 3:4");
  EXPECT_EQ(TestFixture::run(build::verify_chain({5}), endpoint).at(0).expected_kv_hash, 0);
}

/// A KV hash that is not compared reads as if it were right.
TYPED_TEST(VerifyTest, KVRowOutOfRange) {
  Endpoint endpoint = written();
  endpoint.sources[1].num_rows = 1;  // slots 0 to 3
  endpoint.sources[1].bytes.resize(80);
  EXPECT_EQ(TestFixture::findings(endpoint), "0:64 2:64");
  const std::int64_t kv = oracle::load(endpoint, 5).kv_hash;
  EXPECT_EQ(TestFixture::run(build::verify_chain({5}), endpoint),
            (std::vector<Violation>{{.launch_tag = 0,
                                     .slot = 5,
                                     .position = 0,
                                     .stored_token = 101,
                                     .expected_token = -1,
                                     .stored_chain_hash = anchor,
                                     .expected_aux = anchor,
                                     .fail_bits = bit::slot_out_of_bounds,
                                     .request_row = 1,
                                     .entry = 0,
                                     .expected_position = 0,
                                     .stored_kv_hash = kv,
                                     .expected_kv_hash = kv}}));
  endpoint.mode = KVMode::none;
  EXPECT_EQ(TestFixture::findings(endpoint), "0:4 1:4 2:4 3:4") << "no row is needed";
}

/// An entry of which nothing is right, and two of slot 2 that follow `slot`: the first of them is
/// right but for its chain, the second is of another position as well.
VerifyPlan reads_of(std::int64_t slot) {
  return build::verify_plan({{slot, 5, 99, 17, 2}, {2, 1, slot, -1, 1}, {2, 3, slot, -1, 1}});
}

/// A padding slot is named, and nothing of it is looked at; as a predecessor it leaves the chain
/// alone unchecked.
TYPED_TEST(VerifyTest, PaddingSlots) {
  const std::vector<oracle::Padding> ranges = {{0, 1}, {0, 2}, {1, 1}, {4, 1}, {3, 2},
                                               {6, 2}, {7, 1}, {8, 0}, {0, 0}, {4, 3}};
  for (const oracle::Padding& range : ranges) {
    Endpoint endpoint = written(20);
    endpoint.padding = range;
    oracle::store(endpoint, 2, {7592, 1, 77, oracle::load(endpoint, 2).kv_hash});
    for (std::int64_t slot = -4; slot < 12; ++slot) {
      if (slot == 2 || slot == oracle::no_slot || slot == oracle::unchecked_slot) continue;
      const bool padding = range.contains(slot);
      const oracle::Report report = check_verify<TypeParam>({}, reads_of(slot), {endpoint});
      const std::string text = TestFixture::to_text(report.violations);
      EXPECT_EQ(text == "0:2048 2:2", padding) << "slot " << slot << ": " << text;
      EXPECT_EQ(report.counts[20], (oracle::TagCounts{1, 3})) << "padding slots count as entries";
    }
  }
}

TYPED_TEST(VerifyTest, FieldsOfAPaddingRead) {
  for (const std::int64_t slot : {6, 7}) {
    Endpoint endpoint = written(13);
    endpoint.padding = {6, 2};
    EXPECT_EQ(TestFixture::run(build::verify_plan({{slot, 5, 99, 17, 2}}), endpoint),
              (std::vector<Violation>{{.launch_tag = 13,
                                       .slot = slot,
                                       .position = 0,
                                       .stored_token = 0,
                                       .expected_token = 17,
                                       .stored_chain_hash = 0,
                                       .expected_aux = 0,
                                       .fail_bits = bit::padding_read,
                                       .request_row = 2,
                                       .entry = 0,
                                       .expected_position = 5,
                                       .stored_kv_hash = 0,
                                       .expected_kv_hash = 0}}));
  }
}

TYPED_TEST(VerifyTest, PaddingReadsMayBeSkipped) {
  Endpoint endpoint = written(13);
  endpoint.padding = {.first = 6, .count = 2, .skip_reads = true};
  for (const std::int64_t slot : {6, 7}) {
    const oracle::Report report = check_verify<TypeParam>({}, reads_of(slot), {endpoint});
    EXPECT_EQ(TestFixture::to_text(report.violations), "2:2");
    EXPECT_EQ(report.counts[13], (oracle::TagCounts{1, 3}));
  }
}

/// Each endpoint has its own padding slots.
TYPED_TEST(VerifyTest, PaddingOfEndpoints) {
  std::vector<Endpoint> endpoints = {written(0), written(1), written(2), written(3)};
  endpoints[0].padding = build::no_padding;
  endpoints[1].padding = {2, 1};
  endpoints[2].padding = {.first = 2, .count = 1, .skip_reads = true};
  endpoints[3].padding = {6, 2};
  const oracle::Report report = check_verify<TypeParam>({}, build::verify_chain(slots), endpoints);
  std::string tags;
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.fail_bits, bit::padding_read);
    tags += std::to_string(violation.launch_tag) + ':' + std::to_string(violation.entry) + ' ';
  }
  EXPECT_EQ(tags, "1:1 3:2 ");
}

/// What comes before the window is gone: the chain alone is not checked.
TYPED_TEST(VerifyTest, UncheckedPredecessor) {
  Endpoint endpoint = written();
  Record record = oracle::load(endpoint, 2);
  record.prev_hash = 77;
  oracle::store(endpoint, 2, record);
  VerifyPlan plan = build::verify_plan({{2, 1, oracle::unchecked_slot, 7592, 1}});
  EXPECT_TRUE(TestFixture::run(plan, endpoint).empty());
  plan.entries[0].position = 3;
  EXPECT_EQ(TestFixture::run(plan, endpoint),
            (std::vector<Violation>{{.launch_tag = 0,
                                     .slot = 2,
                                     .position = 1,
                                     .stored_token = 7592,
                                     .expected_token = 7592,
                                     .stored_chain_hash = 77,
                                     .expected_aux = 77,
                                     .fail_bits = bit::position,
                                     .request_row = 1,
                                     .entry = 0,
                                     .expected_position = 3,
                                     .stored_kv_hash = record.kv_hash,
                                     .expected_kv_hash = record.kv_hash}}));
}

TYPED_TEST(VerifyTest, SlotOutOfBounds) {
  for (const std::int64_t slot : {std::int64_t{8}, oracle::no_slot, oracle::invalid_slot,
                                  oracle::unchecked_slot, INT64_MIN, INT64_MAX}) {
    const VerifyPlan plan = build::verify_plan({{slot, 3, 99, 17, 2}});
    const oracle::Report report = check_verify<TypeParam>({}, plan, {written()});
    EXPECT_EQ(report.violations, (std::vector<Violation>{{.launch_tag = 0,
                                                          .slot = slot,
                                                          .position = 0,
                                                          .stored_token = 0,
                                                          .expected_token = 17,
                                                          .stored_chain_hash = 0,
                                                          .expected_aux = 0,
                                                          .fail_bits = bit::slot_out_of_bounds,
                                                          .request_row = 2,
                                                          .entry = 0,
                                                          .expected_position = 3,
                                                          .stored_kv_hash = 0,
                                                          .expected_kv_hash = 0}}));
    EXPECT_EQ(report.counts[0].entries, 1U);
  }
}

/// A chain that is not compared reads as if it were right.
TYPED_TEST(VerifyTest, PredecessorOutOfBounds) {
  for (const std::int64_t predecessor :
       {std::int64_t{8}, oracle::invalid_slot, std::int64_t{-4}, INT64_MIN, INT64_MAX}) {
    const Endpoint endpoint = written();
    const std::int64_t kv = oracle::load(endpoint, 2).kv_hash;
    const VerifyPlan plan = build::verify_plan({{2, 1, predecessor, 7592, 1}});
    EXPECT_EQ(TestFixture::run(plan, endpoint),
              (std::vector<Violation>{{.launch_tag = 0,
                                       .slot = 2,
                                       .position = 1,
                                       .stored_token = 7592,
                                       .expected_token = 7592,
                                       .stored_chain_hash = second_hash,
                                       .expected_aux = second_hash,
                                       .fail_bits = bit::slot_out_of_bounds,
                                       .request_row = 1,
                                       .entry = 0,
                                       .expected_position = 1,
                                       .stored_kv_hash = kv,
                                       .expected_kv_hash = kv}}));
  }
}

/// The bits of one entry come together when its predecessor is missing and its position is wrong.
TYPED_TEST(VerifyTest, PositionBesideOutOfBounds) {
  const std::vector<Violation> found =
      TestFixture::run(build::verify_plan({{2, 6, 8, -1, 1}}), written());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fail_bits, bit::position | bit::slot_out_of_bounds);
  EXPECT_EQ(found[0].expected_aux, second_hash);
  EXPECT_EQ(found[0].expected_position, 6);
}

TYPED_TEST(VerifyTest, DisabledPlan) {
  VerifyPlan plan = build::verify_chain({6, 6});
  plan.enabled = 0;
  const oracle::Report report = check_verify<TypeParam>({}, plan, {written(0), written(40)});
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.counts[0], (oracle::TagCounts{0, 0, 1}));
  EXPECT_EQ(report.counts[40], (oracle::TagCounts{0, 0, 1}));
  for (const std::int64_t enabled : {std::int64_t{2}, std::int64_t{-1}, INT64_MIN}) {
    plan.enabled = enabled;
    EXPECT_EQ(TestFixture::run(plan, written()).size(), 2U);
  }
}

TYPED_TEST(VerifyTest, MalformedState) {
  VerifyPlan plan = build::verify_chain(slots);
  const auto violation = [](std::int64_t count) {
    return std::vector<Violation>{build::plan_violation(2, count)};
  };
  for (const std::int64_t enabled : {1, 0}) {
    plan.enabled = enabled;
    plan.malformed = 3;
    plan.num_entries = 4;
    EXPECT_EQ(TestFixture::run(plan, written(2)), violation(4));
    plan.malformed = 0;
    for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN, std::int64_t{5}, INT64_MAX}) {
      plan.num_entries = count;
      const oracle::Report report = check_verify<TypeParam>({}, plan, {written(2)});
      EXPECT_EQ(report.violations, violation(count));
      EXPECT_EQ(report.counts[2].entries, count < 0 || enabled == 0 ? 0U : 4U);
      EXPECT_EQ(report.counts[2].disabled, enabled == 0 ? 1U : 0U);
    }
  }
}

TYPED_TEST(VerifyTest, FewerEntriesThanCapacity) {
  VerifyPlan plan = build::verify_chain({5, 2, 6, 6});
  plan.num_entries = 2;
  EXPECT_TRUE(TestFixture::run(plan, written()).empty());
  plan.num_entries = 0;
  EXPECT_EQ(check_verify<TypeParam>({}, plan, {written()}).counts[0], (oracle::TagCounts{1, 0}));
}

/// Each endpoint is checked on its own: a damaged one is named by its tag.
TYPED_TEST(VerifyTest, TwelveEndpoints) {
  std::vector<Endpoint> endpoints;
  for (int tag = 0; tag < 12; ++tag) {
    endpoints.push_back(written(tag, static_cast<KVMode>(tag % 3), 32 + 16 * (tag % 4)));
  }
  const VerifyPlan plan = build::verify_chain(slots);
  EXPECT_TRUE(check_verify<TypeParam>({}, plan, endpoints).violations.empty());

  oracle::store(endpoints[10], 2, {});
  endpoints[11].num_slots = 7;
  endpoints[11].canary.resize(7 * endpoints[11].stride);
  oracle::Report report = check_verify<TypeParam>({}, plan, endpoints);
  std::ranges::sort(report.violations);
  ASSERT_EQ(report.violations.size(), 4U);
  EXPECT_EQ(report.violations[0].launch_tag, 10);
  EXPECT_EQ(report.violations[0].slot, 2);
  EXPECT_EQ(report.violations[1].launch_tag, 10);
  EXPECT_EQ(report.violations[1].slot, 7);
  EXPECT_EQ(report.violations[2].launch_tag, 11) << "slot 3, whose predecessor is slot 7";
  EXPECT_EQ(report.violations[3].slot, 7);
  for (std::size_t tag = 0; tag < report.counts.size(); ++tag) {
    EXPECT_EQ(report.counts[tag], tag < 12 ? (oracle::TagCounts{1, 4}) : oracle::TagCounts{});
  }
}

/// Plans of a sweep need not follow the chain: an entry's predecessor may be any other.
TYPED_TEST(VerifyTest, EntriesInAnyOrder) {
  constexpr std::int64_t length = 500;
  const Ints all_slots = build::iota(length, 1);
  for (const KVMode mode : {KVMode::none, KVMode::all}) {
    std::vector<Endpoint> endpoints = {build::endpoint(1, length + 1),
                                       build::endpoint(2, length + 1)};
    endpoints[1].mode = mode;
    endpoints[1].sources = {build::kv_source(length + 1, 1, 16, 16)};
    oracle::Report written_report;
    oracle::write(build::write_plan({length}, {no_slot}),
                  {build::iota(length, 3), build::iota(length), all_slots}, endpoints,
                  written_report);
    VerifyPlan plan = build::verify_chain(all_slots);
    const std::vector<VerifyEntry> in_order = plan.entries;
    for (const std::int64_t step : {1, 3, 499, 7}) {
      for (std::int64_t e = 0; e < length; ++e) plan.entries[e] = in_order[e * step % length];
      EXPECT_TRUE(check_verify<TypeParam>({}, plan, endpoints).violations.empty());
      plan.entries[40].predecessor = plan.entries[40].slot % length + 1;
      plan.entries[41].predecessor = length + 1;
      plan.entries[62].predecessor = oracle::unchecked_slot;
      plan.entries[63].slot = length + 1;
      plan.entries[64].predecessor = 0;
      EXPECT_EQ(check_verify<TypeParam>({}, plan, endpoints).violations.size(), 6U);
    }
  }
}

/// Entries past any tile or chunk of a worker, with one mistake at every power of two.
TYPED_TEST(VerifyTest, LongPlans) {
  constexpr std::int64_t length = 9000;
  std::vector<Endpoint> endpoints = {build::endpoint(1, length + 1)};
  const Ints all_slots = build::iota(length, 1);
  oracle::Report written_report;
  oracle::write(build::write_plan({length}, {no_slot}),
                {build::iota(length, 3), build::iota(length), all_slots}, endpoints,
                written_report);
  VerifyPlan plan = build::verify_chain(all_slots);
  EXPECT_TRUE(TestFixture::run(plan, endpoints[0]).empty());
  std::size_t mistakes = 0;
  for (std::int64_t e = 1; e < length; e *= 2, ++mistakes) plan.entries[e].expected_token = 0;
  EXPECT_EQ(TestFixture::run(plan, endpoints[0]).size(), mistakes);
}

}  // namespace
