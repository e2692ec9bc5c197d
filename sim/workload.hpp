#pragma once

#include <cstdint>
#include <vector>

#include "sim/trace.hpp"

namespace kvcanary::sim {

/// Shape of a generated workload: users in multi-turn conversations over a common system prompt.
/// Lengths are in tokens; each is drawn from [1, max] or the range said.
struct WorkloadConfig {
  std::int64_t conversations = 16;
  std::int64_t max_turns = 4;
  std::int64_t system_length = 1024;    ///< common prompt, rounded down to whole 512-token blocks
  std::int64_t max_turn_length = 1500;  ///< what the user adds per turn, the last answer included
  std::int64_t max_output_length = 200;
  std::uint64_t seed = 0;
};

/// Generates the requests of all conversations, interleaved as they would arrive: turns of one
/// conversation in order, conversations shuffled among each other. A turn's prompt extends the
/// prompt of the turn before, so its hash ids do too (whole blocks; a partly filled last block gets
/// a new id when it grows, as in the published traces). The same config gives the same requests on
/// every platform. Throws std::invalid_argument for values < 1 (system_length: < 0).
std::vector<Request> generate_workload(const WorkloadConfig& config);

}  // namespace kvcanary::sim
