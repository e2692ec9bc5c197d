#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/request_batch.hpp>

#include "src/clamp.hpp"
#include "src/divisor.hpp"
#include "src/int_array.hpp"

/// \file
/// What each request of a batch asks for: the one place that says so.
namespace kvcanary::detail {

/// A request has fewer tokens than this; sums of millions of them stay far from overflow.
inline constexpr std::int64_t max_tokens = Divisor::limit;

KOKKOS_INLINE_FUNCTION bool is_length(std::int64_t length) {
  return length >= 0 && length < max_tokens;
}

/// Requests that a batch gives: all of its arrays have as many elements.
inline std::int64_t num_given(const RequestBatch& batch) {
  return batch.request_rows.given() ? batch.request_rows.size() : batch.prefix_lengths.size();
}

/// A RequestBatch as kernel arguments, without its table or lists. Arrays may change at any moment:
/// what is said of a request comes from one look at them, and bounds nothing that another look
/// says.
struct RequestArgs {
  /// A request, with malformed lengths taken as 0; all 0 when it is padding.
  struct Request {
    std::int64_t row;
    std::int32_t prefix, extend;
    bool is_malformed;
  };

  /// Consecutive positions of a request.
  struct Positions {
    std::int32_t first, end;
  };

  RequestArgs() = default;
  explicit RequestArgs(const RequestBatch& batch)
      : rows_(batch.request_rows.given() ? batch.request_rows : batch.prefix_lengths),
        prefixes_(batch.prefix_lengths),
        extends_(batch.extend_lengths.data() != nullptr ? batch.extend_lengths
                                                        : batch.prefix_lengths),
        num_requests_(batch.num_requests),
        padding_row_(batch.padding_row.value_or(0)),
        window_(batch.window < max_tokens ? static_cast<std::int32_t>(batch.window) : 0),
        given_(static_cast<std::int32_t>(detail::num_given(batch))),
        has_rows_(batch.request_rows.given()),
        has_extends_(batch.extend_lengths.data() != nullptr),
        has_padding_row_(has_rows_ && batch.padding_row.has_value()),
        adds_extend_(batch.verify_end != VerifyEnd::prefix),
        window_ends_at_prefix_(batch.verify_end == VerifyEnd::whole_step) {}

  /// Requests in the arrays.
  KOKKOS_FUNCTION int num_given() const { return given_; }
  KOKKOS_FUNCTION bool has_rows() const { return has_rows_; }
  /// Requests that the caller wants, which may be more than there are.
  KOKKOS_FUNCTION std::int64_t wanted() const {
    return num_requests_.given() ? num_requests_[0] : given_;
  }
  /// Requests that count, of those wanted.
  KOKKOS_FUNCTION int num_counted(std::int64_t wanted) const {
    return static_cast<int>(clamp(wanted, std::int64_t{0}, std::int64_t{given_}));
  }
  KOKKOS_FUNCTION int num_counted() const { return num_counted(wanted()); }

  KOKKOS_FUNCTION Request request(int r) const {
    // Whether lengths are wanted or not, so that all are on their way together.
    const std::int64_t row = this->row(r), prefix = prefixes_[r], found = extends_[r];
    const std::int64_t extend = has_extends_ ? found : 0;
    if (is_padding(row)) return {row, 0, 0, false};
    const std::int32_t valid_prefix = is_length(prefix) ? static_cast<std::int32_t>(prefix) : 0;
    const std::int32_t valid_extend = valid(valid_prefix, extend);
    return {row, valid_prefix, valid_extend, valid_prefix != prefix || valid_extend != extend};
  }

  KOKKOS_FUNCTION std::int64_t row(int r) const {
    const std::int64_t found = rows_[r];
    return has_rows_ ? found : r;
  }

  /// The positions that are verified of a request.
  KOKKOS_FUNCTION Positions positions(const Request& request) const {
    return positions(request.prefix, adds_extend_ ? request.extend : 0);
  }

  /// The row of a request and its positions that are verified: the same, with a look at no more
  /// than that takes.
  struct RowPositions {
    std::int64_t row;
    Positions positions;
  };
  KOKKOS_FUNCTION RowPositions row_positions(int r) const {
    const std::int64_t row = this->row(r), prefix = prefixes_[r];
    if (is_padding(row)) return {row, {0, 0}};
    const std::int32_t valid_prefix = is_length(prefix) ? static_cast<std::int32_t>(prefix) : 0;
    return {row, positions(valid_prefix, adds_extend_ ? valid(valid_prefix, extends_[r]) : 0)};
  }

  /// The most positions of a request that are verified, of those below `reach`.
  std::int32_t longest(std::int32_t reach) const {
    return window_ > 0 && window_ < reach && !window_ends_at_prefix_ ? window_ : reach;
  }

 private:
  KOKKOS_FUNCTION bool is_padding(std::int64_t row) const {
    return has_padding_row_ && row == padding_row_;
  }
  /// The extend length, or 0 when it is none.
  KOKKOS_FUNCTION static std::int32_t valid(std::int32_t prefix, std::int64_t extend) {
    return extend >= 0 && extend < max_tokens - prefix ? static_cast<std::int32_t>(extend) : 0;
  }
  KOKKOS_FUNCTION Positions positions(std::int32_t prefix, std::int32_t extend) const {
    const std::int32_t end = prefix + extend;
    const std::int32_t window_end = window_ends_at_prefix_ ? prefix : end;
    return {window_ > 0 && window_end > window_ ? window_end - window_ : 0, end};
  }

  IntArray rows_;  ///< any array of as many elements when there are none
  IntArray prefixes_;
  IntArray extends_;  ///< the same
  IntArray num_requests_;
  std::int64_t padding_row_;
  std::int32_t window_;  ///< 0 for one that no request is longer than
  std::int32_t given_;
  bool has_rows_, has_extends_, has_padding_row_, adds_extend_, window_ends_at_prefix_;
};

}  // namespace kvcanary::detail
