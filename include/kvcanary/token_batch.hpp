#pragma once

#include <cstdint>
#include <kvcanary/int_span.hpp>

/// \file
/// The tokens of an engine step, as one pool sees them.
namespace kvcanary {

/// The tokens that a step adds, all requests one after the other. Arrays lie in memory of the
/// execution space, one element a token.
struct TokenBatch {
  IntSpan tokens;
  IntSpan positions;
  IntSpan slots;  ///< in the pool of the endpoints (already translated); negative: skip the entry
  IntSpan expected_tokens = {};     ///< optional: what `tokens` must be
  IntSpan expected_positions = {};  ///< optional: what `positions` must be
  /// Optional device scalar: how many of the tokens the step has. The last offset of the plan must
  /// equal it, so that a length that was lost is named instead of shifting the tokens behind it.
  IntSpan num_tokens = {};
  /// Optional device scalar: when not 0, the positions of a request must follow that of its seed,
  /// and one another. Leave it 0 during warm-up.
  IntSpan check_positions = {};
  /// Hint: the largest number of entries of a request, where the host knows it (1 for decode); 0:
  /// unknown. It shapes the launch, and never changes what is written or reported.
  std::int64_t max_entries_per_request = 0;
};

}  // namespace kvcanary
