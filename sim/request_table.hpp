#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace kvcanary::sim {

/// The slot table and, beside it, the tokens that belong at each position. Row 0 is the padding
/// row; entries not in use are 0, the padding page.
class RequestTable {
 public:
  RequestTable(std::int64_t rows, std::int64_t columns, std::int64_t page_size)
      : columns_(columns),
        page_size_(page_size),
        pages_(static_cast<std::size_t>(rows * columns), 0),
        tokens_(static_cast<std::size_t>(rows * columns * page_size), 0),
        valid_lengths_(static_cast<std::size_t>(rows), 0) {}

  std::int64_t rows() const { return static_cast<std::int64_t>(valid_lengths_.size()); }
  std::int64_t columns() const { return columns_; }
  /// [rows][columns]
  std::span<const std::int32_t> pages() const { return pages_; }
  /// [rows][columns * page_size]
  std::span<const std::int32_t> tokens() const { return tokens_; }
  /// [rows]: leading entries of `tokens` that count
  std::span<const std::int64_t> valid_lengths() const { return valid_lengths_; }

  std::span<std::int32_t> row_pages(std::int32_t row) {
    return row_of(std::span(pages_), row, columns_);
  }
  std::span<std::int32_t> row_tokens(std::int32_t row) {
    return row_of(std::span(tokens_), row, columns_ * page_size_);
  }
  std::int64_t valid_length(std::int32_t row) const {
    return valid_lengths_[static_cast<std::size_t>(row)];
  }
  void set_valid_length(std::int32_t row, std::int64_t length) {
    valid_lengths_[static_cast<std::size_t>(row)] = length;
  }
  /// Appends one known token.
  void push_token(std::int32_t row, std::int32_t token) {
    row_tokens(row)[static_cast<std::size_t>(valid_lengths_[static_cast<std::size_t>(row)]++)] =
        token;
  }
  /// Empties the row.
  void clear_row(std::int32_t row) {
    const std::int64_t used = (valid_length(row) + page_size_ - 1) / page_size_;
    std::ranges::fill(row_pages(row).first(static_cast<std::size_t>(used)), 0);
    set_valid_length(row, 0);
  }

 private:
  template <class T>
  static std::span<T> row_of(std::span<T> table, std::int32_t row, std::int64_t width) {
    return table.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
  }

  std::int64_t columns_;
  std::int64_t page_size_;
  std::vector<std::int32_t> pages_;
  std::vector<std::int32_t> tokens_;
  std::vector<std::int64_t> valid_lengths_;
};

}  // namespace kvcanary::sim
