#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/verify_plan.hpp>

#include "src/endpoint_args.hpp"
#include "src/violation_sink.hpp"

/// \file
/// What is wrong with one entry: the one place that says so.
namespace kvcanary::detail {

/// What is wrong with an entry, and what its record was compared with.
struct EntryFindings {
  std::int64_t bits;
  std::uint64_t prev_hash, kv_hash;  ///< those of the record where they are not checked
};

/// The violation of entry `i`.
KOKKOS_INLINE_FUNCTION Violation entry_violation(const EndpointArgs& endpoint,
                                                 const VerifyEntry& entry, std::int64_t i,
                                                 const Record& record, const EntryFindings& found) {
  return {.launch_tag = static_cast<std::int64_t>(endpoint.tag),
          .slot = entry.slot,
          .position = record.position,
          .stored_token = record.token,
          .expected_token = entry.expected_token,
          .stored_chain_hash = record.prev_hash,
          .expected_aux = static_cast<std::int64_t>(found.prev_hash),
          .fail_bits = found.bits,
          .request_row = entry.request_row,
          .entry = i,
          .expected_position = entry.position,
          .stored_kv_hash = record.kv_hash,
          .expected_kv_hash = static_cast<std::int64_t>(found.kv_hash)};
}

/// Compares the record of an entry, which the endpoint holds.
template <KVWork kv_work>
KOKKOS_FUNCTION EntryFindings compare_entry(const EndpointArgs& endpoint,
                                            const VerifyEntry& entry) {
  const Record record = endpoint.load(entry.slot);
  EntryFindings found{.bits = 0,
                      .prev_hash = static_cast<std::uint64_t>(record.prev_hash),
                      .kv_hash = static_cast<std::uint64_t>(record.kv_hash)};
  const KVHash kv = endpoint.template hash_kv<kv_work>(entry.slot);
  if (!kv.in_range) {
    found.bits |= fail_bit::slot_out_of_bounds;
  } else if (kv.value != found.kv_hash) {
    found.bits |= fail_bit::kv_hash;
    found.kv_hash = kv.value;
  }
  if (record.position != entry.position) found.bits |= fail_bit::position;
  if (entry.expected_token != -1 && record.token != entry.expected_token) {
    found.bits |= fail_bit::verify_token;
  }
  std::uint64_t expected = found.prev_hash;
  if (entry.predecessor == no_slot) {
    expected = chain_start();
  } else if (endpoint.holds_token(entry.predecessor)) {
    expected = next_hash(endpoint.load(entry.predecessor), endpoint.chain);
  } else if (entry.predecessor != unchecked_slot && !endpoint.holds(entry.predecessor)) {
    found.bits |= fail_bit::slot_out_of_bounds;
  }
  if (expected != found.prev_hash) found.bits |= fail_bit::chain_hash;
  found.prev_hash = expected;
  return found;
}

/// Checks entry `i`, and reports what is wrong with it.
template <KVWork kv_work = KVWork::many>
KOKKOS_FUNCTION void verify_entry(const EndpointArgs& endpoint, const VerifyEntry& entry,
                                  std::int64_t i, const ViolationSink& sink) {
  EntryFindings found{};
  const bool has_record = endpoint.holds_token(entry.slot);
  if (has_record) {
    found = compare_entry<kv_work>(endpoint, entry);
  } else if (!endpoint.padding.contains(entry.slot)) {
    found.bits = fail_bit::slot_out_of_bounds;
  } else if (endpoint.padding.reads == PaddingReads::report) {
    found.bits = fail_bit::padding_read;
  }
  if (found.bits == 0) return;
  // The record is read once more, so that it does not wait in registers for its place in the log.
  sink.push([&] {
    const Record record = has_record ? endpoint.load(entry.slot) : Record{};
    return entry_violation(endpoint, entry, i, record, found);
  });
}

}  // namespace kvcanary::detail
