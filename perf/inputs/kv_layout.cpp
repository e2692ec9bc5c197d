#include "perf/inputs/kv_layout.hpp"

#include <algorithm>

namespace kvcanary::perf {

std::string to_string(const KVLayout& layout) {
  if (layout.count == 0) return "none";
  std::string text = std::to_string(layout.count) + "x" + std::to_string(layout.read_bytes);
  if (layout.bytes_per_token == layout.read_bytes) return text;
  return text + "of" + std::to_string(layout.bytes_per_token);
}

const char* to_string(KVHashMode mode) {
  switch (mode) {
    case KVHashMode::none:
      return "off";
    case KVHashMode::partial:
      return "partial";
    case KVHashMode::all:
      return "all";
  }
  return "";
}

std::int64_t kv_bytes_read(const KVLayout& layout, KVHashMode mode) {
  switch (mode) {
    case KVHashMode::none:
      return 0;
    case KVHashMode::partial:
      return layout.count * std::min<std::int64_t>(layout.read_bytes, 16);
    case KVHashMode::all:
      return layout.count * layout.read_bytes;
  }
  return 0;
}

}  // namespace kvcanary::perf
