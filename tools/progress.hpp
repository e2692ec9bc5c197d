#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// \file
/// A progress bar on standard error, when that is a terminal.
namespace kvcanary::tools {

class ProgressBar {
 public:
  /// Shows nothing unless standard error is a terminal.
  explicit ProgressBar(std::int64_t total);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Redraws at most ten times a second. `note` follows the bar.
  void update(std::int64_t done, const std::string& note);
  /// Wipes the bar, so that a report starts on an empty line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t total_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace kvcanary::tools
