#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/divisor.hpp>
#include <kvcanary/plan.hpp>

#include "src/clamp.hpp"
#include "src/int_array.hpp"

/// \file
/// What each request of a batch asks for.
namespace kvcanary::detail {

/// Lengths from 0 up to this are taken; sums of millions of them stay far from overflow.
inline constexpr std::int64_t length_limit = Divisor::limit;

KOKKOS_INLINE_FUNCTION bool is_length(std::int64_t length) {
  return length >= 0 && length < length_limit;
}

/// The batch as kernel arguments, with malformed lengths taken as 0.
struct PlanArgs {
  IntArray request_rows, prefix_lengths, extend_lengths, num_requests;
  std::int64_t given;  ///< requests in the arrays
  std::int64_t window;

  PlanArgs() = default;
  explicit PlanArgs(const PlanBatch& batch)
      : request_rows(batch.request_rows),
        prefix_lengths(batch.prefix_lengths),
        extend_lengths(batch.extend_lengths),
        num_requests(batch.num_requests),
        given(batch.request_rows.size()),
        window(batch.window) {}

  /// Requests that the caller wants, which may be more than there are.
  KOKKOS_FUNCTION std::int64_t wanted() const {
    return num_requests.given() ? num_requests[0] : given;
  }
  /// Requests that count.
  KOKKOS_FUNCTION int count() const {
    return static_cast<int>(clamp(wanted(), std::int64_t{0}, given));
  }

  KOKKOS_FUNCTION bool is_padding(int r) const { return request_rows[r] == padding_row; }
  KOKKOS_FUNCTION std::int64_t prefix(int r) const { return valid(prefix_lengths[r]); }
  KOKKOS_FUNCTION std::int64_t extend(int r) const {
    return is_padding(r) ? 0 : valid(extend_lengths[r]);
  }
  /// First position of a prefix that is verified.
  KOKKOS_FUNCTION std::int64_t first_of(std::int64_t prefix) const {
    return window > 0 && prefix > window ? prefix - window : 0;
  }
  KOKKOS_FUNCTION std::int64_t first(int r) const { return first_of(prefix(r)); }
  KOKKOS_FUNCTION std::int64_t num_entries(int r) const {
    return is_padding(r) ? 0 : prefix(r) - first(r);
  }
  KOKKOS_FUNCTION bool is_malformed(int r) const {
    return !is_padding(r) && !(is_length(prefix_lengths[r]) &&
                               (!extend_lengths.given() || is_length(extend_lengths[r])));
  }

 private:
  KOKKOS_FUNCTION static std::int64_t valid(std::int64_t length) {
    return is_length(length) ? length : 0;
  }
};

}  // namespace kvcanary::detail
