#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

#include "int_array.hpp"

/// \file
/// From (row, position) to the token that the engine intends to be there.
namespace kvcanary::detail {

class ExpectedTokenArgs {
 public:
  explicit ExpectedTokenArgs(const ExpectedTokens& expected)
      : tokens_(expected.tokens),
        valid_lengths_(expected.valid_lengths),
        num_valid_lengths_(expected.valid_lengths.size()),
        num_rows_(expected.tokens.given() ? expected.num_rows : 0),
        num_columns_(expected.num_columns),
        row_stride_(expected.row_stride),
        token_offset_(expected.token_offset) {}

  /// Columns of a row that hold a token; less than 1 when none does.
  KOKKOS_FUNCTION std::int64_t columns(std::int64_t row) const {
    if (row < 0 || row >= num_rows_) return 0;
    if (!valid_lengths_.given()) return num_columns_;
    const std::int64_t valid = row < num_valid_lengths_ ? valid_lengths_[row] : 0;
    return valid < num_columns_ ? valid : num_columns_;
  }

  /// The token of a row with `columns` columns, or -1.
  KOKKOS_FUNCTION std::int64_t at(std::int64_t row, std::int64_t columns,
                                  std::int64_t position) const {
    const std::int64_t column = position + token_offset_;
    if (column < 0 || column >= columns) return -1;
    return tokens_[row * row_stride_ + column];
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t position) const {
    return at(row, columns(row), position);
  }

 private:
  IntArray tokens_, valid_lengths_;
  std::int64_t num_valid_lengths_;
  std::int64_t num_rows_, num_columns_, row_stride_;
  std::int64_t token_offset_;
};

}  // namespace kvcanary::detail
