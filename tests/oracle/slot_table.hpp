#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// Where the token at a position of a request lies.
namespace oracle {

inline constexpr std::int64_t no_slot = -1;
inline constexpr std::int64_t invalid_slot = -2;
inline constexpr std::int64_t unchecked_slot = -3;

struct SlotTable {
  std::vector<std::int64_t> entries;  ///< [num_rows][row_stride]
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t page_size = 1;
  std::optional<std::vector<std::int64_t>> full_to_swa = {};
};

/// Instead of a table: one list of pages for each request of a batch, one after the other.
struct SlotLists {
  std::vector<std::int64_t> pages;
  std::vector<std::int64_t> offsets;  ///< where each request's begin, and where the last ends
  std::optional<std::vector<std::int64_t>> first_positions = {};  ///< of each request, or 0
  std::int64_t page_size = 1;
  std::optional<std::vector<std::int64_t>> full_to_swa = {};
};

struct Found {
  enum class Kind { slot, invalid, gone } kind;
  std::int64_t slot = invalid_slot;  ///< invalid_slot unless kind is slot

  bool operator==(const Found&) const = default;
};

/// What the table, and then the translation if there is one, name.
Found find(const SlotTable& table, std::int64_t row, std::int64_t position);
/// What the list of a request does.
Found find(const SlotLists& lists, std::int64_t request, std::int64_t position);

}  // namespace oracle
