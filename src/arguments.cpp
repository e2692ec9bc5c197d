#include "src/arguments.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace kvcanary::detail {
namespace {

constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();
/// Of verify_requests: shares of them are counted in 32 bits.
constexpr std::int64_t requests_limit = std::int64_t{1} << 23;
constexpr std::int64_t offset_limit = std::int64_t{1} << 40;

/// "endpoints[1].buffer.stride is 24, must be ..." behind the name of the operation. No text is put
/// together before something is wrong: for a decode step, that would take as long as its kernel.
class Arguments {
 public:
  /// `owner` goes before the name of each argument: "jobs[1].".
  Arguments(std::string operation, Memory unreachable, std::string owner = "")
      : operation_(std::move(operation)), owner_(std::move(owner)), unreachable_(unreachable) {}

  /// The same for the arguments of one endpoint.
  Arguments of_endpoint(std::size_t index) const {
    Arguments result = *this;
    result.endpoint_ = static_cast<std::int64_t>(index);
    return result;
  }

  template <class Value>
  void require(bool good, std::string_view argument, const Value& value,
               std::string_view wanted) const {
    if (!good) {
      throw std::invalid_argument(
          fmt::format("{}: {}{} is {}, must be {}", operation_, prefix(), argument, value, wanted));
    }
  }

  void require_range(std::string_view argument, std::int64_t value, std::int64_t low,
                     std::int64_t high) const {
    if (value >= low && value <= high) return;
    require(false, argument, value,
            high == std::numeric_limits<std::int64_t>::max()
                ? fmt::format("at least {}", low)
                : fmt::format("from {} to {}", low, high));
  }

  void require_at_least(std::string_view argument, std::int64_t value, std::int64_t low) const {
    require_range(argument, value, low, std::numeric_limits<std::int64_t>::max());
  }

  /// `data` of `size` elements or bytes, aligned, where the execution space can read it.
  void require_array(std::string_view argument, const void* data, std::int64_t size,
                     std::size_t alignment, Memory memory) const {
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
    const bool reachable = unreachable_ == Memory::unknown || memory != unreachable_;
    if (size >= 0 && (size == 0 || data != nullptr) && aligned && reachable) return;
    require_at_least(fmt::format("{}.size", argument), size, 0);
    require(size == 0 || data != nullptr, argument, "null",
            fmt::format("a pointer to {} elements", size));
    require(aligned, argument, fmt::format("at address {}", data),
            fmt::format("aligned to {} bytes", alignment));
    require(reachable, argument, memory == Memory::host ? "in host memory" : "in device memory",
            "in memory that the execution space can read");
  }

  void require_span(std::string_view argument, const IntSpan& span) const {
    require_array(argument, span.data(), span.size(), span.type() == IntType::int32 ? 4 : 8,
                  span.memory());
  }

  /// As long as another array.
  void require_span(std::string_view argument, const IntSpan& span, std::int64_t size,
                    std::string_view reference) const {
    require_span(argument, span);
    if (span.size() == size) return;
    require(false, fmt::format("{}.size", argument), span.size(),
            fmt::format("{}, the size of {}", size, reference));
  }

  void require_optional_scalar(std::string_view argument, const IntSpan& span) const {
    if (!span.given()) return;
    require_span(argument, span);
    if (span.size() == 1) return;
    require(false, fmt::format("{}.size", argument), span.size(), "1, a device scalar");
  }

 private:
  std::string prefix() const {
    return endpoint_ < 0 ? owner_ : fmt::format("{}endpoints[{}].", owner_, endpoint_);
  }

