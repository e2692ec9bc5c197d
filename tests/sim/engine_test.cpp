#include "sim/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kvcanary::sim {
namespace {

using testing::ElementsAre;

/// A request whose prompt has `hash_id`s of its own, counting from the one given.
Request request(std::int64_t input, std::int64_t output, std::int64_t hash_id) {
  Request r{0, input, output, {}};
  for (std::int64_t i = 0; i < trace_blocks(input); ++i) r.hash_ids.push_back(hash_id + i);
  return r;
}

std::string error_of(const EngineConfig& config, std::vector<Request> requests) {
  try {
    Engine engine(config, std::move(requests));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(EngineConfig, ErrorsNameTheField) {
  const std::vector<Request> requests = {request(4, 1, 0)};
  EXPECT_EQ(error_of({.page_size = 0}, requests),
            "EngineConfig::page_size is 0, must be in [1, 1048576]");
  EXPECT_EQ(error_of({.pool_slots = 100}, requests),
            "EngineConfig::pool_slots is 100, must be a multiple of page_size 16 in [32, "
            "34359738352]");
  EXPECT_EQ(error_of({.pool_slots = 16}, requests).substr(0, 39),
            "EngineConfig::pool_slots is 16, must be");
  EXPECT_EQ(error_of({.max_running = 0}, requests),
            "EngineConfig::max_running is 0, must be in [1, 1048576]");
  EXPECT_EQ(error_of({.chunk_size = -3}, requests),
            "EngineConfig::chunk_size is -3, must be in [1, 2147483647]");
  EXPECT_EQ(error_of({.window = -1}, requests),
            "EngineConfig::window is -1, must be in [0, 2147483647]");
  EXPECT_EQ(error_of({.window = 20, .swa_pool_slots = 48}, requests),
            "EngineConfig::swa_pool_slots is 48, must be a multiple of page_size 16 in [64, "
            "34359738352]");
  EXPECT_EQ(error_of({.swa_pool_slots = 64}, requests),
            "EngineConfig::swa_pool_slots is 64, must be 0 without a window");
}

TEST(EngineConfig, RequestsThatCanNeverRunAreRefused) {
  EXPECT_EQ(error_of({.page_size = 16, .pool_slots = 64}, {request(4, 1, 0), request(40, 10, 1)}),
            "request 1 can never run: it needs 49 slots (4 pages of 16), the pool has 3 pages "
            "beside the padding page");
  EXPECT_EQ(error_of({.page_size = 16, .pool_slots = 64}, {request(40, 9, 1)}), "no error");
  EXPECT_EQ(error_of({.page_size = 16, .table_columns = 2}, {request(40, 1, 0)}),
            "request 0 can never run: it needs 40 slots (3 pages of 16), a slot-table row has 2 "
            "columns");
  EXPECT_EQ(error_of({}, {Request{0, 513, 2, {7}}}),
            "request 0: input_length 513, output_length 2 and 1 hash ids, must be lengths in [1, "
            "2147483647] and one id per 512 input tokens");
  EXPECT_NE(error_of({}, {Request{0, 0, 2, {}}}), "no error");
  EXPECT_NE(error_of({}, {Request{0, 1, 0, {7}}}), "no error");
}

TEST(Engine, NothingToDo) {
  Engine engine({}, {});
  StepBatch batch;
  batch.tokens.push_back(1);
  EXPECT_FALSE(engine.next_step(batch));
  EXPECT_EQ(batch.num_tokens(), 0);
}

TEST(Engine, PrefillsInChunksThenDecodes) {
  Engine engine({.page_size = 4, .pool_slots = 64, .chunk_size = 4, .seed = 9}, {request(6, 3, 0)});
  const TokenSource source(9);
  StepBatch batch;

  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_EQ(batch.step, 0);
  EXPECT_THAT(batch.request_rows, ElementsAre(1));
  EXPECT_THAT(batch.request_ids, ElementsAre(0));
  EXPECT_THAT(batch.prefix_lengths, ElementsAre(0));
  EXPECT_THAT(batch.extend_lengths, ElementsAre(4));
  EXPECT_THAT(batch.positions, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(batch.slots, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(batch.tokens[2], source.input(engine.requests()[0], 2));
  EXPECT_EQ(batch.histories[0], next_history(empty_history, batch.tokens[0], 0));
  EXPECT_TRUE(batch.swa_slots.empty());
  EXPECT_EQ(engine.valid_lengths()[1], 6);
  EXPECT_EQ(engine.token_table()[static_cast<std::size_t>(engine.table_columns() * 4 + 5)],
            source.input(engine.requests()[0], 5));

  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.prefix_lengths, ElementsAre(4));
  EXPECT_THAT(batch.extend_lengths, ElementsAre(2));
  EXPECT_THAT(batch.slots, ElementsAre(8, 9));

  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.prefix_lengths, ElementsAre(6));
  EXPECT_THAT(batch.positions, ElementsAre(6));
  EXPECT_EQ(batch.tokens[0], source.output(0, 6));
  EXPECT_EQ(engine.valid_lengths()[1], 7);

  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.positions, ElementsAre(7));
  EXPECT_EQ(batch.step, 3);

  EXPECT_FALSE(engine.next_step(batch));
  EXPECT_EQ(engine.stats().requests_finished, 1);
  EXPECT_EQ(engine.stats().steps, 4);
  EXPECT_EQ(engine.stats().tokens_written, 8);
  EXPECT_EQ(engine.stats().slots_read_full, 4 + 6 + 7);
  EXPECT_EQ(engine.stats().peak_pages, 2);
  EXPECT_EQ(engine.valid_lengths()[1], 0);
  EXPECT_FALSE(engine.next_step(batch));
}

TEST(Engine, RequestsShareTheChunkBudget) {
  Engine engine({.page_size = 4, .pool_slots = 64, .chunk_size = 8},
                {request(5, 2, 0), request(5, 2, 1), request(2, 1, 2)});
  StepBatch batch;
  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.request_ids, ElementsAre(0, 1));
  EXPECT_THAT(batch.extend_lengths, ElementsAre(5, 3));
  ASSERT_TRUE(engine.next_step(batch));  // a decode, then what is left of the prompts
  EXPECT_THAT(batch.request_ids, ElementsAre(0, 1, 2));
  EXPECT_THAT(batch.extend_lengths, ElementsAre(1, 2, 2));
}

TEST(Engine, RunsAtMostMaxRunningAndReusesRows) {
  Engine engine({.page_size = 4, .pool_slots = 64, .max_running = 1},
                {request(4, 1, 0), request(4, 1, 1)});
  StepBatch batch;
  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.request_ids, ElementsAre(0));
  EXPECT_THAT(batch.request_rows, ElementsAre(1));
  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.request_ids, ElementsAre(1));
  EXPECT_THAT(batch.request_rows, ElementsAre(1));
  EXPECT_FALSE(engine.next_step(batch));
}

