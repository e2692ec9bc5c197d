#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "sim/tokens.hpp"

namespace kvcanary::sim {

/// The first thing that a shadow check found wrong.
struct ShadowError {
  std::int64_t step;
  std::int64_t request_id;
  std::int64_t position;
  std::string text;
};

/// Remembers what was written to each slot last, and checks every batch against what its requests
/// should find there. It knows the requests' tokens from the trace, not from the engine's tables.
class Shadow {
 public:
  explicit Shadow(const Engine& engine)
      : engine_(engine),
        source_(engine.config().seed),
        full_(static_cast<std::size_t>(engine.full_slots())),
        swa_(static_cast<std::size_t>(engine.swa_slots())),
        known_(engine.requests().size()),
        used_in_(static_cast<std::size_t>(engine.full_slots()), -1) {}

  /// Checks what the batch reads, then what it writes, then writes it.
  std::optional<ShadowError> step(const StepBatch& batch) {
    step_ = batch.step;
    error_.reset();
    std::size_t token = 0;
    for (std::size_t i = 0; i < batch.request_rows.size(); ++i) check_reads(batch, i);
    for (std::size_t i = 0; i < batch.request_rows.size(); ++i) {
      for (std::int64_t j = 0; j < batch.extend_lengths[i]; ++j, ++token) {
        check_write(batch, i, batch.prefix_lengths[i] + j, token);
      }
    }
    for (token = 0; token < batch.tokens.size(); ++token) write(batch, token);
    return error_;
  }

  /// Flips a bit of what a slot holds.
  void flip(std::int64_t slot, bool swa) { at(swa ? swa_ : full_, slot).history ^= 1; }

  /// Slots read so far, over all batches and both pools.
  std::int64_t slots_read() const { return slots_read_; }

 private:
  struct Entry {
    std::int32_t token = -1;
    std::int64_t position = -1;
    std::uint64_t history = 0;

    bool operator==(const Entry&) const = default;
  };

  static Entry& at(std::vector<Entry>& pool, std::int64_t slot) {
    return pool.at(static_cast<std::size_t>(slot));
  }

  /// What a request should have at a position.
  const Entry& expected(std::int64_t id, std::int64_t position) {
    std::vector<Entry>& entries = known_[static_cast<std::size_t>(id)];
    const Request& request = engine_.requests()[static_cast<std::size_t>(id)];
    while (std::ssize(entries) <= position) {
      const std::int64_t next = std::ssize(entries);
      const std::int32_t token =
          next < request.input_length ? source_.input(request, next) : source_.output(id, next);
      const std::uint64_t history = entries.empty() ? empty_history : entries.back().history;
      entries.push_back({token, next, next_history(history, token, next)});
    }
    return entries[static_cast<std::size_t>(position)];
  }

  std::int64_t slot(std::int32_t row, std::int64_t position) const {
    const std::int64_t page_size = engine_.config().page_size;
    const std::int64_t page = engine_.slot_table()[static_cast<std::size_t>(
        row * engine_.table_columns() + position / page_size)];
    return page * page_size + position % page_size;
  }
  std::int64_t translate(std::int64_t slot) const {
    return engine_.full_to_swa()[static_cast<std::size_t>(slot)];
  }

  /// Notes that the step uses a full slot; false if it did before.
  bool use(std::int64_t slot) {
    return std::exchange(used_in_.at(static_cast<std::size_t>(slot)), step_) != step_;
  }

  void check_reads(const StepBatch& batch, std::size_t i) {
    const std::int32_t row = batch.request_rows[i];
    const std::int64_t prefix = batch.prefix_lengths[i];
    const std::int64_t window = engine_.config().window;
    for (std::int64_t position = 0; position < prefix; ++position) {
      const std::int64_t full = slot(row, position);
      use(full);
      check_read(full_, full, batch.request_ids[i], position, "full");
      if (window > 0 && position >= prefix - window) {
        check_read(swa_, translate(full), batch.request_ids[i], position, "SWA");
      }
    }
  }

  void check_read(std::vector<Entry>& pool, std::int64_t slot, std::int64_t id,
                  std::int64_t position, const char* name) {
    ++slots_read_;
    if (slot <= 0 || slot >= std::ssize(pool)) {
      return fail(id, position, fmt::format("reads {} slot {}", name, slot));
    }
    const Entry& entry = at(pool, slot);
    if (entry == expected(id, position)) return;
    fail(id, position,
         fmt::format("finds token {}, position {} in {} slot {}", entry.token, entry.position, name,
                     slot));
  }

  void check_write(const StepBatch& batch, std::size_t i, std::int64_t position,
                   std::size_t token) {
    const std::int64_t id = batch.request_ids[i];
    const Entry& wanted = expected(id, position);
    const Entry entry{batch.tokens[token], batch.positions[token], batch.histories[token]};
    const std::int64_t full = batch.slots[token];
    if (!(entry == wanted)) fail(id, position, "writes something else");
    if (full <= 0 || full != slot(batch.request_rows[i], position)) {
      fail(id, position, fmt::format("writes to slot {}, not to the table's", full));
    }
    if (!use(full)) fail(id, position, "writes to a slot in use in this step");
    if (engine_.config().window == 0) return;
    const std::int64_t swa = batch.swa_slots[token];
    if (swa <= 0 || swa != translate(full)) {
      fail(id, position, fmt::format("writes to SWA slot {}, not to the translation's", swa));
    }
  }

  void write(const StepBatch& batch, std::size_t token) {
    const Entry entry{batch.tokens[token], batch.positions[token], batch.histories[token]};
    at(full_, batch.slots[token]) = entry;
    if (!batch.swa_slots.empty() && batch.swa_slots[token] > 0) {
      at(swa_, batch.swa_slots[token]) = entry;
    }
  }

  void fail(std::int64_t id, std::int64_t position, const std::string& what) {
    if (error_) return;
    error_ = {step_, id, position,
              fmt::format("step {}: request {}, position {}: {}", step_, id, position, what)};
  }

  const Engine& engine_;
  TokenSource source_;
  std::vector<Entry> full_;                // [full_slots]
  std::vector<Entry> swa_;                 // [swa_slots]
  std::vector<std::vector<Entry>> known_;  // [requests][positions], as far as asked for
  std::vector<std::int64_t> used_in_;      // [full_slots]: last step that read or wrote it
  std::int64_t step_ = 0;
  std::int64_t slots_read_ = 0;
  std::optional<ShadowError> error_;
};

}  // namespace kvcanary::sim
