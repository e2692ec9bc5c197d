#include "oracle/verify.hpp"

#include <algorithm>
#include <optional>

#include "oracle/chain_hash.hpp"
#include "oracle/kv_hash.hpp"
#include "oracle/record.hpp"

namespace oracle {
namespace {

/// Bits of one entry, and what the first of them was compared with.
struct Findings {
  std::int64_t bits = 0;
  std::int64_t aux = 0;

  void add(std::int64_t bit, std::int64_t compared_with) {
    if (bits == 0) aux = compared_with;
    bits |= bit;
  }
};

/// The prev_hash that the entry's record must have; nothing when it is not checked.
std::optional<std::int64_t> expected_hash(const VerifyEntry& entry, const Endpoint& endpoint) {
  if (entry.predecessor == no_slot) return static_cast<std::int64_t>(anchor());
  if (entry.predecessor == 0 || !endpoint.has(entry.predecessor)) return std::nullopt;
  return static_cast<std::int64_t>(next(load(endpoint, entry.predecessor)));
}

bool out_of_bounds(const VerifyEntry& entry, const Endpoint& endpoint) {
  const bool has_predecessor = entry.predecessor == no_slot || endpoint.has(entry.predecessor);
  return !has_predecessor || !kv_in_range(endpoint, entry.slot);
}

/// Compares the record of a slot that the endpoint has. The order of the checks is that of
/// expected_aux; those whose aux is 0 come last.
Findings compare(const VerifyEntry& entry, const Endpoint& endpoint, const Record& record) {
  Findings findings;
  const std::optional<std::int64_t> hash = expected_hash(entry, endpoint);
  if (hash && *hash != record.prev_hash) findings.add(bit::chain_hash, *hash);
  if (record.position != entry.position) findings.add(bit::position, record.position);
  const auto kv = static_cast<std::int64_t>(kv_hash(endpoint, entry.slot));
  if (kv_in_range(endpoint, entry.slot) && kv != record.kv_hash) findings.add(bit::kv_hash, kv);
  if (entry.expected_token != -1 && record.token != entry.expected_token) {
    findings.add(bit::verify_token, 0);
  }
  if (out_of_bounds(entry, endpoint)) findings.add(bit::slot_out_of_bounds, 0);
  return findings;
}

void verify_entry(const VerifyEntry& entry, std::int64_t i, const Endpoint& endpoint,
                  Report& report) {
  if (entry.slot == 0) return;
  ++report.counts.at(endpoint.tag).entries;

  Record record;
  Findings findings{bit::slot_out_of_bounds};
  if (endpoint.has(entry.slot)) {
    record = load(endpoint, entry.slot);
    findings = compare(entry, endpoint, record);
  }
  if (findings.bits == 0) return;
  report.add({endpoint.tag, entry.slot, entry.position, record.token, entry.expected_token,
              record.prev_hash, findings.aux, findings.bits, entry.request_row, i});
}

}  // namespace

void verify(const VerifyPlan& plan, const std::vector<Endpoint>& endpoints, Report& report) {
  const auto capacity = static_cast<std::int64_t>(plan.entries.size());
  const std::int64_t n = std::clamp<std::int64_t>(plan.num_entries, 0, capacity);
  for (const Endpoint& endpoint : endpoints) {
    ++report.counts.at(endpoint.tag).launches;
    if (plan.malformed != 0 || n != plan.num_entries) {
      report.add({.launch_tag = endpoint.tag,
                  .expected_aux = plan.num_entries,
                  .fail_bits = bit::malformed_plan});
    }
    if (plan.enabled == 0) continue;
    for (std::int64_t i = 0; i < n; ++i) verify_entry(plan.entries[i], i, endpoint, report);
  }
}

}  // namespace oracle
