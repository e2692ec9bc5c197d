#include "sim/trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace kvcanary::sim {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t max_length = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_int64 = std::numeric_limits<std::int64_t>::max();

/// Where in which file, for errors.
struct Place {
  std::string_view file;
  std::int64_t line;

  [[noreturn]] void fail(const std::string& what) const {
    throw TraceError(fmt::format("{}:{}: {}", file, line, what));
  }
};

/// The value in words that fit an error message. Arrays and objects are only named: they may be
/// large, or nested deeper than a recursive printer survives.
std::string show(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t longest = 40;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

/// An integer of JSON as int64, if it is one and lies within [low, high].
bool read_integer(const Json& value, std::int64_t low, std::int64_t high, std::int64_t& result) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(max_int64)) {
    return false;
  }
  result = value.get<std::int64_t>();
  return result >= low && result <= high;
}

std::string range_text(std::int64_t low, std::int64_t high) {
  if (high == max_int64) return fmt::format("an integer >= {}", low);
  return fmt::format("an integer in [{}, {}]", low, high);
}

const Json& member(const Json& object, const char* key, const char* wanted, const Place& place) {
  const auto found = object.find(key);
  if (found == object.end()) place.fail(fmt::format("{} is missing, must be {}", key, wanted));
  return *found;
}

std::int64_t integer_member(const Json& object, const char* key, std::int64_t low,
                            std::int64_t high, const Place& place) {
  const std::string wanted = range_text(low, high);
  const Json& value = member(object, key, wanted.c_str(), place);
  std::int64_t result = 0;
  if (!read_integer(value, low, high, result)) {
    place.fail(fmt::format("{} is {}, must be {}", key, show(value), wanted));
  }
  return result;
}

std::vector<std::int64_t> hash_ids_member(const Json& object, std::int64_t input_length,
                                          const Place& place) {
  const Json& value = member(object, "hash_ids", "an array of integers >= 0", place);
  if (!value.is_array()) {
    place.fail(fmt::format("hash_ids is {}, must be an array of integers >= 0", show(value)));
  }
  const std::int64_t wanted = trace_blocks(input_length);
  if (static_cast<std::int64_t>(value.size()) != wanted) {
    place.fail(
        fmt::format("hash_ids has {} ids, must have {}: one per {} tokens of input_length {}",
                    value.size(), wanted, trace_block_tokens, input_length));
  }
  std::vector<std::int64_t> ids(value.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!read_integer(value[i], 0, max_int64, ids[i])) {
      place.fail(fmt::format("hash_ids[{}] is {}, must be {}", i, show(value[i]),
                             range_text(0, max_int64)));
    }
  }
  return ids;
}

Json parse_line(const std::string& line, const Place& place) {
  try {
    return Json::parse(line);
  } catch (const Json::parse_error& error) {
    place.fail(fmt::format("not JSON: error at column {}, must be one JSON object", error.byte));
  } catch (const Json::out_of_range&) {
    place.fail("not JSON: a number is too large for a double, must be one JSON object");
  }
}

Request parse_request(const std::string& line, const Place& place) {
  const Json object = parse_line(line, place);
  if (!object.is_object()) {
    place.fail(fmt::format("the line is {}, must be a JSON object", show(object)));
  }
  Request request;
  request.timestamp_ms = integer_member(object, "timestamp", 0, max_int64, place);
  request.input_length = integer_member(object, "input_length", 1, max_length, place);
  request.output_length = integer_member(object, "output_length", 1, max_length, place);
  request.hash_ids = hash_ids_member(object, request.input_length, place);
  return request;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r\v\f") == std::string::npos;
}

}  // namespace

std::vector<Request> read_trace(std::istream& in, std::string_view name, std::int64_t limit) {
  if (limit != no_limit && limit < 1) {
    throw std::invalid_argument(fmt::format("limit is {}, must be >= 1", limit));
  }
  std::vector<Request> requests;
  std::string line;
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    if (is_blank(line)) continue;
    requests.push_back(parse_request(line, {name, number}));
    if (static_cast<std::int64_t>(requests.size()) == limit) break;
  }
  if (in.bad()) throw TraceError(fmt::format("{}: cannot be read to its end", name));
  if (requests.empty()) {
    throw TraceError(fmt::format("{}: the trace is empty, must have at least one request", name));
  }
  return requests;
}

std::vector<Request> read_trace(const std::filesystem::path& file, std::int64_t limit) {
  std::ifstream in(file);
  if (!in) {
    throw TraceError(fmt::format("{}: cannot be opened: {}", file.string(), std::strerror(errno)));
  }
  return read_trace(in, file.string(), limit);
}

void write_trace(std::ostream& out, std::span<const Request> requests) {
  for (const Request& request : requests) {
    // An ordered object keeps the key order of the published traces.
    nlohmann::ordered_json object;
    object["timestamp"] = request.timestamp_ms;
    object["input_length"] = request.input_length;
    object["output_length"] = request.output_length;
    object["hash_ids"] = request.hash_ids;
    out << object.dump() << '\n';
  }
}

void write_trace(const std::filesystem::path& file, std::span<const Request> requests) {
  std::ofstream out(file);
  if (!out) {
    throw TraceError(
        fmt::format("{}: cannot be opened for writing: {}", file.string(), std::strerror(errno)));
  }
  write_trace(out, requests);
  out.flush();
  if (!out) throw TraceError(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace kvcanary::sim
