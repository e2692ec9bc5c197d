#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <optional>
#include <vector>

#include "sim/engine.hpp"
#include "tools/device_array.hpp"
#include "tools/guarded_pool.hpp"
#include "tools/replay.hpp"
#include "tools/token_table.hpp"

/// \file
/// The steps of a replay on one execution space: verify what is read, fill the new KV, write its
/// records.
namespace kvcanary::tools {

template <class Space>
class ReplaySession {
 public:
  /// Allocates the pools for `engine`.
  ReplaySession(const ReplayConfig& config, const sim::Engine& engine)
      : config_(config),
        engine_(engine),
        sinks_{ViolationLog<MemorySpace>::allocate(Space(), log_capacity),
               LaunchCounters<MemorySpace>::allocate(Space()),
               LaunchCounters<MemorySpace>::allocate(Space())},
        full_(sizes(engine.full_slots()), full_tags, sinks_),
        token_table_(engine) {
    if (window() > 0) swa_.emplace(sizes(engine.swa_slots()), swa_tags, sinks_);
  }

  /// One step of the engine, timed into `result`. Returns what it found.
  ViolationSnapshot run(const sim::StepBatch& batch, ReplayResult& result) {
    timed(result.seconds.upload, [&] { upload(batch); });
    const bool verifies = is_turn(config_.verify_every, batch.step);

    if (verifies) {
      timed(result.seconds.verify, [&] { verify(); });
      count_reads(batch, result);
    }
    timed(result.seconds.model, [&] {
      for_each_pool([&](auto& pool, const RequestBatch&, const std::int64_t* slots) {
        pool.kv.fill(space_, histories_, slots, batch.num_tokens());
      });
    });
    timed(result.seconds.write, [&] { write(batch); });
    result.tokens_expected += batch.num_tokens();
    if (is_turn(config_.sweep_every, batch.step)) {
      timed(result.seconds.sweep, [&] { sweep(result); });
    }
    return take_violations();
  }

  void flip_bit(const sim::FaultRecord& fault) {
    (fault.pool == sim::Pool::full ? full_ : *swa_).kv.flip_bit(space_, fault.slot);
  }

  /// What the kernels counted.
  void finish(ReplayResult& result) {
    result.concurrency = space_.concurrency();
    result.written = sinks_.written.fetch(space_);
    result.verified = sinks_.verified.fetch(space_);
  }

 private:
  using MemorySpace = typename Space::memory_space;

  /// Violations of one step that are told apart; more are only counted.
  static constexpr std::int64_t log_capacity = 1 << 16;

  std::int64_t window() const { return engine_.config().window; }

  static bool is_turn(std::int64_t every, std::int64_t step) {
    return every > 0 && step % every == 0;
  }

  PoolSizes sizes(std::int64_t num_slots) const {
    return {.num_slots = num_slots,
            .page_size = engine_.config().page_size,
            .kv_bytes = config_.kv_bytes,
            .kv_hash_mode = config_.kv_hash_mode,
            .chain = config_.chain};
  }

  /// What the requests read in both pools, in one launch.
  void verify() const {
    std::vector<VerifyJob> jobs = {full_.verify_job(requests_full_)};
    if (swa_) jobs.push_back(swa_->verify_job(requests_swa_));
    verify_requests(space_, jobs, sinks_.log, sinks_.verified);
  }

  void write(const sim::StepBatch& batch) {
    tokens_.max_entries_per_request =
        batch.extend_lengths.empty() ? 0 : *std::ranges::max_element(batch.extend_lengths);
    std::vector<StepJob> jobs;
    for_each_pool([&](auto& pool, const RequestBatch& requests, const std::int64_t* slots) {
      tokens_.slots = IntSpan(slots, batch.num_tokens());
      jobs.push_back(pool.step_job(requests, tokens_));
    });
    write_requests(space_, jobs, scratch_, sinks_.log, sinks_.written);
  }

  template <class Body>
  void timed(double& seconds, const Body& body) {
    Kokkos::Timer timer;
    body();
    space_.fence("replay");
    seconds += timer.seconds();
  }

  /// Calls `body(pool, requests, slots of the new tokens)` for the full pool and the SWA pool.
  template <class Body>
  void for_each_pool(const Body& body) {
    body(full_, requests_full_, slots_full_);
    if (swa_) body(*swa_, requests_swa_, slots_swa_);
  }

  /// Makes the step's arrays readable by kernels.
  void upload(const sim::StepBatch& batch) {
    expect_inputs(batch);
    upload_requests(batch);
    upload_tokens(batch);
  }

  void upload_requests(const sim::StepBatch& batch) {
    const std::int64_t rows = engine_.table_rows(), columns = engine_.table_columns();
    const std::int64_t page_size = engine_.config().page_size, width = columns * page_size;
    requests_full_ = RequestBatch{};
    requests_full_.request_rows = span(rows_array_, batch.request_rows);
    requests_full_.prefix_lengths = span(prefix_array_, batch.prefix_lengths);
    requests_full_.extend_lengths = span(extend_array_, batch.extend_lengths);
    requests_full_.table = SlotTable(table_array_.upload(space_, engine_.slot_table()), rows,
                                     columns, columns, page_size);
    requests_full_.expected.tokens = IntSpan(token_table_.upload(space_, batch), rows * width);
    requests_full_.expected.num_rows = rows;
    requests_full_.expected.num_columns = width;
    requests_full_.expected.row_stride = width;
    valid_lengths_.clear();
    for (const std::int32_t row : batch.request_rows) {
      valid_lengths_.push_back(engine_.valid_lengths()[static_cast<std::size_t>(row)]);
    }
    requests_full_.expected.valid_lengths = span(valid_array_, valid_lengths_);
    requests_swa_ = requests_full_;
    requests_swa_.window = window();
    if (swa_) requests_swa_.full_to_swa = span(swa_map_array_, engine_.full_to_swa());
  }

