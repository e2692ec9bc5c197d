#include "tools/violation_tally.hpp"

#include <algorithm>
#include <tuple>

namespace kvcanary::tools {

void ViolationTally::add(std::int64_t step, ViolationSnapshot snapshot) {
  if (snapshot.total == 0) return;
  // Kernels append in no particular order; a report should not depend on it.
  std::sort(snapshot.rows.begin(), snapshot.rows.end(), [](const Violation& a, const Violation& b) {
    return std::tie(a.entry, a.expected_position, a.launch_tag, a) <
           std::tie(b.entry, b.expected_position, b.launch_tag, b);
  });
  const bool first = !first_step_;
  if (first) first_step_ = step;
  total_ += snapshot.total;
  classified_ += snapshot.rows.size();
  for (const Violation& row : snapshot.rows) {
    ++counts_[{row.launch_tag, row.fail_bits}];
    if (first) first_fail_bits_ |= row.fail_bits;
    if (first_.size() < keep_) first_.push_back({step, row});
  }
}

}  // namespace kvcanary::tools
