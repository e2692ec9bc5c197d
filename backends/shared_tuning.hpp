#pragma once

#include <cstdint>

/// \file
/// What is tuned the same for all backends.
namespace kvcanary::tuning {

struct Shared {
  /// KV bytes of a slot, in all sources, up to which they are few (KVWork): a kernel that loads
  /// them along with everything else then needs fewer registers than one that reads ahead.
  static constexpr std::int64_t few_kv_bytes = 64;
  /// Pairs of words of KV bytes on their way while as many are hashed: two cache lines.
  static constexpr std::int64_t kv_pairs_at_once = 8;

  /// Kernels are compiled with room for one, few or any number of endpoints and jobs in their
  /// arguments: one of few microseconds waits noticeably for a kilobyte of them.
  static constexpr int few_endpoints = 4;
  static constexpr int few_jobs = 2;

  /// Tokens that a request adds, up to which each has a lane for itself at the end of a step.
  static constexpr std::int64_t few_added = 8;
};

}  // namespace kvcanary::tuning
