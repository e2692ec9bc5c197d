#pragma once

#include <vector>

#include "perf/verify/verify_case.hpp"

/// \file
/// Which cases of verify and plan are measured.
namespace kvcanary::perf {

/// Every number of requests with every prefix (hash off, one endpoint of the full pool, pages of 16
/// tokens), and one very long request among short ones.
std::vector<VerifyCase> plan_matrix();

/// The same, and then four shapes in which one thing at a time is changed: page size, endpoints,
/// pools, expected tokens, KV layout and hash mode; wide tables, lists, and the other chain.
std::vector<VerifyCase> verify_matrix();

}  // namespace kvcanary::perf
