#pragma once

#include <cstdint>
#include <kvcanary/launch_tag.hpp>
#include <string>

/// \file
/// One mismatch, as kernels record it and people read it.
namespace kvcanary {

/// Why an entry is wrong. Bits of Violation::fail_bits; an entry has all that apply. Those up to
/// verify_token are SGLang's.
namespace fail_bit {
inline constexpr std::int64_t chain_hash = 1;   ///< the history is not the one of the predecessor
inline constexpr std::int64_t position = 2;     ///< the slot holds another position
inline constexpr std::int64_t kv_hash = 4;      ///< the KV bytes are not those that were written
inline constexpr std::int64_t write_token = 8;  ///< about to write another token than expected
inline constexpr std::int64_t write_position =
    16;                                           ///< about to write another position than expected
inline constexpr std::int64_t verify_token = 32;  ///< the slot holds another token
inline constexpr std::int64_t slot_out_of_bounds =
    64;  ///< a slot, table, list or translation index, or KV row
inline constexpr std::int64_t malformed_plan = 128;  ///< offsets, lengths or counts that can't be
inline constexpr std::int64_t padding_read = 2048;   ///< a padding slot inside a prefix
}  // namespace fail_bit

/// One mismatch. What each field holds for each kind of entry is in docs/semantics.md; -1 stands
/// for "none". The first eight are those of SGLang's violation ring, value for value.
struct Violation {
  std::int64_t launch_tag;  ///< a LaunchTag
  std::int64_t slot;
  std::int64_t position;      ///< the position in the record (verify), or given (write)
  std::int64_t stored_token;  ///< token in the record, or about to be stored
  std::int64_t expected_token;
  std::int64_t stored_chain_hash;  ///< prev_hash in the record, or about to be stored
  std::int64_t expected_aux;       ///< expected prev_hash (verify) or position (write)
  std::int64_t fail_bits;          ///< fail_bit values, never 0
  std::int64_t request_row;        ///< row of the request in the slot table, or its index
  std::int64_t entry;  ///< index in the batch (write), the plan (verify) or of the request
  std::int64_t expected_position;  ///< the position that was asked for
  std::int64_t stored_kv_hash;     ///< KV hash in the record
  std::int64_t expected_kv_hash;   ///< KV hash of the bytes

  bool operator==(const Violation&) const = default;
  auto operator<=>(const Violation&) const = default;
};
static_assert(sizeof(Violation) == 104);

/// Names of the bits joined by '+', lowest bit first: "verify_chain_hash+verify_position". SGLang's
/// names where it has the bit. Unknown bits are named "bit_<value>", 0 is "none".
std::string fail_reason(std::int64_t fail_bits);

/// One stable line for logs and grep, which starts as SGLang's does:
/// `kv_canary violation: launch_tag=HEAD_K_FULL fail_reason=verify_chain_hash slot_idx=17 ...`
/// \param custom names of the caller's launch tags
std::string to_line(const Violation& violation, TagNames custom = {});

/// The same for people: a block of lines that says in words what was expected and what was found.
std::string to_block(const Violation& violation, TagNames custom = {});

}  // namespace kvcanary
