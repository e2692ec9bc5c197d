#include "oracle/plan.hpp"

#include <algorithm>

namespace oracle {
namespace {

/// One request, what is malformed replaced by 0.
struct Request {
  std::int64_t index = 0;
  std::int64_t row = 0;
  std::int64_t prefix = 0;
  std::int64_t extend = 0;
  bool malformed = false;
};

bool is_length(std::int64_t length) { return length >= 0 && length < (std::int64_t{1} << 30); }

Request request(const RequestBatch& batch, std::int64_t r) {
  const std::int64_t row = row_of(batch, r);
  if (batch.rows_given && batch.padding_row == row) return {r, row};
  const std::int64_t prefix = batch.prefix_lengths.at(r);
  const std::int64_t extend = batch.extend_lengths.at(r);
  Request request{r, row, is_length(prefix) ? prefix : 0, is_length(extend) ? extend : 0,
                  !is_length(prefix) || !is_length(extend)};
  if (!is_length(request.prefix + request.extend)) {
    request.extend = 0;
    request.malformed = true;
  }
  return request;
}

std::int64_t num_requests(const RequestBatch& batch) {
  const auto given = static_cast<std::int64_t>(batch.prefix_lengths.size());
  return std::clamp<std::int64_t>(batch.num_requests.value_or(given), 0, given);
}

std::vector<Request> requests_of(const RequestBatch& batch) {
  std::vector<Request> requests;
  for (std::int64_t r = 0; r < num_requests(batch); ++r) requests.push_back(request(batch, r));
  return requests;
}

std::int64_t end_position(const RequestBatch& batch, const Request& request) {
  return request.prefix + (batch.verify_end != VerifyEnd::prefix ? request.extend : 0);
}

std::int64_t first_position(const RequestBatch& batch, const Request& request) {
  if (batch.window <= 0) return 0;
  const bool before_prefix = batch.verify_end == VerifyEnd::whole_step;
  const std::int64_t end = before_prefix ? request.prefix : end_position(batch, request);
  return std::max<std::int64_t>(0, end - batch.window);
}

Found find_slot(const RequestBatch& batch, const Request& request, std::int64_t position) {
  return batch.lists ? find(*batch.lists, request.index, position)
                     : find(batch.table, request.row, position);
}

std::int64_t seed_slot(const RequestBatch& batch, const Request& request) {
  if (request.prefix == 0 || request.extend == 0) return no_slot;
  return find_slot(batch, request, request.prefix - 1).slot;
}

std::int64_t predecessor(const RequestBatch& batch, const Request& request, std::int64_t position) {
  if (position == 0) return no_slot;
  const Found before = find_slot(batch, request, position - 1);
  const bool outside_window = position == first_position(batch, request);
  return outside_window && before.kind == Found::Kind::gone ? unchecked_slot : before.slot;
}

std::int64_t expected_token(const RequestBatch& batch, const Request& request,
                            std::int64_t position) {
  if (!batch.expected) return -1;
  const ExpectedTokens& expected = *batch.expected;
  const std::int64_t column = position + expected.token_offset;
  if (request.row < 0 || request.row >= expected.num_rows) return -1;
  if (column < 0 || column >= expected.num_columns) return -1;
  if (expected.valid_lengths && column >= expected.valid_lengths->at(request.index)) return -1;
  return expected.tokens.at(request.row * expected.row_stride + column);
}

void append_entries(const RequestBatch& batch, const Request& request, VerifyPlan& plan) {
  const std::int64_t end = end_position(batch, request);
  for (std::int64_t p = first_position(batch, request); p < end; ++p) {
    plan.entries.at(plan.num_entries++) = {find_slot(batch, request, p).slot, p,
                                           predecessor(batch, request, p),
                                           expected_token(batch, request, p), request.row};
  }
}

std::int64_t malformed(const RequestBatch& batch, const std::vector<Request>& requests) {
  const auto given = static_cast<std::int64_t>(batch.prefix_lengths.size());
  const bool clamped = batch.num_requests.value_or(given) != num_requests(batch);
  return std::ranges::count_if(requests, &Request::malformed) + (clamped ? 1 : 0);
}

void fill(const RequestBatch& batch, const std::vector<Request>& requests, WritePlan& plan) {
  std::int64_t offset = 0;
  for (const Request& request : requests) {
    plan.offsets.at(request.index) = offset;
    plan.seed_slots.at(request.index) = seed_slot(batch, request);
    plan.request_rows.at(request.index) = request.row;
    offset += request.extend;
  }
  const auto first_unused = plan.offsets.begin() + static_cast<std::ptrdiff_t>(requests.size());
  std::fill(first_unused, plan.offsets.end(), offset);
  plan.num_requests = static_cast<std::int64_t>(requests.size());
  plan.malformed = malformed(batch, requests);
}

void fill(const RequestBatch& batch, const std::vector<Request>& requests, VerifyPlan& plan) {
  const auto capacity = static_cast<std::int64_t>(plan.entries.size());
  plan.required_entries = 0;
  for (const std::int64_t entries : verified_positions(batch)) plan.required_entries += entries;
  plan.malformed = malformed(batch, requests);
  if (plan.required_entries > capacity) {
    plan.enabled = 0;
    plan.num_entries = capacity;
    ++plan.overflows;
    return;
  }
  plan.enabled = 1;
  plan.num_entries = 0;
  for (const Request& request : requests) append_entries(batch, request, plan);
}

}  // namespace

std::int64_t row_of(const RequestBatch& batch, std::int64_t request) {
  return batch.rows_given ? batch.request_rows.at(request) : request;
}

void plan(const RequestBatch& batch, WritePlan& write_plan, VerifyPlan& verify_plan) {
  const std::vector<Request> requests = requests_of(batch);
  fill(batch, requests, write_plan);
  fill(batch, requests, verify_plan);
}

std::vector<std::int64_t> verified_positions(const RequestBatch& batch) {
  std::vector<std::int64_t> counts;
  for (const Request& request : requests_of(batch)) {
    counts.push_back(end_position(batch, request) - first_position(batch, request));
  }
  return counts;
}

}  // namespace oracle
