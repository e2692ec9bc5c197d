#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/request_batch.hpp>

#include "src/request_args.hpp"
#include "src/seed_slot.hpp"
#include "src/slot_finder.hpp"

/// \file
/// The requests of a write, straight from a batch: what `plan` says of them, without a plan.
namespace kvcanary::detail {

/// What several requests of a batch add up to.
struct ExtendSums {
  std::int64_t tokens = 0;
  std::int64_t malformed = 0;

  KOKKOS_FUNCTION ExtendSums& operator+=(const ExtendSums& other) {
    tokens += other.tokens;
    malformed += other.malformed;
    return *this;
  }
  KOKKOS_FUNCTION ExtendSums& operator-=(const ExtendSums& other) {
    tokens -= other.tokens;
    malformed -= other.malformed;
    return *this;
  }
  KOKKOS_FUNCTION void add(const RequestArgs::Request& request) {
    tokens += request.extend;
    malformed += request.is_malformed ? 1 : 0;
  }
};

/// Arrays may change at any moment: what is said of a request comes from one look at them.
struct BatchRequests {
  struct Request {
    std::int64_t begin, end;  ///< entries
    std::int64_t row;
    std::int32_t prefix;
  };
  /// Of all requests that count: somebody has to look at each of them.
  struct Totals {
    std::int64_t num_requests;
    bool wants_others;  ///< the caller wants fewer than none, or more than there are
    ExtendSums sums;
  };

  RequestArgs batch;
  SlotFinder finder;

  BatchRequests() = default;
  explicit BatchRequests(const RequestBatch& from) : batch(from), finder(from) {}

  /// One at least, so that there is somebody to count a launch.
  KOKKOS_FUNCTION std::int32_t max_requests() const {
    return batch.num_given() > 0 ? batch.num_given() : 1;
  }

  /// A request that was looked at, whose entries begin there.
  KOKKOS_FUNCTION static Request request(const RequestArgs::Request& found, std::int64_t begin) {
    return {begin, begin + found.extend, found.row, found.prefix};
  }
  /// The slot of the token before the first of request `r`.
  KOKKOS_FUNCTION std::int64_t seed_slot(const Request& request, std::int64_t r) const {
    return detail::seed_slot(finder, finder.row(static_cast<int>(r), request.row), request.prefix,
                             request.end - request.begin);
  }

  KOKKOS_FUNCTION static std::int64_t num_requests(const Totals& totals) {
    return totals.num_requests;
  }
  /// The same, as reports name it.
  KOKKOS_FUNCTION static std::int64_t reported_requests(const Totals& totals) {
    return totals.num_requests;
  }
  KOKKOS_FUNCTION static bool is_malformed(const Totals& totals) {
    return totals.wants_others || totals.sums.malformed != 0;
  }
  KOKKOS_FUNCTION static std::int64_t num_tokens(const Totals& totals) {
    return totals.sums.tokens;
  }
};

}  // namespace kvcanary::detail
