#pragma once

#include <optional>

#include "sim/engine.hpp"
#include "sim/fault.hpp"
#include "sim/rng.hpp"

namespace kvcanary::sim {

/// Finds a victim for a fault of this kind in the batch and damages it. Returns what was done, or
/// nothing, with nothing changed, if the batch has no victim. All choices are drawn from `rng`.
std::optional<FaultRecord> inject(FaultKind kind, Engine& engine, StepBatch& batch, Rng& rng);

}  // namespace kvcanary::sim
