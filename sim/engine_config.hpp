#pragma once

#include <cstdint>
#include <span>

#include "sim/trace.hpp"

namespace kvcanary::sim {

/// Sizes of the engine. Lengths are in tokens, pools in slots (one slot holds one token's KV).
struct EngineConfig {
  std::int64_t page_size = 16;        ///< slots per page
  std::int64_t pool_slots = 1 << 20;  ///< full pool, padding page included; whole pages, >= 2
  std::int64_t max_running = 32;      ///< requests that run at once
  std::int64_t chunk_size = 8192;     ///< prompt tokens prefilled per step, all requests together
  std::int64_t table_columns = 0;     ///< pages per slot-table row; 0: as the longest request needs
  std::int64_t window = 0;            ///< sliding window; 0: none
  std::int64_t swa_pool_slots = 0;    ///< SWA pool, padding page included; only with a window
  std::uint64_t seed = 0;             ///< of the tokens
};

/// Smallest SWA pool, in slots, that serves one request at a time under this window and page size.
/// A pool that also lets prefill run in full chunks has `chunk_size` slots more, and one window for
/// each further running request.
std::int64_t min_swa_pool_slots(std::int64_t window, std::int64_t page_size);

/// Checks the sizes and that every request can run alone in them. Throws std::invalid_argument that
/// names the field, its value and what it must be, or the request's index and the slots it needs.
/// Returns the config with `table_columns` filled in.
EngineConfig checked(EngineConfig config, std::span<const Request> requests);

}  // namespace kvcanary::sim
