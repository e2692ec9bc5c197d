#pragma once

#include <cstdint>
#include <kvcanary/violation_log.hpp>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// \file
/// The violations of a run, counted.
namespace kvcanary::tools {

/// A violation and the step that found it.
struct FoundViolation {
  std::int64_t step;
  Violation violation;
};

class ViolationTally {
 public:
  /// Keeps the first `keep` violations whole.
  explicit ViolationTally(std::int64_t keep = 0) : keep_(static_cast<std::size_t>(keep)) {}

  /// Adds what one step left in the log.
  void add(std::int64_t step, ViolationSnapshot snapshot);

  Count total() const { return total_; }
  /// Violations of steps that had more than the log holds.
  Count unclassified() const { return total_ - classified_; }
  /// By launch tag and fail bits.
  const std::map<std::pair<std::int64_t, std::int64_t>, Count>& by_tag_and_reason() const {
    return counts_;
  }
  /// The first ones, by step, entry and tag.
  const std::vector<FoundViolation>& first() const { return first_; }
  std::optional<std::int64_t> first_step() const { return first_step_; }
  /// All bits of the violations of the first bad step.
  std::int64_t first_fail_bits() const { return first_fail_bits_; }

 private:
  std::size_t keep_;
  Count total_ = 0, classified_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, Count> counts_;
  std::vector<FoundViolation> first_;
  std::optional<std::int64_t> first_step_;
  std::int64_t first_fail_bits_ = 0;
};

}  // namespace kvcanary::tools
