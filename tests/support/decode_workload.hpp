#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/rng.hpp"

/// \file
/// A decode loop's inputs: many steps of one fixed size whose contents change, as a captured graph
/// sees them.

/// Arrays of one step. Sizes never change from step to step.
struct DecodeStep {
  static constexpr std::int64_t page_size = 16, columns = 64, max_requests = 12, max_tokens = 128;
  static constexpr std::int64_t rows = max_requests + 1, width = columns * page_size;
  static constexpr std::int64_t num_slots = (1 + max_requests * columns) * page_size;

  std::vector<std::int32_t> request_rows, prefix_lengths, extend_lengths;  ///< [max_requests]
  std::vector<std::int32_t> valid_lengths;                                 ///< [max_requests]
  std::vector<std::int64_t> num_requests;                                  ///< [1]
  std::vector<std::int32_t> table;                                         ///< [rows][columns]
  std::vector<std::int32_t> token_table;                                   ///< [rows][width]
  std::vector<std::int32_t> tokens, expected_tokens, positions;            ///< [max_tokens]
  std::vector<std::int64_t> slots, swa_slots;                              ///< [max_tokens]
  std::vector<std::int32_t> num_tokens, check_positions;                   ///< [1]

  /// Where a slot of the full pool is in the sliding-window pool.
  static std::int64_t to_swa(std::int64_t slot) { return slot == 0 ? 0 : num_slots - slot; }
};

/// Requests that mostly decode, sometimes prefill a few tokens, pause as padding rows, and start
/// over when they are full. Some steps have a fault: a table entry, a token, a position, a slot or
/// the number of tokens that is wrong for that step alone.
class DecodeWorkload {
 public:
  explicit DecodeWorkload(std::uint64_t seed);
  const DecodeStep& next();

 private:
  void add_request(std::int64_t r);
  void add_fault();

  Rng rng_;
  DecodeStep step_;
  std::vector<std::int32_t> true_table_;
  std::vector<std::int64_t> lengths_;  // tokens in the cache, by row
  std::int64_t num_tokens_ = 0;
};
