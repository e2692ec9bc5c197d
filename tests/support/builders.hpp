#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/case.hpp"

/// \file
/// Short ways to write down hand-made cases.
namespace build {

using Ints = std::vector<std::int64_t>;

/// Rows of pages, all of the same length.
inline oracle::SlotTable table(std::int64_t page_size,
                               const std::vector<std::vector<std::int64_t>>& rows) {
  const auto columns = static_cast<std::int64_t>(rows.at(0).size());
  oracle::SlotTable table{{}, static_cast<std::int64_t>(rows.size()), columns, columns, page_size};
  for (const std::vector<std::int64_t>& row : rows) {
    table.entries.insert(table.entries.end(), row.begin(), row.end());
  }
  return table;
}

/// Lists of all that the rows of a batch's requests hold, and of nothing else.
inline oracle::SlotLists lists_of(const oracle::RequestBatch& batch) {
  const oracle::SlotTable& table = batch.table;
  oracle::SlotLists lists{{}, {0}, {}, table.page_size, table.full_to_swa};
  for (const std::int64_t row : batch.request_rows) {
    const auto begin = table.entries.begin() + row * table.row_stride;
    lists.pages.insert(lists.pages.end(), begin, begin + table.num_columns);
    lists.offsets.push_back(static_cast<std::int64_t>(lists.pages.size()));
  }
  return lists;
}

/// `num_slots` rows of bytes that no record and no gap between records should keep by accident.
/// Slot 0 is padding.
inline oracle::Endpoint endpoint(int tag, std::int64_t num_slots, std::int64_t stride = 32) {
  oracle::Endpoint endpoint{.tag = tag, .num_slots = num_slots, .stride = stride};
  endpoint.canary.assign(num_slots * stride, std::byte{0xEE});
  return endpoint;
}

/// No slot is padding: what is written anywhere counts.
inline constexpr oracle::Padding no_padding{.first = 0, .count = 0};

/// KV bytes 0, 1, 2, ... (modulo 251, so that no two rows are equal), a page wide.
inline oracle::KVSource kv_source(std::int64_t num_rows, std::int64_t page_size,
                                  std::int64_t bytes_per_token, std::int64_t read_bytes) {
  oracle::KVSource source{{},        num_rows,        page_size * bytes_per_token,
                          page_size, bytes_per_token, read_bytes};
  for (std::int64_t i = 0; i < num_rows * source.row_stride; ++i) {
    source.bytes.push_back(static_cast<std::byte>(i % 251));
  }
  return source;
}

/// Requests of `lengths` entries each, one after the other.
inline oracle::WritePlan write_plan(const Ints& lengths, const Ints& seed_slots) {
  oracle::WritePlan plan{{0}, seed_slots, {}, static_cast<std::int64_t>(lengths.size()), 0};
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    plan.offsets.push_back(plan.offsets.back() + lengths[r]);
    plan.request_rows.push_back(static_cast<std::int64_t>(r) + 1);
  }
  return plan;
}

inline oracle::VerifyPlan verify_plan(const std::vector<oracle::VerifyEntry>& entries) {
  const auto size = static_cast<std::int64_t>(entries.size());
  return {entries, 1, size, size, 0, 0};
}

/// Entries of one request whose positions 0, 1, ... lie in `slots`.
inline oracle::VerifyPlan verify_chain(const Ints& slots, std::int64_t row = 1) {
  std::vector<oracle::VerifyEntry> entries;
  for (std::size_t p = 0; p < slots.size(); ++p) {
    const std::int64_t predecessor = p == 0 ? oracle::no_slot : slots[p - 1];
    entries.push_back({slots[p], static_cast<std::int64_t>(p), predecessor, -1, row});
  }
  return verify_plan(entries);
}

/// What is reported of a whole plan or batch, of which `count` was read.
/// \param wanted what it must be, where that is known
inline oracle::Violation plan_violation(int tag, std::int64_t count, std::int64_t wanted = -1) {
  return {.launch_tag = tag,
          .slot = -1,
          .position = -1,
          .stored_token = 0,
          .expected_token = -1,
          .stored_chain_hash = 0,
          .expected_aux = count,
          .fail_bits = oracle::bit::malformed_plan,
          .request_row = -1,
          .entry = -1,
          .expected_position = wanted,
          .stored_kv_hash = 0,
          .expected_kv_hash = 0};
}

/// `count` values from `first` on.
inline Ints iota(std::int64_t count, std::int64_t first = 0) {
  Ints values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace build