  std::string operation_, owner_;
  Memory unreachable_;
  std::int64_t endpoint_ = -1;
};

/// Elements that a `[rows][stride]` array needs when only `columns` of the last row exist.
std::int64_t extent_of(std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
}

void check_table(const Arguments& arguments, const SlotTable& table) {
  arguments.require_at_least("table.num_rows", table.num_rows, 0);
  arguments.require_at_least("table.num_columns", table.num_columns, 0);
  arguments.require(table.row_stride >= table.num_columns, "table.row_stride", table.row_stride,
                    fmt::format("at least num_columns, {}", table.num_columns));
  arguments.require_range("table.page_size", table.page_size, 1, int32_max);
  arguments.require_array("table.entries", table.entries,
                          extent_of(table.num_rows, table.num_columns, table.row_stride),
                          alignof(std::int32_t), table.memory);
}

void check_expected_tokens(const Arguments& arguments, const ExpectedTokens& expected) {
  if (!expected.tokens.given()) return;
  arguments.require_at_least("expected.num_rows", expected.num_rows, 0);
  arguments.require_at_least("expected.num_columns", expected.num_columns, 0);
  arguments.require(expected.row_stride >= expected.num_columns, "expected.row_stride",
                    expected.row_stride,
                    fmt::format("at least num_columns, {}", expected.num_columns));
  arguments.require_range("expected.token_offset", expected.token_offset, -offset_limit,
                          offset_limit);
  arguments.require_span("expected.tokens", expected.tokens);
  const std::int64_t needed =
      extent_of(expected.num_rows, expected.num_columns, expected.row_stride);
  arguments.require(expected.tokens.size() >= needed, "expected.tokens.size",
                    expected.tokens.size(), fmt::format("at least {}, for its rows", needed));
  arguments.require_span("expected.valid_lengths", expected.valid_lengths);
}

/// All of a batch but its extend lengths, which not every operation needs.
void check_batch(const Arguments& arguments, const PlanBatch& batch) {
  arguments.require_span("request_rows", batch.request_rows);
  arguments.require_span("prefix_lengths", batch.prefix_lengths, batch.request_rows.size(),
                         "request_rows");
  arguments.require_optional_scalar("num_requests", batch.num_requests);
  arguments.require_at_least("window", batch.window, 0);
  check_table(arguments, batch.table);
  arguments.require_span("full_to_swa", batch.full_to_swa);
  check_expected_tokens(arguments, batch.expected);
}

void check_extend_lengths(const Arguments& arguments, const PlanBatch& batch) {
  arguments.require_span("extend_lengths", batch.extend_lengths, batch.request_rows.size(),
                         "request_rows");
}

void check_endpoints(const Arguments& arguments, std::span<const Endpoint> endpoints) {
  arguments.require_range("endpoints.size", static_cast<std::int64_t>(endpoints.size()), 1,
                          max_endpoints);
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const Endpoint& endpoint = endpoints[i];
    const Arguments of_endpoint = arguments.of_endpoint(i);
    of_endpoint.require_range("tag", static_cast<std::int64_t>(endpoint.tag), 0,
                              num_launch_tags - 1);
    const CanaryBuffer& buffer = endpoint.buffer;
    of_endpoint.require(
        buffer.stride >= std::int64_t{sizeof(Record)} &&
            buffer.stride % std::int64_t{alignof(Record)} == 0 && buffer.stride <= int32_max,
        "buffer.stride", buffer.stride, "a multiple of 16 and at least 32 (bytes), below 2^31");
    of_endpoint.require_at_least("buffer.num_slots", buffer.num_slots, 1);
    of_endpoint.require_array("buffer.data", buffer.data, buffer.num_slots, alignof(Record),
                              buffer.memory);
    const int mode = static_cast<int>(endpoint.kv_hash_mode);
    of_endpoint.require(mode <= static_cast<int>(KVHashMode::all), "kv_hash_mode", mode,
                        "0 (none), 1 (partial) or 2 (all)");
    of_endpoint.require_array("sources", endpoint.sources.sources, endpoint.sources.count,
                              alignof(KVSourceArgs), Memory::unknown);
  }
}

}  // namespace

void check_sources(std::span<const KVSource> sources, Memory unreachable) {
  const Arguments arguments("KVSources", unreachable);
  arguments.require(sources.size() <= static_cast<std::size_t>(int32_max), "sources.size",
                    sources.size(), fmt::format("at most {}", int32_max));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const KVSource& source = sources[i];
    const auto name = [i](std::string_view field) {
      return fmt::format("sources[{}].{}", i, field);
    };
    arguments.require_at_least(name("num_rows"), source.num_rows, 0);
    arguments.require_range(name("page_size"), source.page_size, 1, int32_max);
    arguments.require_range(name("bytes_per_token"), source.bytes_per_token, 0, int32_max);
    arguments.require_range(name("read_bytes"), source.read_bytes, 0, source.bytes_per_token);
    arguments.require_at_least(name("row_stride"), source.row_stride,
                               source.page_size * source.bytes_per_token);
    arguments.require_array(name("data"), source.data, source.num_rows, 1, source.memory);
  }
}

KVSourceArgs to_args(const KVSource& source) {
  const auto address = reinterpret_cast<std::uintptr_t>(source.data);
  const auto strides = static_cast<std::uint64_t>(source.row_stride | source.bytes_per_token);
  return {.data = source.data,
          .num_rows = source.num_rows,
          .row_stride = source.row_stride,
          .page_size = Divisor(static_cast<std::int32_t>(source.page_size)),
          .bytes_per_token = static_cast<std::int32_t>(source.bytes_per_token),
          .read_bytes = static_cast<std::int32_t>(source.read_bytes),
          .is_aligned = ((address | strides) & 15) == 0};
}

