#pragma once

#include <algorithm>
#include <cstdint>

#include "src/write/write_args.hpp"

/// \file
/// The requests of a job, as a host core walks along them.
namespace kvcanary::detail {

template <class Job>
class HostRequests;

/// Those of a plan.
template <>
class HostRequests<WriteJobArgs<PlannedRequests>> {
  using Job = WriteJobArgs<PlannedRequests>;

 public:
  explicit HostRequests(const Job& job)
      : job_(job), totals_(job.requests.totals()), count_(job.requests.num_requests(totals_)) {}

  /// Requests that count.
  std::int64_t count() const { return count_; }
  WritePlanState totals() const { return totals_; }
  /// Entries of all of them.
  EntryBounds bounds() const { return job_.bounds(count_); }
  EntryBounds entries() const { return bounds(); }

  /// Goes on with request `r`.
  void go_to(std::int64_t r) { next_ = r; }
  PlannedRequest next() { return job_.requests.request(next_++); }

 private:
  const Job& job_;
  WritePlanState totals_;
  std::int64_t count_, next_ = 0;
};

/// Those of a batch, whose entries begin where those of the request before end.
template <>
class HostRequests<WriteJobArgs<BatchRequests>> {
  using Job = WriteJobArgs<BatchRequests>;

 public:
  explicit HostRequests(const Job& job)
      : job_(job), batch_(job.requests.batch), wanted_(batch_.wanted()) {}

  std::int64_t count() const { return batch_.num_counted(wanted_); }
  BatchRequests::Totals totals() const {
    ExtendSums sums;
    for (int r = 0; r < count(); ++r) sums.add(batch_.request(r));
    return {count(), wanted_ != count(), sums};
  }
  EntryBounds bounds() const { return job_.bounds(); }
  EntryBounds entries() const { return {0, std::min(job_.tokens_given, totals().sums.tokens)}; }

  void go_to(std::int64_t r) {
    next_ = static_cast<int>(r);
    begin_ = 0;
    for (int q = 0; q < next_; ++q) begin_ += batch_.request(q).extend;
  }
  PlannedRequest next() {
    const auto found = BatchRequests::request(batch_.request(next_), begin_);
    begin_ = found.end;
    return {found.begin, found.end, job_.requests.seed_slot(found, next_++), found.row};
  }

 private:
  const Job& job_;
  const RequestArgs& batch_;
  std::int64_t wanted_, begin_ = 0;
  int next_ = 0;
};

}  // namespace kvcanary::detail
