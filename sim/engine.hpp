#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/engine_config.hpp"
#include "sim/paged_cache.hpp"
#include "sim/request_table.hpp"
#include "sim/step_batch.hpp"
#include "sim/tokens.hpp"
#include "sim/trace.hpp"

namespace kvcanary::sim {

/// Counters since the engine was made. Every position of a request is first obtained once, by a
/// write or by a prefix hit; all other writes are recomputation. So, once all requests are
/// finished,
///     sum(input_length + output_length - 1)
///         == tokens_written + prefix_hit_tokens - recomputed_tokens.
struct EngineStats {
  std::int64_t steps = 0;
  std::int64_t requests_finished = 0;
  std::int64_t tokens_written = 0;  ///< KV entries written: sum of all extend lengths
  /// Positions that a request first obtained from the prefix tree. What a preempted request finds
  /// again of its own earlier positions is not counted.
  std::int64_t prefix_hit_tokens = 0;
  /// Writes of positions that the same request had before it was preempted.
  std::int64_t recomputed_tokens = 0;
  std::int64_t preemptions = 0;
  std::int64_t evicted_pages = 0;      ///< pages that left the tree and the full pool
  std::int64_t evicted_swa_pages = 0;  ///< tree pages that lost their SWA page alone
  std::int64_t slots_read_full = 0;    ///< sum of prefix_lengths
  std::int64_t slots_read_swa = 0;     ///< sum of min(prefix length, window); 0 without a window
  std::int64_t peak_pages = 0;         ///< most full pages in use (requests and tree)
  std::int64_t peak_swa_pages = 0;
  std::int64_t peak_running = 0;
};

/// A serving engine without a model: paged KV pools, prefix tree, continuous batching with chunked
/// prefill, eviction, preemption, sliding window. It decides which slot every token goes to, as
/// SGLang or vLLM would; what lies in the slots is somebody else's matter.
///
/// Requests arrive in trace order. Timestamps give that order only: the replay runs as fast as it
/// can, so the waiting queue never runs dry before the trace does.
///
/// Prompts are shared through the prefix tree as soon as they are computed, outputs when their
/// request ends. A request that turns out to have computed what the tree has already gets the
/// tree's pages in exchange: a slot-table entry within a prefix may change from step to step, to a
/// page with equal KV.
///
/// After `next_step(batch)` all tables show the state in which the batch runs: first every request
/// reads its prefix, then the new tokens' KV is written.
class Engine {
 public:
  /// Throws std::invalid_argument for a config value that makes no sense and for a request that
  /// could never run (longer than the pool or the slot table; the message names its index and the
  /// slots it needs).
  Engine(const EngineConfig& config, std::vector<Request> requests);

  /// Completes the step before, schedules the next and describes it in `batch`, whose memory is
  /// reused. Returns false, with an empty batch, when all requests are finished.
  bool next_step(StepBatch& batch);

  const EngineConfig& config() const { return config_; }
  std::span<const Request> requests() const { return requests_; }
  const EngineStats& stats() const { return stats_; }

  // --- What the kernels see -------------------------------------------------------------------

  /// Rows of the tables: max_running + 1, row 0 being the padding row.
  std::int64_t table_rows() const { return table_.rows(); }
  /// Pages per row of the slot table.
  std::int64_t table_columns() const { return table_.columns(); }
  /// Page indices, [table_rows][table_columns], row-major:
  /// slot = table[row][position / page_size] * page_size + position % page_size. Unused entries are
  /// 0.
  std::span<const std::int32_t> slot_table() const { return table_.pages(); }
  /// The tokens that belong at each position, [table_rows][table_columns * page_size], row-major;
  /// meaningful up to `valid_lengths()[row]`.
  std::span<const std::int32_t> token_table() const { return table_.tokens(); }
  /// Known tokens per row (prompt, and output so far), [table_rows]; 0 for a row not in use.
  std::span<const std::int64_t> valid_lengths() const { return table_.valid_lengths(); }
  /// SWA slot of each full slot or -1, [full_slots]; empty without a window.
  std::span<const std::int64_t> full_to_swa() const { return cache_.full_to_swa(); }
  /// Slots of the full pool, the padding page included.
  std::int64_t full_slots() const { return config_.pool_slots; }
  /// Slots of the SWA pool, the padding page included; 0 without a window.
  std::int64_t swa_slots() const { return config_.window > 0 ? config_.swa_pool_slots : 0; }
  /// The most tokens that a batch can hold, for whoever allocates buffers up front.
  std::int64_t max_batch_tokens() const { return config_.chunk_size + config_.max_running; }

