#include "tests/support/decode_workload.hpp"

#include <numeric>

DecodeWorkload::DecodeWorkload(std::uint64_t seed) : rng_(seed), lengths_(DecodeStep::rows, 0) {
  constexpr std::int64_t pages = DecodeStep::max_requests * DecodeStep::columns;
  std::vector<std::int32_t> order(pages);
  std::iota(order.begin(), order.end(), 1);
  rng_.shuffle(order);
  true_table_.assign(DecodeStep::columns, 0);  // row 0 is padding
  true_table_.insert(true_table_.end(), order.begin(), order.end());

  step_.request_rows.resize(DecodeStep::max_requests);
  step_.prefix_lengths.resize(DecodeStep::max_requests);
  step_.extend_lengths.resize(DecodeStep::max_requests);
  step_.num_requests.resize(1);
  step_.token_table.resize(DecodeStep::rows * DecodeStep::width);
  step_.tokens.resize(DecodeStep::max_tokens);
  step_.positions.resize(DecodeStep::max_tokens);
  step_.slots.resize(DecodeStep::max_tokens);
  step_.swa_slots.resize(DecodeStep::max_tokens);
  step_.valid_lengths.resize(DecodeStep::max_requests);
  step_.num_tokens.resize(1);
  step_.check_positions.resize(1);
}

const DecodeStep& DecodeWorkload::next() {
  num_tokens_ = 0;
  step_.table = true_table_;
  step_.num_requests[0] = rng_.between(0, DecodeStep::max_requests);
  step_.check_positions[0] = static_cast<std::int32_t>(rng_.between(0, 1));
  for (std::int64_t r = 0; r < DecodeStep::max_requests; ++r) add_request(r);
  step_.num_tokens[0] = static_cast<std::int32_t>(num_tokens_);
  step_.expected_tokens = step_.tokens;
  if (rng_.between(0, 15) == 0) add_fault();
  return step_;
}

void DecodeWorkload::add_request(std::int64_t r) {
  const auto index = static_cast<std::size_t>(r);
  const std::int64_t row = r + 1;
  std::int64_t& length = lengths_[static_cast<std::size_t>(row)];
  const bool active = r < step_.num_requests[0] && rng_.between(0, 9) > 0;
  std::int64_t extend = rng_.between(0, 9) == 0 ? rng_.between(0, 10) : 1;
  if (active && length + extend > DecodeStep::width) length = 0;
  step_.request_rows[index] = static_cast<std::int32_t>(active ? row : 0);
  step_.prefix_lengths[index] = static_cast<std::int32_t>(length);
  step_.extend_lengths[index] = static_cast<std::int32_t>(extend);
  step_.valid_lengths[index] = static_cast<std::int32_t>(length);
  if (!active) return;
  for (; extend > 0; --extend, ++length, ++num_tokens_) {
    const auto entry = static_cast<std::size_t>(num_tokens_);
    const auto token = static_cast<std::int32_t>(rng_.between(0, 127'999));
    const std::int64_t column = row * DecodeStep::columns + length / DecodeStep::page_size;
    const std::int64_t page = true_table_[static_cast<std::size_t>(column)];
    step_.tokens[entry] = token;
    step_.positions[entry] = static_cast<std::int32_t>(length);
    step_.slots[entry] = page * DecodeStep::page_size + length % DecodeStep::page_size;
    step_.swa_slots[entry] = DecodeStep::to_swa(step_.slots[entry]);
    step_.token_table[static_cast<std::size_t>(row * DecodeStep::width + length)] = token;
  }
}

void DecodeWorkload::add_fault() {
  if (num_tokens_ == 0) return;
  const auto entry = static_cast<std::size_t>(rng_.between(0, num_tokens_ - 1));
  const auto request = static_cast<std::size_t>(rng_.between(0, DecodeStep::max_requests - 1));
  // Pages before the seed's, so that the seed is never a slot that another request writes.
  const std::int64_t pages = (step_.prefix_lengths[request] - 1) / DecodeStep::page_size;
  switch (rng_.between(0, 5)) {
    case 0:
      step_.tokens[entry] += 1;
      break;
    case 1:
      step_.positions[entry] += 1;
      break;
    case 2:
      step_.slots[entry] = DecodeStep::num_slots + 5;
      break;
    case 3:
      step_.swa_slots[entry] = -1;
      break;
    case 4:
      step_.num_tokens[0] += 1;
      break;
    default:
      if (pages < 1) break;
      const std::int64_t column = (static_cast<std::int64_t>(request) + 1) * DecodeStep::columns +
                                  rng_.between(0, pages - 1);
      step_.table[static_cast<std::size_t>(column)] =
          static_cast<std::int32_t>(rng_.between(-3, 1000));
  }
}
