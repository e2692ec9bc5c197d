#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "src/clamp.hpp"
#include "src/plan/plan_args.hpp"

/// \file
/// plan on a host: one worker has the write plan, each of the others an even share of the entries.
namespace kvcanary::detail {

class PlanOnHost {
 public:
  /// \param entry_workers 0 without a verify plan
  PlanOnHost(const PlanArgs& args, std::int64_t entry_workers)
      : args_(args), entry_workers_(entry_workers) {}

  std::int64_t num_workers() const { return 1 + entry_workers_; }

  void operator()(std::int64_t worker) const {
    worker == 0 ? plan_requests() : plan_entries(worker - 1);
  }

 private:
  void plan_requests() const {
    const std::int64_t wanted = args_.batch.wanted();
    const int n = args_.batch.num_counted(wanted);
    PlanSums total;
    args_.offsets[0] = 0;
    for (int r = 0; r < n; ++r) {
      const RequestArgs::Request request = args_.batch.request(r);
      total += args_.sums_of(request);
      args_.offsets[r + 1] = total.extend;
      args_.store_request(r, args_.finder.list(r), request);
    }
    std::fill(args_.offsets + n + 1, args_.offsets + args_.write_capacity + 1, total.extend);
    args_.store_states(n, wanted, total);
  }

  /// Nobody has summed up the lengths: each worker does, and walks along the requests to its share.
  void plan_entries(std::int64_t worker) const {
    const int n = args_.batch.num_counted();
    std::int64_t total = 0;
    for (int r = 0; r < n; ++r) total += count(args_.batch.row_positions(r).positions);
    if (total > args_.verify_capacity) return;
    const std::int64_t share = (total + entry_workers_ - 1) / entry_workers_;
    const std::int64_t end = std::min((worker + 1) * share, total);
    std::int64_t e = worker * share, before = 0;  // entries of the requests before
    for (int r = 0; r < n && e < end; ++r) {
      const auto [row, positions] = args_.batch.row_positions(r);
      const std::int64_t first = e - before;  // of this request's entries
      before += count(positions);
      const std::int64_t stop = std::min(before, end);
      if (e >= stop) continue;
      store_entries(r, row, positions.first, positions.first + static_cast<std::int32_t>(first), e,
                    stop);
      e = stop;
    }
  }

  static std::int64_t count(const RequestArgs::Positions& positions) {
    return positions.end - positions.first;
  }

  /// Entries [begin, end), of positions of a request from `position` on.
  void store_entries(int r, std::int64_t row, std::int32_t first, std::int32_t position,
                     std::int64_t begin, std::int64_t end) const {
    const ExpectedTokenArgs::Tokens tokens = args_.expected.tokens_of(r, row);
    const SlotFinder::SlotRow slots = args_.finder.row(r, row);
    std::int64_t predecessor = args_.finder.find_predecessor(slots, position, first);
    for (std::int64_t e = begin; e < end; ++e, ++position) {
      const std::int64_t slot = slot_or_invalid(args_.finder.find(slots, position));
      args_.entries[e] = {.slot = slot,
                          .position = position,
                          .predecessor = predecessor,
                          .expected_token = args_.expected.at(tokens, position),
                          .request_row = row};
      predecessor = slot;
    }
  }

  PlanArgs args_;
  std::int64_t entry_workers_;
};

}  // namespace kvcanary::detail
