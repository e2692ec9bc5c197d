#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/slot_table.hpp"

/// \file
/// From a batch of requests to what has to be written and verified.
namespace oracle {

struct ExpectedTokens {
  std::vector<std::int64_t> tokens;  ///< [num_rows][row_stride]
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t row_stride = 0;
  std::optional<std::vector<std::int64_t>> valid_lengths = {};  ///< by request of the batch
  std::int64_t token_offset = 0;
};

enum class VerifyEnd { prefix, last_token, whole_step };

struct RequestBatch {
  std::vector<std::int64_t> request_rows;
  std::vector<std::int64_t> prefix_lengths;
  std::vector<std::int64_t> extend_lengths;
  std::optional<std::int64_t> num_requests = {};
  SlotTable table;
  std::optional<SlotLists> lists = {};  ///< instead of the table
  std::int64_t window = 0;
  VerifyEnd verify_end = VerifyEnd::prefix;
  std::optional<std::int64_t> padding_row = 0;
  std::optional<ExpectedTokens> expected = {};
  bool rows_given = true;  ///< otherwise rows are 0, 1, ..., whatever request_rows holds
};

std::int64_t row_of(const RequestBatch& batch, std::int64_t request);

/// The arrays have the size of the capacity (offsets: one more).
struct WritePlan {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> seed_slots;
  std::vector<std::int64_t> request_rows;
  std::int64_t num_requests = 0;
  std::int64_t malformed = 0;

  bool operator==(const WritePlan&) const = default;
};

struct VerifyEntry {
  std::int64_t slot = 0;
  std::int64_t position = 0;
  std::int64_t predecessor = 0;
  std::int64_t expected_token = -1;
  std::int64_t request_row = -1;

  bool operator==(const VerifyEntry&) const = default;
};

/// `entries` has the size of the capacity.
struct VerifyPlan {
  std::vector<VerifyEntry> entries;
  std::int64_t enabled = 1;
  std::int64_t num_entries = 0;
  std::int64_t required_entries = 0;
  std::int64_t malformed = 0;
  std::uint64_t overflows = 0;

  bool operator==(const VerifyPlan&) const = default;
};

/// Array elements past what the plan holds stay as they are.
void plan(const RequestBatch& batch, WritePlan& write_plan, VerifyPlan& verify_plan);

/// How many verify entries each request has, of those that count.
std::vector<std::int64_t> verified_positions(const RequestBatch& batch);

}  // namespace oracle
