#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// One mismatch, as kernels record it and people read it.
namespace kvcanary {

/// Why an entry is wrong. Bits of Violation::fail_bits; an entry has all that apply.
namespace fail_bit {
inline constexpr std::int64_t chain_hash = 1;   ///< the history is not the one of the predecessor
inline constexpr std::int64_t position = 2;     ///< the slot holds another position
inline constexpr std::int64_t kv_hash = 4;      ///< the KV bytes are not those that were written
inline constexpr std::int64_t write_token = 8;  ///< about to write another token than expected
inline constexpr std::int64_t write_position =
    16;                                           ///< about to write another position than expected
inline constexpr std::int64_t verify_token = 32;  ///< the slot holds another token
inline constexpr std::int64_t slot_out_of_bounds =
    64;  ///< a slot, table or translation index, or KV row
inline constexpr std::int64_t malformed_plan = 128;  ///< offsets, lengths or counts that can't be
}  // namespace fail_bit

/// Which check found it: head or tail canary of the pool, or a sweep; K or V; full or
/// sliding-window pool.
enum class LaunchTag : std::int8_t {
  head_k_full,
  head_v_full,
  tail_k_full,
  tail_v_full,
  sweep_k_full,
  sweep_v_full,
  head_k_swa,
  head_v_swa,
  tail_k_swa,
  tail_v_swa,
  sweep_k_swa,
  sweep_v_swa,
};
inline constexpr int num_launch_tags = 12;

/// One mismatch. What each field holds for each kind of entry is in docs/semantics.md; -1 stands
/// for "none".
struct Violation {
  std::int64_t launch_tag;  ///< a LaunchTag
  std::int64_t slot;
  std::int64_t position;      ///< the position that was asked for (verify) or given (write)
  std::int64_t stored_token;  ///< token in the record, or about to be stored
  std::int64_t expected_token;
  std::int64_t stored_chain_hash;  ///< prev_hash in the record, or about to be stored
  std::int64_t
      expected_aux;  ///< what the first failing check expected or found, see docs/semantics.md
  std::int64_t fail_bits;    ///< fail_bit values, never 0 in a complete row
  std::int64_t request_row;  ///< row of the request in the slot table
  std::int64_t entry;        ///< index in the batch (write) or in the plan (verify)

  bool operator==(const Violation&) const = default;
  auto operator<=>(const Violation&) const = default;
};
static_assert(sizeof(Violation) == 80);

/// "head_k_full" and so on; "tag_<n>" for a value outside the enumeration.
std::string to_string(LaunchTag tag);

/// Names of the bits joined by '+', lowest bit first: "chain_hash+position". Unknown bits are named
/// "bit_<value>", 0 is "none".
std::string fail_reason(std::int64_t fail_bits);

/// One stable line for logs and grep:
/// `kv_canary violation: launch_tag=head_k_full fail_reason=chain_hash+position slot_idx=17 ...`
std::string to_line(const Violation& violation);

/// The same for people: a block of lines that says in words what was expected and what was found.
std::string to_block(const Violation& violation);

}  // namespace kvcanary
