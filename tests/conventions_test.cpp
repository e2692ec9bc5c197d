#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/support/written_batch.hpp"

/// \file
/// Engines with the conventions of those that there are: their steps are clean, and what is wrong
/// with one is named as it should be.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)
using oracle::VerifyEnd;
using testing::IsEmpty;

/// A pool of an engine: its table, the conventions of its batches, and its buffers.
struct Pool {
  oracle::RequestBatch batch;
  std::vector<Endpoint> endpoints;
  std::int64_t padded_tokens = 0;  ///< that fill the arrays of a captured graph
  std::int64_t padded_slot = -1;

  std::int64_t token_offset() const { return batch.expected ? batch.expected->token_offset : 0; }
  std::int64_t slot(std::int64_t row, std::int64_t position) const {
    return oracle::find(batch.table, row, position).slot;
  }
};

/// Buffers of a pool, of which the second hashes KV bytes and has polynomial chains.
std::vector<Endpoint> buffers(const std::vector<int>& tags, std::int64_t num_slots,
                              const oracle::Padding& padding) {
  std::vector<Endpoint> endpoints;
  for (const int tag : tags) {
    Endpoint& endpoint = endpoints.emplace_back(build::endpoint(tag, num_slots));
    endpoint.padding = padding;
    if (endpoints.size() != 2) continue;
    endpoint.chain = oracle::Chain::polynomial;
    endpoint.mode = KVMode::all;
    endpoint.sources = {build::kv_source(num_slots, 1, 24, 24)};
  }
  return endpoints;
}

/// Rows of consecutive pages from `first` on.
oracle::SlotTable consecutive(std::int64_t page_size, std::int64_t rows, std::int64_t columns,
                              std::int64_t first) {
  oracle::SlotTable table{{}, rows, columns, columns, page_size};
  for (std::int64_t page = first; page < first + rows * columns; ++page) {
    table.entries.push_back(page);
  }
  return table;
}

template <class Space>
class ConventionsTest : public SpaceTest<Space> {
 protected:
  /// What is reported of a step of all pools in the same launches.
  std::vector<Violation> step(const Ints& prefixes, const Ints& extends) {
    for (Pool& pool : pools) {
      pool.batch.prefix_lengths = prefixes;
      pool.batch.extend_lengths = extends;
    }
    found_.clear();
    verify(VerifyEnd::prefix);
    write();
    verify(VerifyEnd::last_token);
    return found_;
  }

  std::vector<Pool> pools;

 private:
  void verify(VerifyEnd end) {
    std::vector<VerifyJob> jobs;
    for (const Pool& pool : pools) {
      if (pool.batch.verify_end == end) jobs.push_back({pool.batch, pool.endpoints});
    }
    if (!jobs.empty()) add(check_verify_requests<Space>({}, jobs));
  }

  void write() {
    std::vector<oracle::WritePlan> plans;
    std::vector<oracle::TokenBatch> batches;
    std::vector<WriteCall> jobs;
    for (const Pool& pool : pools) {
      Plans both = stale_plans(std::ssize(pool.batch.request_rows), 1 << 12);
      check_plan<Space>({}, pool.batch, both);
      plans.push_back(both.write);
      batches.push_back(tokens_of(pool, both.write));
    }
    for (std::size_t i = 0; i < pools.size(); ++i) {
      jobs.push_back({&plans[i], &batches[i], &pools[i].endpoints});
    }
    check_write_jobs<Space>({}, jobs);
    oracle::Report report;
    for (const WriteCall& job : jobs) oracle::write(*job.plan, *job.batch, *job.endpoints, report);
    add(report);
  }

