#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/request_batch.hpp>

#include "src/clamp.hpp"
#include "src/int_array.hpp"

/// \file
/// From a request, its row and a position to the token that the engine intends to be there.
namespace kvcanary::detail {

class ExpectedTokenArgs {
 public:
  ExpectedTokenArgs() = default;
  explicit ExpectedTokenArgs(const ExpectedTokens& expected)
      : tokens_(expected.tokens),
        valid_lengths_(expected.valid_lengths),
        num_rows_(expected.tokens.given() ? expected.num_rows : 0),
        num_columns_(expected.num_columns),
        row_stride_(expected.row_stride),
        token_offset_(expected.token_offset) {}

  KOKKOS_FUNCTION bool given() const { return num_rows_ > 0; }

  /// The tokens of a request: where they begin, and how many columns hold one.
  struct Tokens {
    std::int64_t begin, columns;
  };
  KOKKOS_FUNCTION Tokens tokens_of(int request, std::int64_t row) const {
    const std::int64_t columns = columns_of(request, row);
    return {columns > 0 ? row * row_stride_ : 0, columns};
  }

  /// The token at a position, or -1.
  KOKKOS_FUNCTION std::int64_t at(const Tokens& tokens, std::int64_t position) const {
    const std::int64_t column = position + token_offset_;
    if (column < 0 || column >= tokens.columns) return -1;
    return tokens_[tokens.begin + column];
  }

  /// Tokens of `count` positions from `begin` on, with a mask of ones where one is expected.
  void copy(const Tokens& of_request, std::int64_t begin, int count, std::uint64_t* tokens,
            std::uint64_t* masks) const {
    const std::int64_t column = begin + token_offset_;
    const std::int64_t first = std::clamp<std::int64_t>(-column, 0, count);
    const std::int64_t end = std::clamp<std::int64_t>(of_request.columns - column, first, count);
    std::fill_n(tokens, count, ~std::uint64_t{0});
    if (first < end) tokens_.copy(of_request.begin + column + first, end - first, tokens + first);
    for (int i = 0; i < count; ++i) masks[i] = ~tokens[i] == 0 ? 0 : ~std::uint64_t{0};
  }

 private:
  KOKKOS_FUNCTION std::int64_t columns_of(int request, std::int64_t row) const {
    if (row < 0 || row >= num_rows_) return 0;
    if (!valid_lengths_.given()) return num_columns_;
    return clamp(valid_lengths_[request], std::int64_t{0}, num_columns_);
  }

  IntArray tokens_, valid_lengths_;
  std::int64_t num_rows_, num_columns_, row_stride_;
  std::int64_t token_offset_;
};

}  // namespace kvcanary::detail
