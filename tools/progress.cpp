#include "tools/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kvcanary::tools {

ProgressBar::ProgressBar(std::int64_t total)
    : total_(std::max<std::int64_t>(total, 1)), enabled_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::update(std::int64_t done, const std::string& note) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr std::int64_t width = 30;
  const auto filled = static_cast<std::size_t>(width * std::min(done, total_) / total_);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r[{}{}] {}/{} {:.0f} s {}\033[K", std::string(filled, '#'),
             std::string(width - filled, '.'), done, total_, seconds, note);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace kvcanary::tools
