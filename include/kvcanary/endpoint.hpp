#pragma once

#include <kvcanary/canary_buffer.hpp>
#include <kvcanary/kv_source.hpp>
#include <kvcanary/launch_tag.hpp>

/// \file
/// One canary buffer together with what it guards.
namespace kvcanary {

/// Every operation takes up to this many endpoints in one launch, those of all its jobs together.
/// Each is of a pool, so a launch has up to this many pools as well.
inline constexpr int max_endpoints = 12;

/// A canary buffer, the launch tag under which it reports and counts, and the KV bytes that it
/// hashes. No two of a call have the same tag or the same buffer.
struct Endpoint {
  LaunchTag tag = LaunchTag::head_k_full;
  CanaryBuffer buffer;
  KVSourceList sources = {};                   ///< from KVSources::list()
  KVHashMode kv_hash_mode = KVHashMode::none;  ///< another one takes sources
};

}  // namespace kvcanary
