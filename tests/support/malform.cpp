#include "tests/support/malform.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace {

using Ints = std::vector<std::int64_t>;

/// What a wrong index, length or count looks like, `size` being the first one that is too large.
std::int64_t garbage(Rng& rng, std::int64_t size) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t longest = (std::int64_t{1} << 30) - 1;
  const Ints near = {-4, -3, -2, -1, 0, 1, size - 1, size, size + 1};
  const Ints far = {Limits::min(),         -limit,    longest, longest + 1,
                    std::int64_t{1} << 31, limit - 1, limit,   Limits::max()};
  if (rng.chance(30)) return rng.between(-4, size + 4);
  return rng.chance(5) ? static_cast<std::int64_t>(rng.bits())
                       : rng.pick(rng.chance(60) ? near : far);
}

void spoil(Rng& rng, Ints& values, std::int64_t size) {
  if (!values.empty()) values[rng.index(values)] = garbage(rng, size);
}

std::int64_t size_of(const Ints& values) { return static_cast<std::int64_t>(values.size()); }

void spoil_expected(Rng& rng, oracle::ExpectedTokens& expected) {
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  if (expected.valid_lengths) spoil(rng, *expected.valid_lengths, expected.num_columns);
  if (rng.chance(30)) expected.token_offset = rng.between(-largest, largest);
  if (rng.chance(30)) expected.token_offset = rng.between(-20, 20);
  spoil(rng, expected.tokens, 100);
}

void spoil_table(Rng& rng, oracle::SlotTable& table) {
  std::int64_t& entry = table.entries[rng.index(table.entries)];
  entry = garbage(rng, 20);
  if (rng.chance(50)) entry = static_cast<std::int32_t>(entry);
  if (rng.chance(20)) table.num_columns = rng.between(0, table.num_columns);
  if (rng.chance(20)) table.num_rows = rng.between(0, table.num_rows);
}

void spoil_lists(Rng& rng, oracle::SlotLists& lists) {
  switch (rng.between(0, 3)) {
    case 0:
      spoil(rng, lists.pages, 20);
      break;
    case 1:
      spoil(rng, lists.offsets, size_of(lists.pages));
      break;
    case 2:
      if (lists.first_positions) spoil(rng, *lists.first_positions, 20);
      break;
    default:
      lists.pages.resize(rng.between(0, size_of(lists.pages)));
      break;
  }
}

/// Lengths that are right by themselves, but not together.
void spoil_sum(Rng& rng, oracle::RequestBatch& batch) {
  if (batch.request_rows.empty()) return;
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  const std::size_t r = rng.index(batch.request_rows);
  batch.prefix_lengths[r] = rng.between(0, 5);
  batch.extend_lengths[r] = limit - rng.between(1, 5);
}

void spoil_padding(Rng& rng, oracle::Endpoint& endpoint) {
  endpoint.padding.first = rng.between(0, endpoint.num_slots);
  endpoint.padding.count = rng.between(0, endpoint.num_slots - endpoint.padding.first);
  if (rng.chance(70)) endpoint.padding.count = std::min<std::int64_t>(3, endpoint.padding.count);
  endpoint.padding.skip_reads = rng.chance(50);
}

/// The padding slots that are left lie in the buffer.
void shrink(Rng& rng, oracle::Endpoint& endpoint) {
  endpoint.num_slots = rng.between(1, endpoint.num_slots);
  endpoint.canary.resize(endpoint.num_slots * endpoint.stride);
  oracle::Padding& padding = endpoint.padding;
  padding.first = std::min(padding.first, endpoint.num_slots);
  padding.count = std::min(padding.count, endpoint.num_slots - padding.first);
}

void spoil_record(Rng& rng, oracle::Endpoint& endpoint) {
  const std::int64_t slot = rng.between(0, endpoint.num_slots - 1);
  const std::int64_t other = rng.between(0, endpoint.num_slots - 1);
  std::byte* record = &endpoint.canary[slot * endpoint.stride];
  std::byte* source = &endpoint.canary[other * endpoint.stride];
  switch (rng.between(0, 3)) {
    case 0:
      record[rng.between(0, endpoint.stride - 1)] ^= std::byte{1} << rng.between(0, 7);
      break;
    case 1:
      std::swap_ranges(record, record + 32, source);
      break;
    case 2:
      std::memmove(record, source, 32);
      break;
    default:
      std::memset(record, 0, 32);
      break;
  }
}

}  // namespace

