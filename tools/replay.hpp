#pragma once

#include <cstdint>
#include <functional>
#include <kvcanary/kvcanary.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/fault.hpp"
#include "sim/trace.hpp"
#include "tools/violation_tally.hpp"

/// \file
/// A trace run through the serving engine with a canary beside every slot.
namespace kvcanary::tools {

/// What to run.
struct ReplayConfig {
  sim::EngineConfig engine;
  std::int64_t kv_bytes = 32;  ///< bytes of a token's keys, and as many of its values
  KVHashMode kv_hash_mode = KVHashMode::all;
  Chain chain = Chain::splitmix;
  std::int64_t verify_every = 1;  ///< steps; 0: never
  std::int64_t sweep_every = 0;   ///< steps; 0: never
  std::optional<sim::FaultSpec> fault;
  bool stop_at_violation = false;
  std::int64_t violations_shown = 5;
  std::string backend;
};

/// Wall-clock seconds by what they went to.
struct ReplaySeconds {
  double engine = 0, upload = 0, model = 0, verify = 0, write = 0, sweep = 0;
};

/// What happened.
struct ReplayResult {
  std::string backend;
  std::int64_t concurrency = 0;  ///< threads of the execution space
  bool has_swa_pool = false;
  std::int64_t requests = 0;
  std::int64_t trace_tokens =
      0;                  ///< KV positions that the trace implies: sum of input + output - 1
  bool complete = false;  ///< false when stopped at a violation
  sim::EngineStats engine;
  TagCountsTable written{}, verified{};  ///< counted by the kernels
  std::int64_t tokens_expected = 0;      ///< tokens that the engine gave to write
  std::int64_t reads_expected_full = 0;  ///< slots that verified steps read, as the engine counts
  std::int64_t reads_expected_swa = 0;
  std::int64_t swept_expected_full = 0;
  std::int64_t swept_expected_swa = 0;
  ViolationTally violations;
  ReplaySeconds seconds;
  std::optional<sim::FaultRecord> fault;
  std::string fault_report;  ///< empty without a fault

  /// Tokens that the requests have obtained: written or found, each counted once.
  std::int64_t tokens_obtained() const {
    return tokens_expected + engine.prefix_hit_tokens - engine.recomputed_tokens;
  }
  /// Slots that verify and sweep checked. Keys and values of a slot are checked together, and count
  /// once.
  std::int64_t slots_verified() const;
  /// Steps from the fault to the first violation; nothing when either is missing.
  std::optional<std::int64_t> steps_until_detection() const;
  /// What the kernels counted differs from what the engine and the trace say: one line each.
  std::vector<std::string> mismatches() const;
  /// No violation, and everything that should have been checked was.
  bool clean() const { return violations.total() == 0 && mismatches().empty(); }
};

/// Called after every step with the engine's state and the violations so far.
using ReplayProgress = std::function<void(const sim::EngineStats&, Count violations)>;

/// Runs `requests` to the end, or to the first violation. Kokkos must be initialised.
/// \throws std::invalid_argument for a config or a request that can't be run
ReplayResult run_replay(const ReplayConfig& config, std::vector<sim::Request> requests,
                        const ReplayProgress& progress);

}  // namespace kvcanary::tools