  static oracle::TokenBatch tokens_of(const Pool& pool, const oracle::WritePlan& plan) {
    oracle::TokenBatch batch;
    for (std::int64_t r = 0; r < plan.num_requests; ++r) {
      const std::int64_t row = plan.request_rows[r], prefix = pool.batch.prefix_lengths[r];
      const std::int64_t extend = plan.offsets[r + 1] - plan.offsets[r];
      for (std::int64_t p = prefix; p < prefix + extend; ++p) {
        batch.tokens.push_back(token_at(row, p + pool.token_offset()));
        batch.positions.push_back(p);
        batch.slots.push_back(pool.slot(row, p));
      }
    }
    batch.num_tokens = std::ssize(batch.tokens);
    batch.check_positions = 1;
    batch.tokens.resize(batch.tokens.size() + pool.padded_tokens, 0);
    batch.positions.resize(batch.tokens.size(), 0);
    batch.slots.resize(batch.tokens.size(), pool.padded_slot);
    return batch;
  }

  void add(const oracle::Report& report) {
    found_.insert(found_.end(), report.violations.begin(), report.violations.end());
  }

  std::vector<Violation> found_;
};
TYPED_TEST_SUITE(ConventionsTest, OperationSpaces, SpaceName);

// ---- vLLM --------------------------------------------------------------------------------------

/// A block table whose block 0 is the null block; every row is a request's; requests past the
/// number that counts and tokens without a slot fill the arrays.
Pool vllm_pool() {
  Pool pool;
  pool.batch = {{1, 0, 77}, {}, {}, 2, consecutive(16, 2, 8, 1)};
  pool.batch.padding_row.reset();
  pool.endpoints = buffers({0, 1}, 17 * 16, {0, 16});
  pool.padded_tokens = 3;
  return pool;
}

TYPED_TEST(ConventionsTest, Vllm) {
  this->pools = {vllm_pool()};
  EXPECT_THAT(this->step({0, 0, -5}, {100, 5, 99}), IsEmpty());
  EXPECT_THAT(this->step({100, 5, 7}, {1, 1, 7}), IsEmpty());
  EXPECT_THAT(this->step({101, 6, 7}, {1, 120, 7}), IsEmpty());

  // A block of request 0 was freed while it still reads it: the table names the null block.
  this->pools[0].batch.table.entries[8 + 2] = 0;
  const std::vector<Violation> found = this->step({102, 126, 7}, {1, 1, 7});
  EXPECT_EQ(found.size(), 2 * 16U) << "in both buffers";
  for (const Violation& violation : found) {
    EXPECT_EQ(violation.fail_bits, bit::padding_read);
    EXPECT_EQ(violation.entry, 0);
    EXPECT_EQ(violation.request_row, 1);
    EXPECT_EQ(violation.slot, violation.expected_position - 32);
  }
}

/// Blocks that have left a sliding window are the null block.
TYPED_TEST(ConventionsTest, VllmSlidingWindow) {
  Pool pool = vllm_pool();
  pool.batch.window = 32;
  this->pools = {pool};
  EXPECT_THAT(this->step({0, 0, 0}, {100, 5, 0}), IsEmpty());
  std::int64_t* const blocks = &this->pools[0].batch.table.entries[8];
  std::fill_n(blocks, 4, 0);  // positions 0 to 63
  EXPECT_THAT(this->step({100, 5, 0}, {1, 1, 0}), IsEmpty());
  EXPECT_THAT(this->step({101, 6, 0}, {11, 1, 0}), IsEmpty());
  blocks[4] = 0;  // positions 64 to 79, and the window begins at 80
  EXPECT_THAT(this->step({112, 7, 0}, {1, 1, 0}), IsEmpty());
  blocks[5] = 0;  // too early: the window begins at 81
  const std::vector<Violation> found = this->step({113, 8, 0}, {1, 1, 0});
  EXPECT_EQ(found.size(), 2 * 15U);
  for (const Violation& violation : found) EXPECT_EQ(violation.fail_bits, bit::padding_read);
}

// ---- SGLang ------------------------------------------------------------------------------------

/// A table of slots; row 0 and slot 0 are padding, and slot 0 also stands for what a translation
/// has no slot for.
Pool sglang_pool() {
  Pool pool;
  pool.batch = {{1, 0, 3, 0}, {}, {}, {}, consecutive(1, 4, 40, 0)};
  std::fill_n(pool.batch.table.entries.begin(), 40, 0);
  pool.batch.padding_row = 0;
  pool.endpoints = buffers({0, 2}, 160, {.first = 0, .count = 1, .skip_reads = true});
  pool.padded_tokens = 2;
  pool.padded_slot = 0;
  return pool;
}