std::int64_t num_slots(std::span<const KVSource> sources) {
  std::int64_t slots = std::numeric_limits<std::int64_t>::max();
  for (const KVSource& source : sources) {
    if (source.num_rows <= slots / source.page_size) slots = source.num_rows * source.page_size;
  }
  return slots;
}

void check_verify_plan(const char* operation, const char* argument, std::int64_t max_entries) {
  const Arguments arguments(operation, Memory::unknown);
  arguments.require(max_entries > 0, argument, "empty", "made by VerifyPlan::allocate");
}

void check_plan(const PlanBatch& batch, std::int64_t max_requests, Memory unreachable) {
  const Arguments arguments("plan", unreachable);
  arguments.require(max_requests > 0, "write_plan", "empty", "made by WritePlan::allocate");
  check_batch(arguments, batch);
  check_extend_lengths(arguments, batch);
  const std::int64_t requests = batch.request_rows.size();
  arguments.require(requests <= max_requests, "request_rows.size", requests,
                    fmt::format("at most {}, the capacity of write_plan", max_requests));
}

void check_write_jobs(std::int64_t jobs, std::int64_t endpoints, std::int64_t max_requests) {
  const Arguments arguments("write", Memory::unknown);
  arguments.require_range("jobs.size", jobs, 1, max_jobs);
  arguments.require_range("endpoints.size", endpoints, 1, max_endpoints);
  // A league of teams, or a thread for each request and endpoint.
  arguments.require(max_requests <= int32_max / max_endpoints, "plan.capacity", max_requests,
                    fmt::format("at most {}", int32_max / max_endpoints));
}

void check_write_job(const std::string& job, const WriteBatch& batch, std::int64_t max_requests,
                     std::span<const Endpoint> endpoints, Memory unreachable) {
  const Arguments arguments("write", unreachable, job);
  arguments.require(max_requests > 0, "plan", "empty", "made by WritePlan::allocate");
  arguments.require_span("tokens", batch.tokens);
  const std::int64_t tokens = batch.tokens.size();
  arguments.require_span("positions", batch.positions, tokens, "tokens");
  arguments.require_span("slots", batch.slots, tokens, "tokens");
  if (batch.expected_tokens.given()) {
    arguments.require_span("expected_tokens", batch.expected_tokens, tokens, "tokens");
  }
  if (batch.expected_positions.given()) {
    arguments.require_span("expected_positions", batch.expected_positions, tokens, "tokens");
  }
  arguments.require_optional_scalar("check_positions", batch.check_positions);
  arguments.require_at_least("max_entries_per_request", batch.max_entries_per_request, 0);
  check_endpoints(arguments, endpoints);
}

void check_verify(std::span<const Endpoint> endpoints, Memory unreachable) {
  const Arguments arguments("verify", unreachable);
  check_endpoints(arguments, endpoints);
}

void check_verify_requests(std::span<const VerifyJob> jobs, Memory unreachable) {
  const Arguments arguments("verify_requests", unreachable);
  arguments.require_range("jobs.size", static_cast<std::int64_t>(jobs.size()), 1, max_jobs);
  std::size_t endpoints = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const VerifyJob& job = jobs[j];
    constexpr const char* names[max_jobs] = {"jobs[0].", "jobs[1]."};
    constexpr const char* batch_names[max_jobs] = {"jobs[0].batch.", "jobs[1].batch."};
    const Arguments in_batch("verify_requests", unreachable, batch_names[j]);
    check_batch(in_batch, job.batch);
    if (job.batch.extend_lengths.given()) check_extend_lengths(in_batch, job.batch);
    in_batch.require_range("request_rows.size", job.batch.request_rows.size(), 0, requests_limit);
    check_endpoints(Arguments("verify_requests", unreachable, names[j]), job.endpoints);
    endpoints += job.endpoints.size();
  }
  arguments.require(endpoints <= static_cast<std::size_t>(max_endpoints),
                    "endpoints.size of all jobs", endpoints,
                    fmt::format("at most {}", max_endpoints));
}

void check_sink(const char* operation, std::int64_t log_capacity, const void* counts) {
  const Arguments arguments(operation, Memory::unknown);
  arguments.require(log_capacity > 0, "log", "empty", "made by ViolationLog::allocate");
  arguments.require(counts != nullptr, "counters", "empty", "made by LaunchCounters::allocate");
}

}  // namespace kvcanary::detail
