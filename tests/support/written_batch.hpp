#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "oracle/record.hpp"
#include "oracle/write.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/check.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Batches whose prefixes are in the pool, for the tests of verify_requests.
namespace written_batch {

using build::Ints;
using oracle::Endpoint;
using oracle::KVMode;
using oracle::Record;
using oracle::VerifyJob;
using oracle::Violation;
namespace bit = oracle::bit;

/// The ends of tiles and units, and their neighbours.
inline const Ints boundaries = {0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513};

inline std::int64_t token_at(std::int64_t row, std::int64_t position) {
  return row * 100'003 + position * 17 + 5;
}

/// Requests in rows 1, 2, ... whose pages lie backwards in the pool; page 0 is nobody's.
inline oracle::RequestBatch batch_of(const Ints& lengths, std::int64_t page_size) {
  const std::int64_t longest = lengths.empty() ? 0 : std::ranges::max(lengths);
  const std::int64_t columns = longest / page_size + 1;
  const auto requests = static_cast<std::int64_t>(lengths.size());
  oracle::RequestBatch batch{build::iota(requests, 1), lengths, Ints(lengths.size(), 1), {}, {}};
  batch.table = {{}, requests + 1, columns, columns, page_size};
  for (std::int64_t page = (requests + 1) * columns; page > 0; --page) {
    batch.table.entries.push_back(page);
  }
  return batch;
}

inline std::int64_t num_slots(const oracle::RequestBatch& batch) {
  return (batch.table.num_rows * batch.table.num_columns + 1) * batch.table.page_size;
}

/// The first `lengths` tokens of the requests of a batch.
inline oracle::TokenBatch first_tokens(const oracle::RequestBatch& batch, const Ints& lengths) {
  oracle::TokenBatch tokens;
  for (std::size_t r = 0; r < batch.request_rows.size(); ++r) {
    const std::int64_t row = batch.request_rows[r];
    for (std::int64_t p = 0; p < lengths[r]; ++p) {
      tokens.tokens.push_back(token_at(row, p));
      tokens.positions.push_back(p);
      tokens.slots.push_back(oracle::find(batch.table, row, p).slot);
    }
  }
  return tokens;
}

/// Writes them into an endpoint.
inline void write_tokens(const oracle::RequestBatch& batch, const Ints& lengths,
                         Endpoint& endpoint) {
  std::vector<Endpoint> endpoints = {std::move(endpoint)};
  oracle::Report report;
  const Ints seeds(batch.request_rows.size(), oracle::no_slot);
  oracle::write(build::write_plan(lengths, seeds), first_tokens(batch, lengths), endpoints, report);
  endpoint = std::move(endpoints[0]);
}

/// A buffer for the pool of `batch` that holds its prefixes. `read_bytes` of each KV source.
inline Endpoint written(const oracle::RequestBatch& batch, int tag = 0, KVMode mode = KVMode::none,
                        const Ints& read_bytes = {}) {
  Endpoint endpoint = build::endpoint(tag, num_slots(batch), 32 + 16 * (tag % 3));
  if (!read_bytes.empty()) endpoint.mode = mode;
  for (const std::int64_t bytes : read_bytes) {
    endpoint.sources.push_back(build::kv_source(num_slots(batch), 1, bytes, bytes));
  }
  write_tokens(batch, batch.prefix_lengths, endpoint);
  return endpoint;
}

/// A batch that holds the prefixes, in the buffer of one endpoint.
inline VerifyJob job_of(const Ints& lengths, std::int64_t page_size, int tag = 0) {
  const oracle::RequestBatch batch = batch_of(lengths, page_size);
  return {batch, {written(batch, tag)}};
}

inline std::int64_t slot_of(const VerifyJob& job, std::size_t r, std::int64_t position) {
  return oracle::find(job.batch.table, job.batch.request_rows.at(r), position).slot;
}

inline void flip(Endpoint& endpoint, std::int64_t slot, std::int64_t Record::* field,
                 std::int64_t bits = 1) {
  Record record = oracle::load(endpoint, slot);
  record.*field ^= bits;
  oracle::store(endpoint, slot, record);
}

/// The token table in which every expectation is right.
inline oracle::ExpectedTokens expected_of(const oracle::RequestBatch& batch, std::int64_t offset) {
  const std::int64_t columns = batch.table.num_columns * batch.table.page_size;
  oracle::ExpectedTokens expected{{}, batch.table.num_rows, columns, columns, {}, offset};
  for (std::int64_t row = 0; row < expected.num_rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      expected.tokens.push_back(token_at(row, c - offset));
    }
  }
  return expected;
}

template <class Space>
class VerifyRequestsTest : public SpaceTest<Space> {
 protected:
  static std::vector<Violation> run(const std::vector<VerifyJob>& jobs) {
    return check_verify_requests<Space>({}, jobs).violations;
  }
  static void expect_clean(const VerifyJob& job) {
    const oracle::Report report = check_verify_requests<Space>({}, {job});
    EXPECT_TRUE(report.violations.empty()) << report.violations.at(0);
    const Ints& lengths = job.batch.prefix_lengths;
    const std::int64_t entries = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    for (const Endpoint& endpoint : job.endpoints) {
      EXPECT_EQ(report.counts[endpoint.tag],
                (oracle::TagCounts{1, static_cast<std::uint64_t>(entries)}));
    }
  }
};

}  // namespace written_batch
