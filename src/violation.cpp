#include <array>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/violation.hpp>
#include <limits>
#include <string>

#include "src/text.hpp"

namespace kvcanary {
namespace {

using detail::hex;

// ---- reasons -----------------------------------------------------------------------------------

struct Reason {
  std::int64_t bit;
  const char* name;
  const char* meaning;
};

constexpr std::array<Reason, 9> reasons{{
    {fail_bit::chain_hash, "verify_chain_hash",
     "the slot's history is not the one of the slot before it"},
    {fail_bit::position, "verify_position", "the slot holds the token of another position"},
    {fail_bit::kv_hash, "verify_real_kv_hash", "the KV bytes are not the ones that were written"},
    {fail_bit::write_token, "write_token", "the token to be written is not the expected one"},
    {fail_bit::write_position, "write_position",
     "the position to be written is not the expected one"},
    {fail_bit::verify_token, "verify_token", "the slot holds another token than the request's"},
    {fail_bit::slot_out_of_bounds, "slot_out_of_bounds",
     "a slot, its predecessor or seed, a table or translation entry, or a KV row is out of range"},
    {fail_bit::malformed_plan, "malformed_plan", "offsets, lengths or counts of the plan can't be"},
    {fail_bit::padding_read, "padding_read",
     "a padding slot, which holds nobody's token, is read as part of a request's prefix"},
}};

/// nullptr for a bit without a name.
const Reason* reason_of(std::int64_t bit) {
  for (const Reason& reason : reasons) {
    if (reason.bit == bit) return &reason;
  }
  return nullptr;
}

std::string name_of(std::int64_t bit) {
  const Reason* const reason = reason_of(bit);
  return reason != nullptr ? reason->name
                           : "bit_" + std::to_string(static_cast<std::uint64_t>(bit));
}

/// Calls `visit(bit)` for each that is set, lowest first.
template <class Visit>
void for_each_bit(std::int64_t bits, const Visit& visit) {
  for (auto rest = static_cast<std::uint64_t>(bits); rest != 0; rest &= rest - 1) {
    visit(static_cast<std::int64_t>(rest & (~rest + 1)));
  }
}

// ---- what a violation is about -----------------------------------------------------------------

/// The columns of the table of violations in docs/semantics.md.
enum class Kind { write_entry, seed, offsets, verify_entry, plan };

/// No field says which it is. A seed's has no token, which -1 stands for, an entry's has.
bool is_seed(const Violation& v) {
  return v.fail_bits == fail_bit::slot_out_of_bounds && v.position == -1 &&
         v.expected_position == -1 && v.stored_token == 0 && v.expected_token == -1;
}

/// Out of bounds alone, a write entry reads as if all else were right; its running hash is never 0,
/// which a record that was not looked at has.
bool is_write_entry(const Violation& v) {
  if ((v.fail_bits & (fail_bit::write_token | fail_bit::write_position)) != 0) return true;
  return v.fail_bits == fail_bit::slot_out_of_bounds && v.stored_chain_hash != 0 &&
         v.expected_token == v.stored_token && v.expected_position == v.expected_aux &&
         v.position == v.expected_aux && v.stored_kv_hash == 0 && v.expected_kv_hash == 0;
}

Kind kind_of(const Violation& v) {
  if (v.fail_bits == fail_bit::malformed_plan) return v.entry == -1 ? Kind::plan : Kind::offsets;
  if (is_seed(v)) return Kind::seed;
  return is_write_entry(v) ? Kind::write_entry : Kind::verify_entry;
}

/// Whether verify had no record to compare; one that is all zero is told from that by nothing.
bool has_no_record(const Violation& v) {
  if ((v.fail_bits & fail_bit::padding_read) != 0) return true;
  return v.fail_bits == fail_bit::slot_out_of_bounds && v.position == 0 && v.stored_token == 0 &&
         v.stored_chain_hash == 0 && v.stored_kv_hash == 0;
}

// ---- parts of a block --------------------------------------------------------------------------

std::string tag_name(std::int64_t tag, TagNames custom) {
  const bool is_tag = tag >= 0 && tag <= std::numeric_limits<std::uint8_t>::max();
  return is_tag ? to_string(static_cast<LaunchTag>(tag), custom) : "TAG_" + std::to_string(tag);
}

/// -1 stands for none.
std::string number_or_none(std::int64_t value) { return value == -1 ? "-" : std::to_string(value); }

std::string slot_text(std::int64_t slot) {
  if (slot == invalid_slot) return "-2 (the slot table or its translation names none)";
  return number_or_none(slot);
}

/// "  token    6020, expected 68789"
std::string line(std::string label, const std::string& text) {
  label.resize(9, ' ');
  return "  " + label + text + '\n';
}

/// `right` says what it means that both are the same.
std::string comparison(const std::string& found, const std::string& expected, const char* right) {
  return found + ", " + (found == expected ? right : "expected " + expected);
}

/// What was not compared reads as if it were right.
constexpr const char* right_or_skipped = "as expected or not compared";

std::string request_text(const Violation& v) {
  return "request row " + number_or_none(v.request_row) + ", entry " + number_or_none(v.entry);
}

std::string entry_text(const Violation& v, std::int64_t position) {
  return "slot " + slot_text(v.slot) + ", position " + std::to_string(position) + ", " +
         request_text(v);
}

std::string reason_lines(std::int64_t fail_bits) {
  std::string text;
  for_each_bit(fail_bits, [&text](std::int64_t bit) {
    const Reason* const reason = reason_of(bit);
    text += line("reason", name_of(bit) + ": " + (reason != nullptr ? reason->meaning : "unknown"));
  });
  return text;
}

std::string write_entry_lines(const Violation& v) {
  return line("token", comparison(std::to_string(v.stored_token), std::to_string(v.expected_token),
                                  right_or_skipped)) +
         line("position", comparison(std::to_string(v.position), std::to_string(v.expected_aux),
                                     right_or_skipped)) +
         line("chain", hex(v.stored_chain_hash) + ", of the tokens before it");
}

std::string expected_token_text(const Violation& v) {
  return v.expected_token == -1 ? "any" : std::to_string(v.expected_token);
}

std::string no_record_lines(const Violation& v) {
  const bool skipped = (v.fail_bits & fail_bit::padding_read) != 0;
  return line("record", skipped ? "not looked at" : "not looked at, or all of it is 0") +
         line("token", "expected " + expected_token_text(v));
}

std::string verify_entry_lines(const Violation& v) {
  if (has_no_record(v)) return no_record_lines(v);
  return line("token",
              comparison(std::to_string(v.stored_token), expected_token_text(v), "as expected")) +
         line("position", comparison(std::to_string(v.position),
                                     std::to_string(v.expected_position), "as expected")) +
         line("chain",
              comparison(hex(v.stored_chain_hash), hex(v.expected_aux), right_or_skipped)) +
         line("KV hash",
              comparison(hex(v.stored_kv_hash), hex(v.expected_kv_hash), right_or_skipped));
}

std::string plan_text(const Violation& v) {
  if (v.expected_position != -1) {
    return "offsets end at " + std::to_string(v.expected_aux) + ", the step has " +
           std::to_string(v.expected_position) + " tokens";
  }
  return "a count of " + std::to_string(v.expected_aux) +
         " (requests of a write, entries of a verify)";
}

// ---- blocks ------------------------------------------------------------------------------------

std::string where_text(const Violation& v, Kind kind) {
  switch (kind) {
    case Kind::plan:
      return "the whole plan";
    case Kind::offsets:
      return "offsets of a request, " + request_text(v);
    case Kind::seed:
      return "seed of a request, slot " + slot_text(v.slot) + ", " + request_text(v);
    case Kind::write_entry:
      return entry_text(v, v.position);
    case Kind::verify_entry:
      break;
  }
  return entry_text(v, v.expected_position);
}

std::string found_lines(const Violation& v, Kind kind) {
  switch (kind) {
    case Kind::plan:
      return line("found", plan_text(v));
    case Kind::offsets:
      return line("found", "the request's entries end at offset " + std::to_string(v.expected_aux));
    case Kind::seed:
      return line("found", "no record from which the request's chain could go on");
    case Kind::write_entry:
      return write_entry_lines(v);
    case Kind::verify_entry:
      break;
  }
  return verify_entry_lines(v);
}

}  // namespace

std::string fail_reason(std::int64_t fail_bits) {
  if (fail_bits == 0) return "none";
  std::string text;
  for_each_bit(fail_bits, [&text](std::int64_t bit) {
    if (!text.empty()) text += '+';
    text += name_of(bit);
  });
  return text;
}

std::string to_line(const Violation& v, TagNames custom) {
  std::string text = "kv_canary violation:";
  const auto add = [&text](const char* name, const std::string& value) {
    text += std::string(" ") + name + '=' + value;
  };
  add("launch_tag", tag_name(v.launch_tag, custom));
  add("fail_reason", fail_reason(v.fail_bits));
  add("slot_idx", std::to_string(v.slot));
  add("position", std::to_string(v.position));
  add("stored_token", std::to_string(v.stored_token));
  add("expected_token", std::to_string(v.expected_token));
  add("stored_chain_hash", hex(v.stored_chain_hash));
  add("expected_aux", hex(v.expected_aux));
  add("request_row", std::to_string(v.request_row));
  add("entry", std::to_string(v.entry));
  add("expected_position", std::to_string(v.expected_position));
  add("stored_kv_hash", hex(v.stored_kv_hash));
  add("expected_kv_hash", hex(v.expected_kv_hash));
  return text;
}

std::string to_block(const Violation& violation, TagNames custom) {
  const Kind kind = kind_of(violation);
  return "KV canary violation in " + tag_name(violation.launch_tag, custom) + '\n' +
         line("where", where_text(violation, kind)) + reason_lines(violation.fail_bits) +
         found_lines(violation, kind);
}

}  // namespace kvcanary
