#pragma once

#include <cstdint>
#include <kvcanary/kv_source.hpp>
#include <string>

/// \file
/// The KV bytes of a case.
namespace kvcanary::perf {

/// KV sources that are all alike.
struct KVLayout {
  std::int64_t count = 0;
  std::int64_t read_bytes = 0;       ///< hashed of each token in mode `all`
  std::int64_t bytes_per_token = 0;  ///< from token to token
};

/// "none", "1x2048", "2x16of32": count x read bytes [of bytes per token].
std::string to_string(const KVLayout& layout);

/// "off", "partial", "all".
const char* to_string(KVHashMode mode);

/// Hashed of each token.
std::int64_t kv_bytes_read(const KVLayout& layout, KVHashMode mode);

}  // namespace kvcanary::perf