  void upload_tokens(const sim::StepBatch& batch) {
    histories_ = histories_array_.upload(space_, batch.histories);
    slots_full_ = slots_array_.upload(space_, batch.slots);
    slots_swa_ = swa_slots_array_.upload(space_, batch.swa_slots);
    tokens_ = TokenBatch{};
    num_tokens_ = {batch.num_tokens()};
    tokens_.tokens = span(tokens_array_, batch.tokens);
    tokens_.positions = span(positions_array_, batch.positions);
    tokens_.expected_tokens = span(expected_tokens_array_, expected_tokens_);
    tokens_.expected_positions = span(expected_positions_array_, expected_positions_);
    tokens_.check_positions = span(check_array_, check_positions_);
    tokens_.num_tokens = span(num_tokens_array_, num_tokens_);
  }

  /// A host array where kernels can read it.
  template <class T, class HostArray>
  IntSpan span(DeviceArray<Space, T>& array, const HostArray& host) {
    return IntSpan(array.upload(space_, host), static_cast<std::int64_t>(host.size()));
  }

  /// What the step's tokens and positions must be according to the tables, whatever the batch says.
  void expect_inputs(const sim::StepBatch& batch) {
    expected_tokens_.clear();
    expected_positions_.clear();
    const std::int64_t stride = engine_.table_columns() * engine_.config().page_size;
    for (std::size_t r = 0; r < batch.request_rows.size(); ++r) {
      for (std::int64_t j = 0; j < batch.extend_lengths[r]; ++j) {
        const std::int64_t position = batch.prefix_lengths[r] + j;
        expected_positions_.push_back(position);
        expected_tokens_.push_back(engine_.token_table()[static_cast<std::size_t>(
            batch.request_rows[r] * stride + position)]);
      }
    }
  }

  void count_reads(const sim::StepBatch& batch, ReplayResult& result) const {
    for (const std::int64_t prefix : batch.prefix_lengths) {
      result.reads_expected_full += prefix;
      if (swa_) result.reads_expected_swa += std::min(prefix, window());
    }
  }

  /// Every slot that the prefix tree holds, in both pools.
  void sweep(ReplayResult& result) {
    sweep_full_.clear();
    sweep_swa_.clear();
    const auto to_swa = engine_.full_to_swa();
    engine_.tree_slots([&](std::int64_t slot, std::int64_t position, std::int64_t predecessor,
                           std::int64_t token) {
      sweep_full_.push_back({slot, position, predecessor, token, -1});
      if (!swa_ || to_swa[static_cast<std::size_t>(slot)] < 0) return;
      // A predecessor that has left the window leaves nothing to chain from.
      const std::int64_t before =
          predecessor < 0 ? no_slot : to_swa[static_cast<std::size_t>(predecessor)];
      sweep_swa_.push_back({to_swa[static_cast<std::size_t>(slot)], position,
                            predecessor >= 0 && before < 0 ? unchecked_slot : before, token, -1});
    });
    full_.sweep(space_, sweep_full_);
    if (swa_) swa_->sweep(space_, sweep_swa_);
    result.swept_expected_full += static_cast<std::int64_t>(sweep_full_.size());
    result.swept_expected_swa += static_cast<std::int64_t>(sweep_swa_.size());
  }

  ViolationSnapshot take_violations() {
    ViolationSnapshot snapshot = sinks_.log.fetch(space_);
    if (snapshot.total > 0) sinks_.log.reset(space_);
    return snapshot;
  }

  template <class T>
  using Array = DeviceArray<Space, T>;

  Space space_;
  ReplayConfig config_;
  const sim::Engine& engine_;
  Sinks<MemorySpace> sinks_;
  WriteScratch<MemorySpace> scratch_ = WriteScratch<MemorySpace>::allocate(Space());
  GuardedPool<Space> full_;
  std::optional<GuardedPool<Space>> swa_;

  // The step as kernels see it, and where that lies.
  RequestBatch requests_full_, requests_swa_;
  TokenBatch tokens_;
  TokenTable<Space> token_table_;
  const std::uint64_t* histories_ = nullptr;
  const std::int64_t *slots_full_ = nullptr, *slots_swa_ = nullptr;
  Array<std::int32_t> rows_array_, table_array_, tokens_array_, expected_tokens_array_,
      check_array_;
  Array<std::int64_t> prefix_array_, extend_array_, valid_array_, swa_map_array_, positions_array_,
      expected_positions_array_, slots_array_, swa_slots_array_;
  Array<std::int64_t> num_tokens_array_;
  Array<std::uint64_t> histories_array_;

  std::vector<std::int32_t> expected_tokens_;
  std::vector<std::int64_t> expected_positions_, valid_lengths_, num_tokens_;
  std::vector<std::int32_t> check_positions_ = {1};
  std::vector<VerifyEntry> sweep_full_, sweep_swa_;
};

}  // namespace kvcanary::tools