  /// Calls `visit(slot, position, predecessor, token)` for every token in the prefix tree: its full
  /// slot, its position, the full slot of the token before it (-1 at position 0), itself. Pages
  /// come in order of their index.
  template <class Visit>
  void tree_slots(Visit&& visit) const {
    cache_.tree().visit_slots(visit);
  }
  /// The pools and the tree, to read.
  const PagedCache& cache() const { return cache_; }

  // --- Fault injection: bookkeeping gone wrong, on purpose ------------------------------------

  /// Overwrites one slot-table entry; row, column and page must exist. Requests own their pages
  /// whatever the table says, so only readers are misled, until the row is released.
  void corrupt_table_entry(std::int32_t row, std::int64_t column, std::int32_t page);
  /// Offers a page in use (std::logic_error if it is free) to the next allocation. Both owners may
  /// release it later.
  void free_page_early(std::int32_t page) { cache_.free_early(page); }

 private:
  /// A request that has a row. Kept per row so that its vectors' memory serves the next request.
  struct Running {
    std::int64_t id = -1;
    std::int64_t computed = 0;   ///< tokens whose KV is in the cache
    std::int64_t extending = 0;  ///< tokens of the step in flight
    std::uint64_t history = 0;   ///< history of the last token computed or in flight
    PagePath path;
  };
  /// What a request keeps while it waits for readmission after a preemption.
  struct Progress {
    std::int64_t known = 0;     ///< prompt and generated tokens
    std::int64_t obtained = 0;  ///< most positions it has had in the cache
  };

  // A request's life (engine.cpp).
  bool admit_next();
  void load_tokens(std::int32_t row, std::int64_t id);
  void start(std::int32_t row);
  void complete_step();
  void advance(std::int32_t row);
  void publish_prompt(std::int32_t row);
  void finish(std::int32_t row);
  void preempt_last();
  void release(std::int32_t row);

  // One step (engine_schedule.cpp).
  void schedule_decodes(StepBatch& batch);
  void schedule_prefills(StepBatch& batch);
  bool prefill(std::int32_t row, std::int64_t& budget, StepBatch& batch);
  bool make_room(std::int32_t row);
  bool has_room(const PagePath& path, std::int64_t known) const;
  std::int64_t room(const Running& request, std::int64_t wanted);
  void extend(std::int32_t row, std::int64_t count, StepBatch& batch);
  void append_tokens(std::int32_t row, std::int64_t count, StepBatch& batch);
  void count_extend(const Running& request, std::int64_t count);

  Running& running(std::int32_t row) { return by_row_[static_cast<std::size_t>(row)]; }
  Progress& progress(std::int64_t id) { return progress_[static_cast<std::size_t>(id)]; }
  const Request& request(std::int64_t id) const { return requests_[static_cast<std::size_t>(id)]; }
  /// Known tokens of the request in `row` that have no KV yet: 1 when it decodes.
  std::int64_t unwritten(std::int32_t row);

  std::vector<Request> requests_;
  EngineConfig config_;
  TokenSource token_source_;
  std::vector<Progress> progress_;       // [requests]
  std::deque<std::int64_t> waiting_;     // request ids, the next to admit first
  std::vector<std::int32_t> running_;    // rows, in order of admission
  std::vector<std::int32_t> free_rows_;  // stack
  std::vector<Running> by_row_;          // [table_rows]
  RequestTable table_;
  PagedCache cache_;
  EngineStats stats_;
  // The first in line did not fit, and nothing has been let go since.
  bool head_blocked_ = false;
};

}  // namespace kvcanary::sim