TYPED_TEST(ConventionsTest, SGLang) {
  this->pools = {sglang_pool()};
  EXPECT_THAT(this->step({0, 9, 0, -1}, {20, 9, 30, 2}), IsEmpty());
  EXPECT_THAT(this->step({20, 1, 30, 1}, {1, 1, 1, 1}), IsEmpty());
  flip(this->pools[0].endpoints[1], this->pools[0].slot(3, 10), &Record::token);
  const std::vector<Violation> found = this->step({21, 1, 31, 1}, {1, 1, 1, 1});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].launch_tag, 2);
  EXPECT_EQ(found[0].fail_bits, bit::chain_hash);
  EXPECT_EQ(found[0].expected_position, 11);
  EXPECT_EQ(found[0].entry, 2);
}

/// The translation names slot 0 where a token has left the window, also for positions that are
/// verified.
TYPED_TEST(ConventionsTest, SGLangSlidingWindow) {
  Pool full = sglang_pool(), swa = sglang_pool();
  swa.batch.table.full_to_swa = build::iota(160);
  std::reverse(swa.batch.table.full_to_swa->begin() + 1, swa.batch.table.full_to_swa->end());
  swa.batch.window = 16;
  for (Endpoint& endpoint : swa.endpoints) endpoint.tag += 6;
  this->pools = {full, swa};
  EXPECT_THAT(this->step({0, 0, 0, 0}, {20, 0, 30, 0}), IsEmpty());

  Ints& to_swa = *this->pools[1].batch.table.full_to_swa;
  for (std::int64_t p = 0; p < 14; ++p) to_swa[full.slot(3, p)] = 0;
  EXPECT_THAT(this->step({20, 0, 30, 0}, {1, 0, 1, 0}), IsEmpty());
  this->pools[1].batch.window = 0;
  EXPECT_THAT(this->step({21, 0, 31, 0}, {1, 0, 1, 0}), IsEmpty()) << "there is no slot to verify";
  for (Endpoint& endpoint : this->pools[1].endpoints) endpoint.padding.skip_reads = false;
  EXPECT_EQ(this->step({22, 0, 32, 0}, {1, 0, 1, 0}).size(), 2 * 14U);
}

/// The slot of a draft pool at position p holds token p + 1, and each request knows how many of its
/// tokens are there.
TYPED_TEST(ConventionsTest, DraftPool) {
  Pool target = sglang_pool(), draft = sglang_pool();
  target.batch.expected = expected_of(target.batch, 0);
  draft.batch.expected = target.batch.expected;
  draft.batch.expected->token_offset = 1;
  for (Endpoint& endpoint : draft.endpoints) endpoint.tag += 40;
  this->pools = {target, draft};
  const auto valid_lengths = [&](const Ints& lengths) {
    for (Pool& pool : this->pools) pool.batch.expected->valid_lengths = lengths;
  };
  valid_lengths({20, 0, 30, 0});
  EXPECT_THAT(this->step({0, 0, 0, 0}, {20, 0, 30, 0}), IsEmpty());
  valid_lengths({20, 0, 30, 0});
  EXPECT_THAT(this->step({20, 0, 30, 0}, {1, 0, 1, 0}), IsEmpty());

  // The last draft token of row 3 was of a step that was thrown away.
  for (Pool& pool : this->pools) {
    flip(pool.endpoints[0], pool.slot(3, 29), &Record::token);
  }
  valid_lengths({21, 0, 30, 0});
  std::vector<Violation> found = this->step({21, 0, 30, 0}, {1, 0, 1, 0});
  ASSERT_EQ(found.size(), 1U) << "token 30 is not known yet";
  EXPECT_EQ(found[0].launch_tag, 0);
  EXPECT_EQ(found[0].fail_bits, bit::verify_token);
  valid_lengths({22, 0, 31, 0});
  found = this->step({22, 0, 30, 0}, {1, 0, 1, 0});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].launch_tag + found[1].launch_tag, 40);
}

// ---- Transformers ------------------------------------------------------------------------------