TEST(Engine, MatchesAllButTheLastToken) {
  Engine engine({.page_size = 4, .pool_slots = 64, .max_running = 1},
                {request(8, 1, 0), request(8, 1, 0)});
  StepBatch batch;
  ASSERT_TRUE(engine.next_step(batch));
  const std::vector<std::int64_t> slots = batch.slots;
  const std::vector<std::uint64_t> histories = batch.histories;
  ASSERT_TRUE(engine.next_step(batch));
  EXPECT_THAT(batch.prefix_lengths, ElementsAre(4));
  EXPECT_THAT(batch.extend_lengths, ElementsAre(4));
  EXPECT_EQ(batch.histories.back(), histories.back());
  EXPECT_EQ(engine.slot_table()[static_cast<std::size_t>(engine.table_columns())], slots[0] / 4);
  EXPECT_FALSE(engine.next_step(batch));
  EXPECT_EQ(engine.stats().prefix_hit_tokens, 4);
  EXPECT_EQ(engine.cache().pool().used_pages(), 2);  // the copy of the second page is gone
}

TEST(Engine, KeepsGeneratedTokensInTheTree) {
  Engine engine({.page_size = 4, .pool_slots = 64}, {request(4, 6, 0)});
  StepBatch batch;
  while (engine.next_step(batch)) {
  }
  EXPECT_EQ(engine.cache().tree().size(), 2);  // 9 positions with KV
}

TEST(Engine, PreemptsTheRequestAdmittedLast) {
  // 5 pages: both prompts fit (2 + 2), and there is one page to grow into.
  Engine engine({.page_size = 4, .pool_slots = 24, .seed = 3},
                {request(7, 8, 0), request(6, 8, 1)});
  StepBatch batch;
  std::vector<std::int64_t> batch_sizes;
  std::vector<std::int64_t> prefix_of_1;
  while (engine.next_step(batch)) {
    batch_sizes.push_back(batch.num_requests());
    for (std::size_t i = 0; i < batch.request_ids.size(); ++i) {
      if (batch.request_ids[i] == 1) prefix_of_1.push_back(batch.prefix_lengths[i]);
    }
  }
  EXPECT_EQ(engine.stats().requests_finished, 2);
  EXPECT_EQ(engine.stats().preemptions, 1);
  // Request 0 takes the fifth page for position 8; request 1 needs one when it has 8 tokens.
  EXPECT_THAT(batch_sizes, ElementsAre(2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  // It had positions 0 to 7, and finds them again, but for what was evicted in between.
  EXPECT_THAT(prefix_of_1, ElementsAre(0, 6, 7, 4, 9, 10, 11, 12));
  EXPECT_EQ(engine.stats().prefix_hit_tokens, 0);
  EXPECT_EQ(engine.stats().recomputed_tokens, 4);
  EXPECT_EQ(engine.stats().tokens_written, 14 + 13 + 4);
}

TEST(Engine, ReadmitsThePreemptedBeforeTheWaiting) {
  Engine engine({.page_size = 4, .pool_slots = 24, .max_running = 2},
                {request(7, 8, 0), request(6, 8, 1), request(1, 1, 2)});
  StepBatch batch;
  std::int64_t readmitted = -1;
  std::int64_t admitted = -1;
  while (engine.next_step(batch)) {
    for (std::size_t i = 0; i < batch.request_ids.size(); ++i) {
      if (batch.request_ids[i] == 1 && batch.extend_lengths[i] > 1) readmitted = batch.step;
      if (batch.request_ids[i] == 2) admitted = batch.step;
    }
  }
  EXPECT_EQ(engine.stats().preemptions, 1);
  EXPECT_GT(readmitted, 0);
  EXPECT_GE(admitted, readmitted);
}

}  // namespace
}  // namespace kvcanary::sim
