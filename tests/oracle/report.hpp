#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <iosfwd>
#include <vector>

/// \file
/// What write and verify find and count.
namespace oracle {

namespace bit {
inline constexpr std::int64_t chain_hash = 1;
inline constexpr std::int64_t position = 2;
inline constexpr std::int64_t kv_hash = 4;
inline constexpr std::int64_t write_token = 8;
inline constexpr std::int64_t write_position = 16;
inline constexpr std::int64_t verify_token = 32;
inline constexpr std::int64_t slot_out_of_bounds = 64;
inline constexpr std::int64_t malformed_plan = 128;
inline constexpr std::int64_t padding_read = 2048;
}  // namespace bit

/// The defaults are those of the table in docs/semantics.md for what is about no entry.
struct Violation {
  std::int64_t launch_tag = 0;
  std::int64_t slot = -1;
  std::int64_t position = -1;
  std::int64_t stored_token = 0;
  std::int64_t expected_token = -1;
  std::int64_t stored_chain_hash = 0;
  std::int64_t expected_aux = 0;
  std::int64_t fail_bits = 0;
  std::int64_t request_row = -1;
  std::int64_t entry = -1;
  std::int64_t expected_position = -1;
  std::int64_t stored_kv_hash = 0;
  std::int64_t expected_kv_hash = 0;

  auto operator<=>(const Violation&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Violation& violation);

struct TagCounts {
  std::uint64_t launches = 0;
  std::uint64_t entries = 0;
  std::uint64_t disabled = 0;

  bool operator==(const TagCounts&) const = default;
};

struct Report {
  std::vector<Violation> violations;
  std::uint64_t total = 0;  ///< of violations, also those that a log has no room for
  std::array<TagCounts, 64> counts = {};

  void add(const Violation& violation);
};

}  // namespace oracle
