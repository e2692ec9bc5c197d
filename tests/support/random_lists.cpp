#include "tests/support/random_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using Ints = std::vector<std::int64_t>;

/// Positions of a request that are looked up: none where there is no such row.
struct Range {
  std::int64_t begin = 0, end = 0;
};

Range looked_up(const oracle::RequestBatch& batch, std::size_t r) {
  const std::int64_t row = batch.request_rows[r];
  if (row < 0 || row >= batch.table.num_rows) return {};
  const std::int64_t positions = batch.table.num_columns * batch.table.page_size;
  const std::int64_t prefix = batch.prefix_lengths[r], extend = batch.extend_lengths[r];
  const std::int64_t end = std::clamp<std::int64_t>(prefix + extend, 0, positions);
  const bool to_last = batch.verify_end == oracle::VerifyEnd::last_token;
  const std::int64_t first = batch.window > 0 ? prefix + (to_last ? extend : 0) - batch.window : 0;
  return {std::clamp<std::int64_t>(std::min(first, prefix - 1), 0, end), end};
}

/// Appends a request's list; `range` begins with a page.
void append(const oracle::RequestBatch& batch, std::size_t r, const Range& range,
            oracle::SlotLists& lists) {
  const oracle::SlotTable& table = batch.table;
  for (std::int64_t p = range.begin; p < range.end; p += lists.page_size) {
    const std::int64_t page =
        table.entries[batch.request_rows[r] * table.row_stride + p / table.page_size];
    const bool of_pages = lists.page_size == table.page_size;
    lists.pages.push_back(of_pages || page < 0 ? page
                                               : page * table.page_size + p % table.page_size);
  }
  lists.offsets.push_back(static_cast<std::int64_t>(lists.pages.size()));
}

bool has_padded_requests(const oracle::RequestBatch& batch) {
  return batch.padding_row && std::ranges::count(batch.request_rows, *batch.padding_row) > 0;
}

/// Expected tokens are by row: each request gets one of its own.
void drop_rows(oracle::RequestBatch& batch) {
  batch.rows_given = false;
  if (!batch.expected) return;
  oracle::ExpectedTokens& expected = *batch.expected;
  Ints tokens;
  for (const std::int64_t row : batch.request_rows) {
    const bool is_there = row >= 0 && row < expected.num_rows;
    for (std::int64_t c = 0; c < expected.row_stride; ++c) {
      tokens.push_back(is_there ? expected.tokens[row * expected.row_stride + c] : -1);
    }
  }
  expected.tokens = std::move(tokens);
  expected.num_rows = static_cast<std::int64_t>(batch.request_rows.size());
}

}  // namespace

void turn_into_lists(Rng& rng, oracle::RequestBatch& batch) {
  oracle::SlotLists lists;
  lists.page_size = rng.chance(60) ? batch.table.page_size : 1;
  lists.full_to_swa = batch.table.full_to_swa;
  const bool of_last = rng.chance(70);
  if (of_last) lists.first_positions.emplace();
  // The first list needs not begin with the array.
  lists.pages = Ints(rng.between(0, 2), 0);
  lists.offsets = {static_cast<std::int64_t>(lists.pages.size())};
  for (std::size_t r = 0; r < batch.request_rows.size(); ++r) {
    Range range = looked_up(batch, r);
    range.begin = of_last ? rng.between(0, range.begin) / lists.page_size * lists.page_size : 0;
    if (of_last) lists.first_positions->push_back(range.begin);
    append(batch, r, range, lists);
  }
  batch.lists = std::move(lists);
  if (!batch.request_rows.empty() && !has_padded_requests(batch) && rng.chance(40)) {
    drop_rows(batch);
  }
}
