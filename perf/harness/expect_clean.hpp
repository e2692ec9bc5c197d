#pragma once

#include <kvcanary/kvcanary.hpp>
#include <stdexcept>
#include <string>

/// \file
namespace kvcanary::perf {

/// A benchmark of inputs that are reported measures the reporting. \throws std::runtime_error
template <class Space>
void expect_clean(const ViolationLog<typename Space::memory_space>& log) {
  const ViolationSnapshot found = log.fetch(Space());
  if (found.total == 0) return;
  throw std::runtime_error(std::to_string(found.total) + " violations, the first: " +
                           (found.rows.empty() ? "?" : to_line(found.rows.front())));
}

}  // namespace kvcanary::perf
