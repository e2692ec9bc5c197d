#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kvcanary::sim {

/// Tokens per prefix block of the Mooncake trace format: one hash id stands for this many tokens.
inline constexpr std::int64_t trace_block_tokens = 512;

/// Number of hash ids of a prompt of `input_length` tokens; the last block may be partly filled.
constexpr std::int64_t trace_blocks(std::int64_t input_length) {
  return (input_length + trace_block_tokens - 1) / trace_block_tokens;
}

/// One request of a trace.
struct Request {
  std::int64_t timestamp_ms = 0;   ///< arrival, milliseconds since the start of the trace
  std::int64_t input_length = 0;   ///< prompt tokens, >= 1
  std::int64_t output_length = 0;  ///< generated tokens, >= 1
  /// One id per 512-token block of the prompt, `trace_blocks(input_length)` of them. Equal ids mean
  /// equal tokens.
  std::vector<std::int64_t> hash_ids;

  bool operator==(const Request&) const = default;
};

/// KV positions that a request writes or finds in the cache over its life. The last generated token
/// is never fed back into the model, so it has no KV.
constexpr std::int64_t kv_length(const Request& request) {
  return request.input_length + request.output_length - 1;
}

/// A trace that cannot be used. The message starts with `file:line: ` (`file: ` if the file as a
/// whole is at fault) and says which field is wrong, what it was and what it must be.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The `limit` of `read_trace` that reads everything.
inline constexpr std::int64_t no_limit = -1;

/// Reads a trace in the Mooncake format: one JSON object a line with `timestamp` (milliseconds),
/// `input_length`, `output_length` (tokens) and `hash_ids`. Blank lines and further keys are
/// ignored. Stops after `limit` requests, without looking at the lines beyond.
/// Throws TraceError for everything else, an empty trace included.
std::vector<Request> read_trace(const std::filesystem::path& file, std::int64_t limit = no_limit);

/// The same from a stream; `name` takes the place of the file name in errors.
std::vector<Request> read_trace(std::istream& in, std::string_view name,
                                std::int64_t limit = no_limit);

/// Writes requests in the format that `read_trace` reads.
void write_trace(std::ostream& out, std::span<const Request> requests);

/// The same to a file, replacing it. Throws TraceError if it cannot be written.
void write_trace(const std::filesystem::path& file, std::span<const Request> requests);

}  // namespace kvcanary::sim
