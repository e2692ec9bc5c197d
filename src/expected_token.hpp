#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

#include "src/clamp.hpp"
#include "src/int_array.hpp"

/// \file
/// From (row, position) to the token that the engine intends to be there.
namespace kvcanary::detail {

class ExpectedTokenArgs {
 public:
  ExpectedTokenArgs() = default;
  explicit ExpectedTokenArgs(const ExpectedTokens& expected)
      : tokens_(expected.tokens),
        valid_lengths_(expected.valid_lengths),
        num_valid_lengths_(expected.valid_lengths.size()),
        num_rows_(expected.tokens.given() ? expected.num_rows : 0),
        num_columns_(expected.num_columns),
        row_stride_(expected.row_stride),
        token_offset_(expected.token_offset) {}

  KOKKOS_FUNCTION bool given() const { return num_rows_ > 0; }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t position) const {
    return at(this->row(row), position);
  }

  /// A row, for many of its positions: where it begins and how many columns hold a token.
  struct Row {
    std::int64_t begin, columns;
  };
  KOKKOS_FUNCTION Row row(std::int64_t row) const {
    const std::int64_t columns = this->columns(row);
    return {columns > 0 ? row * row_stride_ : 0, columns};
  }

  /// The token of a row at a position, or -1.
  KOKKOS_FUNCTION std::int64_t at(const Row& row, std::int64_t position) const {
    const std::int64_t column = position + token_offset_;
    if (column < 0 || column >= row.columns) return -1;
    return tokens_[row.begin + column];
  }

  /// Tokens of `count` positions from `begin` on, with a mask of ones where one is expected.
  void fill(std::int64_t row, std::int64_t begin, int count, std::uint64_t* tokens,
            std::uint64_t* masks) const {
    const Row of_row = this->row(row);
    const std::int64_t column = begin + token_offset_;
    const std::int64_t first = std::clamp<std::int64_t>(-column, 0, count);
    const std::int64_t end = std::clamp<std::int64_t>(of_row.columns - column, first, count);
    std::fill_n(tokens, count, ~std::uint64_t{0});
    if (first < end) tokens_.copy(of_row.begin + column + first, end - first, tokens + first);
    for (int i = 0; i < count; ++i) masks[i] = ~tokens[i] == 0 ? 0 : ~std::uint64_t{0};
  }

 private:
  /// Columns of a row that hold a token.
  KOKKOS_FUNCTION std::int64_t columns(std::int64_t row) const {
    if (row < 0 || row >= num_rows_) return 0;
    if (!valid_lengths_.given()) return num_columns_;
    const std::int64_t valid = row < num_valid_lengths_ ? valid_lengths_[row] : 0;
    return clamp(valid, std::int64_t{0}, num_columns_);
  }

  IntArray tokens_, valid_lengths_;
  std::int64_t num_valid_lengths_;
  std::int64_t num_rows_, num_columns_, row_stride_;
  std::int64_t token_offset_;
};

}  // namespace kvcanary::detail
