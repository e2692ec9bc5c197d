#include <fmt/format.h>

#include <array>
#include <bit>
#include <iterator>
#include <kvcanary/violation.hpp>

namespace kvcanary {
namespace {

struct Reason {
  std::int64_t bit;
  const char* name;
  const char* meaning;
};

/// By bit, lowest first.
constexpr std::array<Reason, 8> reasons{{
    {fail_bit::chain_hash, "chain_hash", "the slot's history is not the one of the slot before it"},
    {fail_bit::position, "position", "the slot holds the token of another position"},
    {fail_bit::kv_hash, "kv_hash", "the KV bytes are not the ones that were written"},
    {fail_bit::write_token, "write_token", "the token to be written is not the expected one"},
    {fail_bit::write_position, "write_position",
     "the position to be written is not the expected one"},
    {fail_bit::verify_token, "verify_token", "the slot holds another token than the request's"},
    {fail_bit::slot_out_of_bounds, "slot_out_of_bounds",
     "a slot, its predecessor or seed, a table or translation entry, or a KV row is out of range"},
    {fail_bit::malformed_plan, "malformed_plan", "offsets, lengths or counts of the plan can't be"},
}};

std::string hex(std::int64_t bits) {
  return fmt::format("0x{:016x}", static_cast<std::uint64_t>(bits));
}

/// expected_aux follows the first failing check: chain hash, position, KV hash.
bool aux_is_hash(std::int64_t fail_bits) {
  if (fail_bits & fail_bit::chain_hash) return true;
  return (fail_bits & fail_bit::kv_hash) && !(fail_bits & fail_bit::position);
}

std::string aux(const Violation& violation) {
  return aux_is_hash(violation.fail_bits) ? hex(violation.expected_aux)
                                          : fmt::format("{}", violation.expected_aux);
}

std::string optional(std::int64_t value) { return value == -1 ? "-" : fmt::format("{}", value); }

/// What expected_aux was compared with, in words; empty when it says nothing.
std::string comparison(const Violation& v) {
  if (v.fail_bits & fail_bit::chain_hash) {
    return fmt::format("chain hash {}, expected {}", hex(v.stored_chain_hash), aux(v));
  }
  if (v.fail_bits & fail_bit::position) {
    return fmt::format("position {}, expected {}", v.expected_aux, v.position);
  }
  if (v.fail_bits & fail_bit::kv_hash) {
    return fmt::format("the KV bytes hash to {}, the record has another hash", aux(v));
  }
  if (v.fail_bits & fail_bit::write_position) {
    return fmt::format("position {}, expected {}", v.position, v.expected_aux);
  }
  if (v.fail_bits & fail_bit::malformed_plan) {
    return fmt::format("{} {}", v.entry == -1 ? "count" : "end offset", v.expected_aux);
  }
  return "";
}

}  // namespace

std::string to_string(LaunchTag tag) {
  constexpr std::array<const char*, num_launch_tags> names{
      "head_k_full", "head_v_full", "tail_k_full", "tail_v_full", "sweep_k_full", "sweep_v_full",
      "head_k_swa",  "head_v_swa",  "tail_k_swa",  "tail_v_swa",  "sweep_k_swa",  "sweep_v_swa"};
  const int index = static_cast<int>(tag);
  if (index < 0 || index >= num_launch_tags) return fmt::format("tag_{}", index);
  return names[static_cast<std::size_t>(index)];
}

std::string fail_reason(std::int64_t fail_bits) {
  if (fail_bits == 0) return "none";
  std::string text;
  const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : "+") + name; };
  auto rest = static_cast<std::uint64_t>(fail_bits);
  for (const Reason& reason : reasons) {
    if (fail_bits & reason.bit) add(reason.name);
    rest &= ~static_cast<std::uint64_t>(reason.bit);
  }
  for (; rest != 0; rest &= rest - 1)
    add(fmt::format("bit_{}", std::uint64_t{1} << std::countr_zero(rest)));
  return text;
}

std::string to_line(const Violation& v) {
  return fmt::format(
      "kv_canary violation: launch_tag={} fail_reason={} slot_idx={} position={} stored_token={} "
      "expected_token={} stored_chain_hash={} expected_aux={} request_row={} entry={}",
      to_string(static_cast<LaunchTag>(v.launch_tag)), fail_reason(v.fail_bits), v.slot, v.position,
      v.stored_token, v.expected_token, hex(v.stored_chain_hash), aux(v), v.request_row, v.entry);
}

std::string to_block(const Violation& v) {
  std::string text =
      fmt::format("KV canary violation in {}\n", to_string(static_cast<LaunchTag>(v.launch_tag)));
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  where    slot {}, position {}, request row {}, entry {}\n",
                 optional(v.slot), optional(v.position), optional(v.request_row),
                 optional(v.entry));
  for (const Reason& reason : reasons) {
    if (v.fail_bits & reason.bit) {
      fmt::format_to(out, "  reason   {}: {}\n", reason.name, reason.meaning);
    }
  }
  if (v.expected_token != -1) {
    fmt::format_to(out, "  token    {}, expected {}\n", v.stored_token, v.expected_token);
  } else if (v.position != -1) {  // not of a whole request or plan
    fmt::format_to(out, "  token    {}\n", v.stored_token);
  }
  if (const std::string found = comparison(v); !found.empty()) {
    fmt::format_to(out, "  found    {}\n", found);
  }
  return text;
}

}  // namespace kvcanary
