#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// Numbers as text, for messages and logs.
namespace kvcanary::detail {

/// The bits of a hash as logs have them: 0x and 16 digits.
inline std::string hex(std::int64_t bits) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, static_cast<std::uint64_t>(bits));
  return text;
}

}  // namespace kvcanary::detail
