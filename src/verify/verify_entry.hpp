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

/// The violation of entry `i`.
KOKKOS_INLINE_FUNCTION Violation entry_violation(const EndpointArgs& endpoint,
                                                 const VerifyEntry& entry, std::int64_t i,
                                                 const Record& record, std::int64_t bits,
                                                 std::int64_t aux) {
  return {.launch_tag = static_cast<std::int64_t>(endpoint.tag),
          .slot = entry.slot,
          .position = entry.position,
          .stored_token = record.token,
          .expected_token = entry.expected_token,
          .stored_chain_hash = record.prev_hash,
          .expected_aux = aux,
          .fail_bits = bits,
          .request_row = entry.request_row,
          .entry = i};
}

/// Checks entry `i`, whose slot is not the padding slot, and reports what is wrong with it.
template <class Chain, KVWork kv_work = KVWork::many>
KOKKOS_FUNCTION void verify_entry(const EndpointArgs& endpoint, const VerifyEntry& entry,
                                  std::int64_t i, const ViolationSink& sink) {
  if (!endpoint.holds(entry.slot)) {
    sink.push(entry_violation(endpoint, entry, i, Record{}, fail_bit::slot_out_of_bounds, 0));
    return;
  }
  const Record record = endpoint.load(entry.slot);
  std::int64_t bits = 0;
  // The first failing check in this order says what it compared with, so the last assignment is
  // the strongest.
  std::int64_t aux = 0;

  const KVHash kv = endpoint.template hash_kv<kv_work>(entry.slot);
  if (!kv.in_range) {
    bits |= fail_bit::slot_out_of_bounds;
  } else if (static_cast<std::uint64_t>(record.kv_hash) != kv.value) {
    bits |= fail_bit::kv_hash;
    aux = static_cast<std::int64_t>(kv.value);
  }
  if (entry.expected_token != -1 && record.token != entry.expected_token) {
    bits |= fail_bit::verify_token;
  }
  if (record.position != entry.position) {
    bits |= fail_bit::position;
    aux = record.position;
  }
  if (entry.predecessor != no_slot && !endpoint.holds(entry.predecessor)) {
    bits |= fail_bit::slot_out_of_bounds;
  } else if (entry.predecessor != padding_slot) {
    const std::uint64_t expected = entry.predecessor == no_slot
                                       ? Chain::start()
                                       : next_hash<Chain>(endpoint.load(entry.predecessor));
    if (static_cast<std::uint64_t>(record.prev_hash) != expected) {
      bits |= fail_bit::chain_hash;
      aux = static_cast<std::int64_t>(expected);
    }
  }
  if (bits != 0) sink.push(entry_violation(endpoint, entry, i, record, bits, aux));
}

}  // namespace kvcanary::detail
