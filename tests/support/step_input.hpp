#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/written_batch.hpp"

/// \file
/// Steps whose prefixes are in the pool, for the tests of write_requests and step.
namespace step_input {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

/// Requests whose prefixes are in the pool, and the tokens that they add.
struct StepInput {
  oracle::RequestBatch batch;
  oracle::TokenBatch tokens;
  std::vector<Endpoint> endpoints;
};

/// \param first_tag of as many endpoints of each chain
inline StepInput step_of(const Ints& prefixes, const Ints& extends, std::int64_t page_size,
                         int of_each_chain = 1, int first_tag = 0) {
  Ints totals = prefixes;
  for (std::size_t r = 0; r < totals.size(); ++r) totals[r] += extends[r];
  StepInput step{batch_of(totals, page_size), {}, {}};
  step.batch.prefix_lengths = prefixes;
  step.batch.extend_lengths = extends;
  for (int e = 0; e < 2 * of_each_chain; ++e) {
    Endpoint& endpoint = step.endpoints.emplace_back(written(step.batch, first_tag + e));
    endpoint.chain = e % 2 == 0 ? oracle::Chain::splitmix : oracle::Chain::polynomial;
    write_tokens(step.batch, prefixes, endpoint);
  }
  for (std::size_t r = 0; r < totals.size(); ++r) {
    const std::int64_t row = step.batch.request_rows[r];
    for (std::int64_t p = prefixes[r]; p < totals[r]; ++p) {
      step.tokens.tokens.push_back(token_at(row, p));
      step.tokens.positions.push_back(p);
      step.tokens.slots.push_back(oracle::find(step.batch.table, row, p).slot);
    }
  }
  return step;
}

}  // namespace step_input