/// Padding at the end of the pool; what a step adds is verified after it.
TYPED_TEST(ConventionsTest, Transformers) {
  Pool pool;
  pool.batch = {{0, 1, 2}, {}, {}, {}, consecutive(32, 3, 2, 0)};
  pool.batch.table.entries[4] = 6;  // a request that fills the batch
  pool.batch.padding_row.reset();
  pool.batch.verify_end = VerifyEnd::last_token;
  pool.endpoints = buffers({4, 5}, 7 * 32, {.first = 6 * 32, .count = 32, .skip_reads = true});
  this->pools = {pool};
  EXPECT_THAT(this->step({0, 0, 0}, {40, 64, 1}), IsEmpty());
  EXPECT_THAT(this->step({40, 63, 0}, {1, 1, 1}), IsEmpty());
  EXPECT_THAT(this->step({41, 64, 7}, {3, 0, 1}), IsEmpty());

  // Both requests write the same slot: whoever comes last is right.
  this->pools[0].batch.table.entries[2] = 0;
  EXPECT_FALSE(this->step({44, 10, 0}, {1, 1, 1}).empty());
}

/// The entry of another request's page in the very step that writes it.
TYPED_TEST(ConventionsTest, LastTokenFindsWhatTheStepItselfBreaks) {
  for (const auto end : {VerifyEnd::prefix, VerifyEnd::last_token}) {
    Pool pool;
    pool.batch = {{0, 1}, {}, {}, {}, consecutive(4, 2, 4, 0)};
    pool.batch.padding_row.reset();
    pool.batch.verify_end = end;
    pool.endpoints = buffers({0}, 32, build::no_padding);
    this->pools = {pool};
    EXPECT_THAT(this->step({0, 0}, {6, 6}), IsEmpty());
    this->pools[0].batch.table.entries[4 + 2] = 1;  // positions 8 to 11 of row 1 in a page of row 0
    // Not as far as the seed of row 0, position 5, which nobody else may write in the same launch.
    const std::vector<Violation> found = this->step({6, 6}, {1, 3});
    EXPECT_EQ(found.empty(), end == VerifyEnd::prefix);
    EXPECT_FALSE(this->step({7, 9}, {1, 1}).empty()) << "the next step reads it";
  }
}

// ---- hybrid models -----------------------------------------------------------------------------

/// Three pools with tags of their own: full attention, a sliding window, and one that keeps little.
TYPED_TEST(ConventionsTest, ThreePools) {
  Pool full = vllm_pool(), window = vllm_pool(), recent = vllm_pool();
  window.batch.table = consecutive(8, 2, 16, 1);
  window.batch.window = 40;
  window.endpoints = buffers({12, 13, 14}, 33 * 8, {0, 8});
  recent.batch.table = consecutive(1, 2, 128, 0);
  recent.batch.window = 4;
  recent.batch.verify_end = VerifyEnd::last_token;
  recent.endpoints = buffers({63}, 256 + 5, {256, 5});
  this->pools = {full, window, recent};
  EXPECT_THAT(this->step({0, 0, 0}, {100, 5, 0}), IsEmpty());

  std::fill_n(&this->pools[1].batch.table.entries[16], 7, -1);     // positions 0 to 55
  std::fill_n(&this->pools[2].batch.table.entries[128], 90, 256);  // 0 to 89
  EXPECT_THAT(this->step({100, 5, 0}, {1, 1, 0}), IsEmpty());
  EXPECT_THAT(this->step({101, 6, 0}, {3, 1, 0}), IsEmpty());

  flip(this->pools[1].endpoints[2], this->pools[1].slot(0, 6), &Record::kv_hash);
  flip(this->pools[2].endpoints[0], this->pools[2].slot(1, 103), &Record::kv_hash);
  const std::vector<Violation> found = this->step({104, 7, 0}, {1, 1, 0});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].launch_tag, 14);
  EXPECT_EQ(found[0].request_row, 0);
  EXPECT_EQ(found[1].launch_tag, 63);
  EXPECT_EQ(found[1].request_row, 1);
}

}  // namespace