void malform(Rng& rng, oracle::RequestBatch& batch) {
  const std::int64_t given = size_of(batch.prefix_lengths);
  auto& full_to_swa = batch.lists ? batch.lists->full_to_swa : batch.table.full_to_swa;
  for (std::int64_t n = rng.between(1, 6); n > 0; --n) {
    switch (rng.between(0, 11)) {
      case 0:
        spoil(rng, batch.request_rows, batch.table.num_rows);
        break;
      case 1:
        spoil(rng, batch.prefix_lengths, batch.table.num_columns * batch.table.page_size);
        break;
      case 2:
        spoil(rng, batch.extend_lengths, 20);
        break;
      case 3:
        batch.num_requests = garbage(rng, given);
        break;
      case 4:
        batch.lists ? spoil_lists(rng, *batch.lists) : spoil_table(rng, batch.table);
        break;
      case 5:
        if (full_to_swa) spoil(rng, *full_to_swa, 100);
        break;
      case 6:
        if (full_to_swa) full_to_swa->resize(rng.between(1, 60));
        break;
      case 7:
        batch.window = std::max<std::int64_t>(0, garbage(rng, 20));
        break;
      case 8:
        spoil_sum(rng, batch);
        break;
      case 9:
        batch.padding_row = rng.chance(30) ? std::nullopt : std::optional(garbage(rng, 5));
        break;
      case 10:
        batch.verify_end =
            rng.pick<oracle::VerifyEnd>({oracle::VerifyEnd::prefix, oracle::VerifyEnd::last_token,
                                         oracle::VerifyEnd::whole_step});
        break;
      default:
        if (batch.expected) spoil_expected(rng, *batch.expected);
        break;
    }
  }
}

void malform(Rng& rng, oracle::WritePlan& plan) {
  const std::int64_t capacity = size_of(plan.seed_slots);
  // Whatever plan left stale is read when num_requests is wrong.
  for (std::int64_t n = rng.between(1, 6); n > 0; --n) {
    switch (rng.between(0, 4)) {
      case 0:
        spoil(rng, plan.offsets, 30);
        break;
      case 1:
        spoil(rng, plan.seed_slots, 60);
        break;
      case 2:
        spoil(rng, plan.request_rows, 10);
        break;
      case 3:
        plan.num_requests = garbage(rng, capacity);
        break;
      default:
        plan.malformed = rng.between(0, 2);
        break;
    }
  }
}

void malform(Rng& rng, oracle::TokenBatch& batch) {
  for (std::int64_t n = rng.between(1, 8); n > 0; --n) {
    switch (rng.between(0, 6)) {
      case 0:
        spoil(rng, batch.tokens, 100);
        break;
      case 1:
        spoil(rng, batch.positions, 100);
        break;
      case 2:
        spoil(rng, batch.slots, 60);
        break;
      case 3:
        if (batch.expected_tokens) spoil(rng, *batch.expected_tokens, 100);
        break;
      case 4:
        if (batch.expected_positions) spoil(rng, *batch.expected_positions, 100);
        break;
      case 5:
        batch.num_tokens = garbage(rng, size_of(batch.tokens));
        break;
      default:
        batch.check_positions = garbage(rng, 2);
        break;
    }
  }
}

void malform(Rng& rng, oracle::VerifyPlan& plan) {
  const auto capacity = static_cast<std::int64_t>(plan.entries.size());
  for (std::int64_t n = rng.between(1, 8); n > 0; --n) {
    oracle::VerifyEntry& entry = plan.entries[rng.index(plan.entries)];
    switch (rng.between(0, 6)) {
      case 0:
        entry.slot = garbage(rng, 60);
        break;
      case 1:
        entry.position = garbage(rng, 60);
        break;
      case 2:
        entry.predecessor = garbage(rng, 60);
        break;
      case 3:
        entry.expected_token = garbage(rng, 60);
        break;
      case 4:
        plan.num_entries = garbage(rng, capacity);
        break;
      case 5:
        plan.malformed = rng.between(0, 2);
        break;
      default:
        if (rng.chance(30)) plan.enabled = rng.between(0, 2);
        break;
    }
  }
}

void malform(Rng& rng, std::vector<oracle::Endpoint>& endpoints) {
  for (oracle::Endpoint& endpoint : endpoints) {
    if (rng.chance(50)) shrink(rng, endpoint);
    if (rng.chance(30)) spoil_padding(rng, endpoint);
    for (oracle::KVSource& source : endpoint.sources) {
      if (rng.chance(70)) continue;
      source.num_rows = rng.between(0, source.num_rows);
      source.bytes.resize(source.num_rows * source.row_stride);
    }
  }
}

void corrupt(Rng& rng, std::vector<oracle::Endpoint>& endpoints) {
  for (std::int64_t n = rng.between(1, 6); n > 0; --n) {
    oracle::Endpoint& endpoint = endpoints[rng.index(endpoints)];
    spoil_record(rng, endpoint);
    if (endpoint.sources.empty()) continue;
    std::vector<std::byte>& bytes = endpoint.sources[rng.index(endpoint.sources)].bytes;
    if (!bytes.empty() && rng.chance(50)) bytes[rng.index(bytes)] ^= std::byte{0x10};
  }
}
