#include "oracle/write.hpp"

#include <algorithm>

#include "oracle/chain_hash.hpp"
#include "oracle/kv_hash.hpp"
#include "oracle/record.hpp"

namespace oracle {
namespace {

/// Where one request stands before its next entry.
struct ChainState {
  std::uint64_t hash = anchor();
  std::optional<std::int64_t> next_position = {};  ///< that of the next entry, when it is checked
};

std::int64_t after(std::int64_t position) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(position) + 1);  // wraps
}

/// One request in one endpoint: what the steps below share.
struct RequestWrite {
  const WritePlan& plan;
  const TokenBatch& batch;
  Endpoint& endpoint;
  Report& report;
  std::int64_t num_requests;
  std::int64_t r;

  std::int64_t row() const { return plan.request_rows.at(r); }

  void report_request(std::int64_t bit, std::int64_t slot, std::int64_t aux) const {
    report.add({.launch_tag = endpoint.tag,
                .slot = slot,
                .expected_aux = aux,
                .fail_bits = bit,
                .request_row = row(),
                .entry = r});
  }
};

struct Range {
  std::int64_t begin, end;
};

/// Entries that any request may have: the first and the last offset bound them.
Range entries_of_plan(const RequestWrite& self) {
  const auto tokens = static_cast<std::int64_t>(self.batch.tokens.size());
  const std::int64_t begin = std::clamp<std::int64_t>(self.plan.offsets.at(0), 0, tokens);
  return {begin, std::clamp(self.plan.offsets.at(self.num_requests), begin, tokens)};
}

Range clamped_range(const RequestWrite& self) {
  const std::int64_t begin = self.plan.offsets.at(self.r);
  const std::int64_t end = self.plan.offsets.at(self.r + 1);
  const Range all = entries_of_plan(self);
  if (all.begin <= begin && begin <= end && end <= all.end) return {begin, end};

  self.report_request(bit::malformed_plan, -1, end);
  const std::int64_t clamped = std::clamp(begin, all.begin, all.end);
  return {clamped, std::clamp(end, clamped, all.end)};
}

ChainState seeded_chain(const RequestWrite& self) {
  const std::int64_t seed = self.plan.seed_slots.at(self.r);
  if (seed == no_slot || self.endpoint.padding.contains(seed)) return {};
  if (!self.endpoint.has(seed)) {
    self.report_request(bit::slot_out_of_bounds, seed, 0);
    return {};
  }
  const Record record = load(self.endpoint, seed);
  ChainState chain{next(record, self.endpoint.chain)};
  if (self.batch.check_positions.value_or(0) != 0) chain.next_position = after(record.position);
  return chain;
}

/// Entry i, and what is reported of it where nothing was compared.
struct Entry {
  std::int64_t i, slot;
  Record record;  ///< without its KV hash
  Violation unchanged;
};

Entry entry_at(const RequestWrite& self, const ChainState& chain, std::int64_t i) {
  const std::int64_t slot = self.batch.slots.at(i);
  const Record record{self.batch.tokens.at(i), self.batch.positions.at(i),
                      static_cast<std::int64_t>(chain.hash)};
  return {i, slot, record,
          Violation{.launch_tag = self.endpoint.tag,
                    .slot = slot,
                    .position = record.position,
                    .stored_token = record.token,
                    .expected_token = record.token,
                    .stored_chain_hash = record.prev_hash,
                    .expected_aux = record.position,
                    .request_row = self.row(),
                    .entry = i,
                    .expected_position = record.position}};
}

void check_input(const RequestWrite& self, const Entry& entry) {
  Violation found = entry.unchanged;
  if (self.batch.expected_tokens) found.expected_token = self.batch.expected_tokens->at(entry.i);
  if (self.batch.expected_positions) {
    found.expected_aux = found.expected_position = self.batch.expected_positions->at(entry.i);
  }
  if (found.expected_token != found.stored_token) found.fail_bits |= bit::write_token;
  if (found.expected_position != found.position) found.fail_bits |= bit::write_position;
  if (found.fail_bits != 0) self.report.add(found);
}

void check_position(const RequestWrite& self, const Entry& entry, ChainState& chain) {
  if (!chain.next_position) return;
  Violation found = entry.unchanged;
  found.expected_aux = found.expected_position = *chain.next_position;
  found.fail_bits = bit::write_position;
  if (found.expected_position != found.position) self.report.add(found);
  chain.next_position = after(found.position);
}

bool check_bounds(const RequestWrite& self, const Entry& entry) {
  if (self.endpoint.has(entry.slot) && kv_in_range(self.endpoint, entry.slot)) return true;
  Violation found = entry.unchanged;
  found.fail_bits = bit::slot_out_of_bounds;
  self.report.add(found);
  return false;
}

void write_entry(const RequestWrite& self, ChainState& chain, std::int64_t i) {
  if (self.batch.slots.at(i) < 0) return;
  ++self.report.counts.at(self.endpoint.tag).entries;
  const Entry entry = entry_at(self, chain, i);
  check_input(self, entry);
  check_position(self, entry, chain);
  if (check_bounds(self, entry)) {
    Record stamped = entry.record;
    stamped.kv_hash = static_cast<std::int64_t>(kv_hash(self.endpoint, entry.slot));
    store(self.endpoint, entry.slot, stamped);
  }
  chain.hash = next(entry.record, self.endpoint.chain);
}

void write_request(const RequestWrite& self) {
  const Range range = clamped_range(self);
  ChainState chain = seeded_chain(self);
  for (std::int64_t i = range.begin; i < range.end; ++i) write_entry(self, chain, i);
}

void check_plan(const WritePlan& plan, const TokenBatch& batch, std::int64_t n, int tag,
                Report& report) {
  if (plan.malformed != 0 || n != plan.num_requests) {
    report.add(
        {.launch_tag = tag, .expected_aux = plan.num_requests, .fail_bits = bit::malformed_plan});
  }
  if (batch.num_tokens && *batch.num_tokens != plan.offsets.at(n)) {
    report.add({.launch_tag = tag,
                .expected_aux = plan.offsets.at(n),
                .fail_bits = bit::malformed_plan,
                .expected_position = *batch.num_tokens});
  }
}

}  // namespace

void write(const WritePlan& plan, const TokenBatch& batch, std::vector<Endpoint>& endpoints,
           Report& report) {
  const auto capacity = static_cast<std::int64_t>(plan.seed_slots.size());
  const std::int64_t n = std::clamp<std::int64_t>(plan.num_requests, 0, capacity);
  for (Endpoint& endpoint : endpoints) {
    ++report.counts.at(endpoint.tag).launches;
    check_plan(plan, batch, n, endpoint.tag, report);
    for (std::int64_t r = 0; r < n; ++r) write_request({plan, batch, endpoint, report, n, r});
  }
}

}  // namespace oracle
