#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/engine.hpp"
#include "sim/rng.hpp"

namespace kvcanary::sim {

/// Ways for an engine's bookkeeping to go wrong.
enum class FaultKind {
  kv_bit,       ///< one bit of a slot's KV bytes flips, of a slot that the step reads
  table_entry,  ///< a slot-table entry names another page, which holds something else
  early_free,   ///< a page in use goes back to the free list, for somebody else to write to
  token,        ///< a token is written that is not the request's
  position,     ///< a token is written with a position off by one
};

/// All kinds, in the order of the enumeration.
inline constexpr FaultKind all_fault_kinds[] = {FaultKind::kv_bit, FaultKind::table_entry,
                                                FaultKind::early_free, FaultKind::token,
                                                FaultKind::position};

/// Name on the command line: kv-bit, table-entry, early-free, token, position.
std::string_view name(FaultKind kind);
/// What the kind does, as a phrase for a help text or a report.
std::string_view describe(FaultKind kind);

/// Which fault, and when: at the first step >= `step` at which there is something to damage.
struct FaultSpec {
  FaultKind kind = FaultKind::kv_bit;
  /// The default lets requests get through their first prefill chunks.
  std::int64_t step = 8;

  bool operator==(const FaultSpec&) const = default;
};

/// Parses `KIND[@step=N]`, N >= 0. Throws std::invalid_argument that quotes the text and lists the
/// valid kinds or says what N must be.
FaultSpec parse_fault(std::string_view text);
/// The text that parses to `spec`.
std::string to_string(const FaultSpec& spec);

/// The pool that a slot belongs to.
enum class Pool { full, swa };

/// What was done. For kv_bit nothing has been done yet: the caller, who has the KV bytes, flips a
/// bit among the first bytes of slot `slot` in `pool`.
struct FaultRecord {
  FaultKind kind = FaultKind::kv_bit;
  std::int64_t step = 0;        ///< step of the batch at which it was applied
  std::int64_t request_id = 0;  ///< the victim, an index in the trace
  std::int32_t row = 0;         ///< the victim's row
  std::int64_t position = 0;    ///< the (first) token concerned, as the engine intends it
  std::int64_t slot = 0;        ///< where that token is by right
  Pool pool = Pool::full;       ///< the pool of `slot`
  std::string text;             ///< one sentence for a report
};

/// Damages a run once, reproducibly. Call `apply` between `next_step` and whatever the batch is
/// used for; what happens to tables and batch is then seen in that step, an early free in a later
/// one, when the page is handed out again.
class FaultInjector {
 public:
  FaultInjector(FaultSpec spec, std::uint64_t seed) : spec_(spec), rng_(seed) {}

  /// Applies the fault if it is due and has a victim. Returns its record that one time, nothing
  /// otherwise.
  std::optional<FaultRecord> apply(Engine& engine, StepBatch& batch);

  /// What was done, if it was.
  const std::optional<FaultRecord>& record() const { return record_; }
  /// The sentence for a report: the record's text, or that the workload ended before a victim
  /// existed.
  std::string report() const;

 private:
  FaultSpec spec_;
  Rng rng_;
  std::optional<FaultRecord> record_;
};

}  // namespace kvcanary::sim
