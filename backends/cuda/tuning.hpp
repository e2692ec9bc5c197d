#pragma once

#include <cstdint>

#include "src/kv_work.hpp"

/// \file
/// What was tuned for NVIDIA GPUs. Measured on an H200 (perf/results). Plain numbers, which the
/// tests' emulated teams take as well.
namespace kvcanary::tuning {

struct Cuda {
  static constexpr int warp_width = 32;
  static constexpr int threads_per_multiprocessor = 2048;
  static constexpr std::size_t max_scratch_bytes = 96 << 10;  ///< of a team

  /// The second launch bound for `teams` of `team_size` on a multiprocessor: their number.
  static constexpr int min_launch_bound(int /*team_size*/, int teams) { return teams; }

  struct Plan {
    /// Each team sums up all requests: more lanes have fewer each, but wait longer for each other.
    static constexpr int team_size = 256;
    /// As many as registers suffice for: what a warp waits for is one table entry after the other.
    static constexpr int teams_at_once = 5;
  };

  /// As for VerifyRequests, but KV bytes are hashed a lane a slot, however many.
  template <KVWork kv_work>
  struct Verify {
    static constexpr int team_size = 128;
    static constexpr int teams_at_once = kv_work == KVWork::none ? 8 : 4;
  };

  /// write with a thread for each request and endpoint.
  struct WriteByThread {
    /// Up to so many entries a request, its chain takes no longer than setting up a team.
    static constexpr std::int64_t max_entries = 8;
  };

  /// write_requests with a lane for each request and endpoint.
  struct WriteByLane {
    /// A batch of fewer requests is summed up by looking at each of them once.
    static constexpr int team_size = 256;
    /// Requests before its own that a lane looks at together: nothing else is on its way by then.
    static constexpr int requests_at_once = 4;
  };

  /// write with a team for each request: a warp for chains, and three for all else.
  template <bool hashes_kv>
  struct WriteByTeam {
    static constexpr int team_size = 128;
    /// A kernel that hashes no KV bytes needs half as many registers.
    static constexpr int teams_at_once = hashes_kv ? 4 : 8;
    /// Entries that go through the chain at a time: enough to hide what happens between tiles.
    static constexpr int tile_size = 128;
    /// The scratch memory of more endpoints leaves room for no more teams than hashing does.
    static constexpr int max_endpoints_without_kv = 8;
  };

  /// write by a scan: a warp for a run of consecutive entries.
  template <bool hashes_kv>
  struct WriteByScan {
    static constexpr int team_size = 256;
    static constexpr int teams_at_once = 3;  ///< 80 registers
    /// Cost of a run that is worth what a warp has to do for any: a few strips.
    static constexpr std::int64_t min_run = 128;
    /// Entries in whose time a warp comes from a request to the next.
    static constexpr std::int64_t request_cost = 32;
  };

  /// Registers are what bounds how much is on its way from memory at a time: fewer teams, and fewer
  /// strips, where hashing KV bytes takes many.
  template <KVWork kv_work>
  struct VerifyRequests {
    static constexpr int team_size = kv_work <= KVWork::few ? 256 : 128;
    static constexpr int teams_at_once = kv_work == KVWork::few ? 3 : 4;
    /// Records of a lane that are on their way together.
    static constexpr int records_at_once = kv_work == KVWork::none ? 2 : 1;
    /// Positions that keep a group busy: a strip, or a few whose many KV bytes a team spreads.
    static constexpr std::int32_t grain = kv_work == KVWork::many ? 4 : warp_width - 1;
    /// Grains that a group takes of one request at the most, see work_split.hpp.
    static constexpr std::int32_t max_grains = 64;
  };
};

}  // namespace kvcanary::tuning
