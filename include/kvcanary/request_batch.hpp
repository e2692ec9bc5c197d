#pragma once

#include <cstdint>
#include <kvcanary/int_span.hpp>
#include <kvcanary/slot_lists.hpp>
#include <kvcanary/slot_table.hpp>
#include <optional>

/// \file
/// The requests of an engine step, as one pool sees them.
namespace kvcanary {

/// What the engine intends each position of each row to hold. Without `tokens`, nothing is
/// expected.
struct ExpectedTokens {
  IntSpan tokens;  ///< [num_rows][row_stride], by request row and position + token_offset
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t row_stride = 0;  ///< tokens from row to row, >= num_columns
  IntSpan valid_lengths =
      {};  ///< optional, by request of the batch: tokens of its row that are valid
  std::int64_t token_offset = 0;  ///< 0; 1 for EAGLE draft pools, whose slot p holds token p + 1
                                  ///< (SGLang's pull request 26813)
};

/// Where the positions of a request that are verified end.
enum class VerifyEnd : std::uint8_t {
  prefix,      ///< before the tokens that the step adds: what the step reads
  last_token,  ///< behind them, for a verify after the write: what the next step reads
  whole_step   ///< behind them, with a window that ends before them: what the step read, and what
               ///< it added
};

/// The requests of one engine step. Arrays lie in memory of the execution space, one element a
/// request. Prefix and extend length of a request are together below 2^30: others are malformed.
/// Where tokens lie, `table` or `lists` says, of which one is given.
struct RequestBatch {
  /// Row in the slot table and in the expected tokens, which reports name. With lists, it may be
  /// left out: a request's row is then its index in the batch, and none is padding.
  IntSpan request_rows = {};
  IntSpan prefix_lengths;     ///< tokens already in the cache, which the step reads
  IntSpan extend_lengths;     ///< tokens that the step adds
  IntSpan num_requests = {};  ///< optional device scalar: how many of the requests count, or all
  SlotTable table = {};       ///< by request row
  SlotLists lists = {};       ///< instead of a table: by request of the batch
  IntSpan full_to_swa =
      {};  ///< optional: slot of the sliding-window pool, by slot of the full pool
  /// Tokens that are verified before `verify_end` (whole_step: before those that the step adds); 0:
  /// all.
  std::int64_t window = 0;
  VerifyEnd verify_end = VerifyEnd::prefix;
  /// Padded requests have this row, and contribute nothing: 0 in SGLang. None where every row is a
  /// request's.
  std::optional<std::int64_t> padding_row = 0;
  ExpectedTokens expected = {};  ///< optional: tokens that the verified slots must hold
};

}  // namespace kvcanary
