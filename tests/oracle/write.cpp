#include "oracle/write.hpp"

#include <algorithm>

#include "oracle/chain_hash.hpp"
#include "oracle/kv_hash.hpp"
#include "oracle/record.hpp"

namespace oracle {
namespace {

/// Where the chain of one request stands.
struct Chain {
  std::uint64_t hash = anchor();
  /// Position that the request's only entry must have, when that is checked.
  std::optional<std::int64_t> only_position = {};
};

/// One request in one endpoint: what the steps below share.
struct RequestWrite {
  const WritePlan& plan;
  const WriteBatch& batch;
  Endpoint& endpoint;
  Report& report;
  std::int64_t num_requests;
  std::int64_t r;

  std::int64_t row() const { return plan.request_rows.at(r); }
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

  self.report.add({.launch_tag = self.endpoint.tag,
                   .expected_aux = end,
                   .fail_bits = bit::malformed_plan,
                   .request_row = self.row(),
                   .entry = self.r});
  const std::int64_t clamped = std::clamp(begin, all.begin, all.end);
  return {clamped, std::clamp(end, clamped, all.end)};
}

Chain seeded_chain(const RequestWrite& self, Range range) {
  const std::int64_t seed = self.plan.seed_slots.at(self.r);
  if (seed == no_slot || seed == 0) return {};
  if (!self.endpoint.has(seed)) {
    self.report.add({.launch_tag = self.endpoint.tag,
                     .slot = seed,
                     .fail_bits = bit::slot_out_of_bounds,
                     .request_row = self.row(),
                     .entry = self.r});
    return {};
  }
  const Record record = load(self.endpoint, seed);
  Chain chain{next(record)};
  if (self.batch.check_positions.value_or(0) != 0 && range.end - range.begin == 1) {
    const auto after = static_cast<std::uint64_t>(record.position) + 1;  // wraps
    chain.only_position = static_cast<std::int64_t>(after);
  }
  return chain;
}

/// Position that the entry should have had, nothing when it is right or unchecked.
std::optional<std::int64_t> other_position(const RequestWrite& self, const Chain& chain,
                                           std::int64_t i) {
  const std::int64_t position = self.batch.positions.at(i);
  if (self.batch.expected_positions && self.batch.expected_positions->at(i) != position) {
    return self.batch.expected_positions->at(i);
  }
  if (chain.only_position && *chain.only_position != position) return chain.only_position;
  return std::nullopt;
}

void write_entry(const RequestWrite& self, Chain& chain, std::int64_t i) {
  const WriteBatch& batch = self.batch;
  const std::int64_t slot = batch.slots.at(i);
  const std::int64_t token = batch.tokens.at(i);
  const std::int64_t position = batch.positions.at(i);
  if (slot < 0) return;
  ++self.report.counts.at(self.endpoint.tag).entries;

  std::int64_t bits = 0;
  const std::int64_t expected_token = batch.expected_tokens ? batch.expected_tokens->at(i) : -1;
  if (batch.expected_tokens && expected_token != token) bits |= bit::write_token;
  const std::optional<std::int64_t> wanted_position = other_position(self, chain, i);
  if (wanted_position) bits |= bit::write_position;
  const bool in_bounds = self.endpoint.has(slot) && kv_in_range(self.endpoint, slot);
  if (!in_bounds) bits |= bit::slot_out_of_bounds;

  const auto running = static_cast<std::int64_t>(chain.hash);
  if (bits != 0) {
    self.report.add({self.endpoint.tag, slot, position, token, expected_token, running,
                     wanted_position.value_or(0), bits, self.row(), i});
  }
  const Record record{token, position, running};
  if (in_bounds) {
    Record stamped = record;
    stamped.kv_hash = static_cast<std::int64_t>(kv_hash(self.endpoint, slot));
    store(self.endpoint, slot, stamped);
  }
  chain.hash = next(record);
}

void write_request(const RequestWrite& self) {
  const Range range = clamped_range(self);
  Chain chain = seeded_chain(self, range);
  for (std::int64_t i = range.begin; i < range.end; ++i) write_entry(self, chain, i);
}

}  // namespace

void write(const WritePlan& plan, const WriteBatch& batch, std::vector<Endpoint>& endpoints,
           Report& report) {
  const auto capacity = static_cast<std::int64_t>(plan.seed_slots.size());
  const std::int64_t n = std::clamp<std::int64_t>(plan.num_requests, 0, capacity);
  for (Endpoint& endpoint : endpoints) {
    ++report.counts.at(endpoint.tag).launches;
    if (plan.malformed != 0 || n != plan.num_requests) {
      report.add({.launch_tag = endpoint.tag,
                  .expected_aux = plan.num_requests,
                  .fail_bits = bit::malformed_plan});
    }
    for (std::int64_t r = 0; r < n; ++r) write_request({plan, batch, endpoint, report, n, r});
  }
}

}  // namespace oracle
