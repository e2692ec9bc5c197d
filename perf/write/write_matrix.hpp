#pragma once

#include <vector>

#include "perf/write/write_case.hpp"

/// \file
/// Which cases of write are measured.
namespace kvcanary::perf {

/// The core, every number of requests with every number of entries (hash off, one endpoint of the
/// full pool, prefix 4096), and then five shapes in which one thing at a time is changed: KV layout
/// and hash mode, prefix, number of endpoints, pools; and, of a decode and of a long extend, the
/// check of positions. The full cross product would be thousands of
/// cases that say little more.
std::vector<WriteCase> write_matrix();

}  // namespace kvcanary::perf
