#include "sim/engine_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "sim/paged_cache.hpp"

namespace kvcanary::sim {
namespace {

constexpr std::int64_t max_int32 = std::numeric_limits<std::int32_t>::max();

void require(bool good, std::string_view field, std::int64_t value, std::string_view wanted) {
  if (good) return;
  throw std::invalid_argument(
      fmt::format("EngineConfig::{} is {}, must be {}", field, value, wanted));
}

void require_between(std::string_view field, std::int64_t value, std::int64_t low,
                     std::int64_t high = max_int32) {
  require(value >= low && value <= high, field, value, fmt::format("in [{}, {}]", low, high));
}

/// A pool has whole pages, and page indices are int32.
void require_pool(std::string_view field, std::int64_t slots, std::int64_t least,
                  std::int64_t page_size) {
  const std::int64_t most = max_int32 * page_size;
  require(slots >= least && slots <= most && slots % page_size == 0, field, slots,
          fmt::format("a multiple of page_size {} in [{}, {}]", page_size, least, most));
}

void check_sizes(const EngineConfig& config) {
  require_between("page_size", config.page_size, 1, 1 << 20);
  require_pool("pool_slots", config.pool_slots, 2 * config.page_size, config.page_size);
  require_between("max_running", config.max_running, 1, 1 << 20);
  require_between("chunk_size", config.chunk_size, 1);
  require_between("table_columns", config.table_columns, 0);
  require_between("window", config.window, 0);
  if (config.window > 0) {
    require_pool("swa_pool_slots", config.swa_pool_slots,
                 min_swa_pool_slots(config.window, config.page_size), config.page_size);
  } else {
    require(config.swa_pool_slots == 0, "swa_pool_slots", config.swa_pool_slots,
            "0 without a window");
  }
}

void check_request(std::size_t index, const Request& request) {
  const auto ids = static_cast<std::int64_t>(request.hash_ids.size());
  if (request.input_length < 1 || request.input_length > max_int32 || request.output_length < 1 ||
      request.output_length > max_int32 || ids != trace_blocks(request.input_length)) {
    throw std::invalid_argument(fmt::format(
        "request {}: input_length {}, output_length {} and {} hash ids, must be lengths in [1, {}] "
        "and one id per {} input tokens",
        index, request.input_length, request.output_length, ids, max_int32, trace_block_tokens));
  }
}

void check_fits(std::size_t index, const Request& request, const EngineConfig& config) {
  const std::int64_t slots = kv_length(request);
  const std::int64_t pages = pages_for(slots, config.page_size);
  const std::int64_t pool_pages = config.pool_slots / config.page_size - 1;
  if (pages > pool_pages) {
    throw std::invalid_argument(
        fmt::format("request {} can never run: it needs {} slots ({} pages of {}), the pool has {} "
                    "pages beside "
                    "the padding page",
                    index, slots, pages, config.page_size, pool_pages));
  }
  if (pages > config.table_columns) {
    throw std::invalid_argument(fmt::format(
        "request {} can never run: it needs {} slots ({} pages of {}), a slot-table row "
        "has {} columns",
        index, slots, pages, config.page_size, config.table_columns));
  }
}

std::int64_t columns_for(std::span<const Request> requests, std::int64_t page_size) {
  std::int64_t columns = 1;
  for (const Request& request : requests) {
    columns = std::max(columns, pages_for(kv_length(request), page_size));
  }
  return columns;
}

}  // namespace

std::int64_t min_swa_pool_slots(std::int64_t window, std::int64_t page_size) {
  // The padding page, the window, and one page for the token that comes next.
  return (1 + pages_for(window, page_size) + 1) * page_size;
}

EngineConfig checked(EngineConfig config, std::span<const Request> requests) {
  check_sizes(config);
  for (std::size_t i = 0; i < requests.size(); ++i) check_request(i, requests[i]);
  if (config.table_columns == 0) config.table_columns = columns_for(requests, config.page_size);
  for (std::size_t i = 0; i < requests.size(); ++i) check_fits(i, requests[i], config);
  return config;
}

}  // namespace kvcanary::sim
