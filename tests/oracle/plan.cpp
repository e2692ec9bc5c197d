#include "oracle/plan.hpp"

#include <algorithm>

namespace oracle {
namespace {

struct Request {
  std::int64_t row = 0;
  std::int64_t prefix = 0;
  std::int64_t extend = 0;
  bool malformed = false;
};

bool is_length(std::int64_t length) { return length >= 0 && length < (std::int64_t{1} << 30); }

/// Request r with padding and malformed lengths replaced by 0.
Request request(const PlanBatch& batch, std::int64_t r) {
  const std::int64_t row = batch.request_rows.at(r);
  if (row == 0) return {};
  const std::int64_t prefix = batch.prefix_lengths.at(r);
  const std::int64_t extend = batch.extend_lengths.at(r);
  return {row, is_length(prefix) ? prefix : 0, is_length(extend) ? extend : 0,
          !is_length(prefix) || !is_length(extend)};
}

std::int64_t first_position(const PlanBatch& batch, const Request& request) {
  return batch.window > 0 ? std::max<std::int64_t>(0, request.prefix - batch.window) : 0;
}

std::int64_t seed_slot(const PlanBatch& batch, const Request& request) {
  if (request.prefix == 0) return no_slot;
  return resolve(batch.table, request.row, request.prefix - 1).slot;
}

std::int64_t predecessor(const PlanBatch& batch, const Request& request, std::int64_t position) {
  if (position == 0) return no_slot;
  const Resolved before = resolve(batch.table, request.row, position - 1);
  const bool outside_window = position == first_position(batch, request);
  return outside_window && before.kind == Resolved::Kind::evicted ? 0 : before.slot;
}

std::int64_t expected_token(const PlanBatch& batch, std::int64_t row, std::int64_t position) {
  if (!batch.expected) return -1;
  const ExpectedTokens& expected = *batch.expected;
  const std::int64_t column = position + expected.token_offset;
  if (row < 0 || row >= expected.num_rows) return -1;
  if (column < 0 || column >= expected.num_columns) return -1;
  if (expected.valid_lengths) {
    const std::vector<std::int64_t>& lengths = *expected.valid_lengths;
    const bool has_row = row < static_cast<std::int64_t>(lengths.size());
    if (column >= (has_row ? lengths[row] : 0)) return -1;
  }
  return expected.tokens.at(row * expected.row_stride + column);
}

void append_entries(const PlanBatch& batch, const Request& request, VerifyPlan& plan) {
  for (std::int64_t p = first_position(batch, request); p < request.prefix; ++p) {
    plan.entries.at(plan.num_entries++) = {resolve(batch.table, request.row, p).slot, p,
                                           predecessor(batch, request, p),
                                           expected_token(batch, request.row, p), request.row};
  }
}

}  // namespace

void plan(const PlanBatch& batch, WritePlan& write_plan, VerifyPlan& verify_plan) {
  const auto given = static_cast<std::int64_t>(batch.request_rows.size());
  const std::int64_t wanted = batch.num_requests.value_or(given);
  const std::int64_t n = std::clamp<std::int64_t>(wanted, 0, given);

  std::vector<Request> requests;
  std::int64_t malformed = n != wanted ? 1 : 0;
  std::int64_t required = 0;
  for (std::int64_t r = 0; r < n; ++r) {
    requests.push_back(request(batch, r));
    malformed += requests[r].malformed ? 1 : 0;
    required += requests[r].prefix - first_position(batch, requests[r]);
  }

  write_plan.num_requests = n;
  write_plan.malformed = malformed;
  write_plan.offsets.at(0) = 0;
  for (std::int64_t r = 0; r < n; ++r) {
    write_plan.offsets.at(r + 1) = write_plan.offsets[r] + requests[r].extend;
    write_plan.seed_slots.at(r) = seed_slot(batch, requests[r]);
    write_plan.request_rows.at(r) = requests[r].row;
  }

  const bool fits = required <= static_cast<std::int64_t>(verify_plan.entries.size());
  verify_plan.enabled = fits ? 1 : 0;
  verify_plan.overflows += fits ? 0 : 1;
  verify_plan.required_entries = required;
  verify_plan.malformed = malformed;
  verify_plan.num_entries = 0;
  if (!fits) return;
  for (const Request& request : requests) append_entries(batch, request, verify_plan);
}

}  // namespace oracle
