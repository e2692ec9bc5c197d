#pragma once

#include <kvcanary/canary_buffer.hpp>
#include <kvcanary/kv_source.hpp>
#include <kvcanary/violation.hpp>

/// \file
/// One canary buffer together with what it guards.
namespace kvcanary {

/// Every operation takes up to this many endpoints in one launch, one for each launch tag.
inline constexpr int max_endpoints = num_launch_tags;

/// write and verify_requests take up to this many pools in one launch: a full and a sliding-window
/// one. The limit on endpoints is on those of all of them together.
inline constexpr int max_jobs = 2;

/// A canary buffer, the launch tag under which it reports and counts, and the KV bytes that it
/// hashes.
struct Endpoint {
  LaunchTag tag = LaunchTag::head_k_full;
  CanaryBuffer buffer;
  KVSourceList sources = {};  ///< from KVSources::list(); empty: KV hash 0
  KVHashMode kv_hash_mode = KVHashMode::none;
};

}  // namespace kvcanary
