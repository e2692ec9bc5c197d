#pragma once

/// \file
namespace kvcanary::perf {

/// Whether a case of this run has failed, which its exit code says.
inline bool any_failed = false;

}  // namespace kvcanary::perf
