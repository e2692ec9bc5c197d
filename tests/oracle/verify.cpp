#include "oracle/verify.hpp"

#include <algorithm>
#include <optional>

#include "oracle/chain_hash.hpp"
#include "oracle/kv_hash.hpp"
#include "oracle/record.hpp"

namespace oracle {
namespace {

/// What an entry's record was compared with; nothing where it was not.
struct Comparison {
  Record record = {};
  std::optional<std::int64_t> hash = {};
  std::optional<std::int64_t> kv_hash = {};
  std::int64_t bits = 0;
};

/// Whether the entry's predecessor has a record that counts.
enum class Predecessor { none, unchecked, outside, record };

Predecessor predecessor_of(const VerifyEntry& entry, const Endpoint& endpoint) {
  if (entry.predecessor == no_slot) return Predecessor::none;
  if (entry.predecessor == unchecked_slot) return Predecessor::unchecked;
  if (endpoint.padding.contains(entry.predecessor)) return Predecessor::unchecked;
  return endpoint.has(entry.predecessor) ? Predecessor::record : Predecessor::outside;
}

void compare_chain(const VerifyEntry& entry, const Endpoint& endpoint, Comparison& found) {
  switch (predecessor_of(entry, endpoint)) {
    case Predecessor::none:
      found.hash = static_cast<std::int64_t>(anchor());
      break;
    case Predecessor::unchecked:
      break;
    case Predecessor::outside:
      found.bits |= bit::slot_out_of_bounds;
      break;
    case Predecessor::record:
      found.hash =
          static_cast<std::int64_t>(next(load(endpoint, entry.predecessor), endpoint.chain));
      break;
  }
  if (found.hash && *found.hash != found.record.prev_hash) found.bits |= bit::chain_hash;
}

void compare_kv(const VerifyEntry& entry, const Endpoint& endpoint, Comparison& found) {
  if (!kv_in_range(endpoint, entry.slot)) {
    found.bits |= bit::slot_out_of_bounds;
    return;
  }
  found.kv_hash = static_cast<std::int64_t>(kv_hash(endpoint, entry.slot));
  if (*found.kv_hash != found.record.kv_hash) found.bits |= bit::kv_hash;
}

Comparison compare(const VerifyEntry& entry, const Endpoint& endpoint) {
  Comparison found;
  if (endpoint.padding.contains(entry.slot)) {
    if (!endpoint.padding.skip_reads) found.bits = bit::padding_read;
    return found;
  }
  if (!endpoint.has(entry.slot)) {
    found.bits = bit::slot_out_of_bounds;
    return found;
  }
  found.record = load(endpoint, entry.slot);
  if (found.record.position != entry.position) found.bits |= bit::position;
  if (entry.expected_token != -1 && found.record.token != entry.expected_token) {
    found.bits |= bit::verify_token;
  }
  compare_chain(entry, endpoint, found);
  compare_kv(entry, endpoint, found);
  return found;
}

void verify_entry(const VerifyEntry& entry, std::int64_t i, const Endpoint& endpoint,
                  Report& report) {
  const Comparison found = compare(entry, endpoint);
  if (found.bits == 0) return;
  const Record& record = found.record;
  report.add({.launch_tag = endpoint.tag,
              .slot = entry.slot,
              .position = record.position,
              .stored_token = record.token,
              .expected_token = entry.expected_token,
              .stored_chain_hash = record.prev_hash,
              .expected_aux = found.hash.value_or(record.prev_hash),
              .fail_bits = found.bits,
              .request_row = entry.request_row,
              .entry = i,
              .expected_position = entry.position,
              .stored_kv_hash = record.kv_hash,
              .expected_kv_hash = found.kv_hash.value_or(record.kv_hash)});
}

void verify_endpoint(const VerifyPlan& plan, const Endpoint& endpoint, Report& report) {
  const auto capacity = static_cast<std::int64_t>(plan.entries.size());
  const std::int64_t n = std::clamp<std::int64_t>(plan.num_entries, 0, capacity);
  if (plan.malformed != 0 || n != plan.num_entries) {
    report.add({.launch_tag = endpoint.tag,
                .expected_aux = plan.num_entries,
                .fail_bits = bit::malformed_plan});
  }
  TagCounts& counts = report.counts.at(endpoint.tag);
  if (plan.enabled == 0) {
    ++counts.disabled;
    return;
  }
  ++counts.launches;
  counts.entries += static_cast<std::uint64_t>(n);
  for (std::int64_t i = 0; i < n; ++i) verify_entry(plan.entries[i], i, endpoint, report);
}

}  // namespace

void verify(const VerifyPlan& plan, const std::vector<Endpoint>& endpoints, Report& report) {
  for (const Endpoint& endpoint : endpoints) verify_endpoint(plan, endpoint, report);
}

}  // namespace oracle
