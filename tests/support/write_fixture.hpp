#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/record.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/check.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// What the hand-made tests of write share.
namespace write_cases {

using build::Ints;
using oracle::Endpoint;
using oracle::no_slot;
using oracle::Record;
using oracle::Violation;
namespace bit = oracle::bit;

constexpr auto anchor = static_cast<std::int64_t>(0xDE7FAE23A9A1B716);

/// The four tokens whose hashes are published, at positions 0 to 3 in slots 5, 2, 7 and 3.
inline const Ints tokens = {101, 7592, 2088, 102};
inline const Ints slots = {5, 2, 7, 3};

inline oracle::TokenBatch four_tokens() { return {tokens, build::iota(4), slots}; }

/// What is reported of the seed of a request.
inline Violation of_seed(std::int64_t request, std::int64_t seed) {
  return {.launch_tag = 0,
          .slot = seed,
          .position = -1,
          .stored_token = 0,
          .expected_token = -1,
          .stored_chain_hash = 0,
          .expected_aux = 0,
          .fail_bits = bit::slot_out_of_bounds,
          .request_row = request + 1,
          .entry = request,
          .expected_position = -1,
          .stored_kv_hash = 0,
          .expected_kv_hash = 0};
}

/// What is reported of the offsets of a request.
inline Violation of_offsets(std::int64_t request, std::int64_t end) {
  Violation violation = of_seed(request, -1);
  violation.expected_aux = end;
  violation.fail_bits = bit::malformed_plan;
  return violation;
}

/// What is reported of a plan whose number of requests, or of tokens, is wrong.
inline Violation of_plan(std::int64_t count, std::int64_t num_tokens = -1) {
  return build::plan_violation(0, count, num_tokens);
}

/// An execution space, and the chain of all buffers.
template <class OnSpace, oracle::Chain of_buffers>
struct Chained {
  using Space = OnSpace;
  static constexpr oracle::Chain chain = of_buffers;
  static std::string name() {
    return std::string(Space::name()) + (chain == oracle::Chain::splitmix ? "" : "_polynomial");
  }
};

template <class... All>
testing::Types<Chained<All, oracle::Chain::splitmix>..., Chained<All, oracle::Chain::polynomial>...>
    with_both_chains(testing::Types<All...>);
using ChainedSpaces = decltype(with_both_chains(OperationSpaces()));

/// \tparam On a Chained
template <class On>
class WriteTest : public SpaceTest<On> {
 public:
  /// Writes, compares with the oracle, and keeps the endpoints; for int32 and int64 arrays.
  oracle::Report run(const oracle::WritePlan& plan, const oracle::TokenBatch& batch) {
    for (Endpoint& endpoint : endpoints) endpoint.chain = On::chain;
    const std::vector<Endpoint> before = endpoints;
    oracle::Report report;
    for (const std::uint32_t narrow : {0U, ~0U, 0b0101'0101U, 0b1010'1010U}) {
      endpoints = before;
      report = check_write<typename On::Space>({narrow}, plan, batch, endpoints);
    }
    return report;
  }

  Record record(std::int64_t slot) const { return oracle::load(endpoints[0], slot); }

  /// Whether a slot still holds what build::endpoint put there.
  bool untouched(std::int64_t slot) const {
    return record(slot) == oracle::load(build::endpoint(0, 1), 0);
  }

  /// The `prev_hash` of the record after this one.
  static std::int64_t next(const Record& record) {
    return static_cast<std::int64_t>(oracle::next(record, On::chain));
  }

  /// What is reported of entry i, which is token i, where nothing was compared.
  Violation of_entry(std::int64_t i, std::int64_t bits) const {
    return {.launch_tag = 0,
            .slot = slots[i],
            .position = i,
            .stored_token = tokens[i],
            .expected_token = tokens[i],
            .stored_chain_hash = hashes[i],
            .expected_aux = i,
            .fail_bits = bits,
            .request_row = 1,
            .entry = i,
            .expected_position = i,
            .stored_kv_hash = 0,
            .expected_kv_hash = 0};
  }

  /// Before each of the four tokens, and after them.
  const Ints hashes =
      On::chain == oracle::Chain::splitmix
          ? Ints{anchor, 0x542FE5061275A6AB, static_cast<std::int64_t>(0xE03FB0B1A7A7FF8A),
                 0x71D597355A083809, 0x73EAD031B94D7777}
          : Ints{anchor, 0x277DCF9B030EB33D, 0x62FBEEF7FCA8FC69, 0x22620529EB79437B,
                 static_cast<std::int64_t>(0xA7983831BAB272C5)};

  std::vector<Endpoint> endpoints = {build::endpoint(0, 8)};
};

}  // namespace write_cases
