#pragma once

#include <cstdint>
#include <vector>

namespace kvcanary::sim {

/// What the model would be asked to run in one engine step. Requests come in batch order: decoding
/// requests first, then prefill chunks, each in order of admission.
struct StepBatch {
  std::int64_t step = 0;  ///< 0-based

  // Per request, all of one length.
  std::vector<std::int32_t> request_rows;    ///< row of the slot table, > 0
  std::vector<std::int64_t> request_ids;     ///< index of the request in the trace
  std::vector<std::int64_t> prefix_lengths;  ///< tokens already in the cache, which this step reads
  std::vector<std::int64_t> extend_lengths;  ///< tokens this step adds, >= 1

  // Per added token, requests one after the other, all of length sum(extend_lengths).
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> slots;       ///< slots of the full pool
  std::vector<std::int64_t> swa_slots;   ///< slots of the SWA pool; empty without a window
  std::vector<std::uint64_t> histories;  ///< hash of all that the token's KV depends on

  /// Requests in the batch.
  std::int64_t num_requests() const { return static_cast<std::int64_t>(request_rows.size()); }
  /// Tokens the step adds.
  std::int64_t num_tokens() const { return static_cast<std::int64_t>(tokens.size()); }

  /// Empties every vector and keeps its memory.
  void clear() {
    request_rows.clear();
    request_ids.clear();
    prefix_lengths.clear();
    extend_lengths.clear();
    tokens.clear();
    positions.clear();
    slots.clear();
    swa_slots.clear();
    histories.clear();
  }

  bool operator==(const StepBatch&) const = default;
};

}  // namespace kvcanary::sim
