#pragma once

#include <cstdint>

#include "src/kv_work.hpp"

/// \file
/// What was chosen for AMD's Instinct GPUs (CDNA3), from the compiler's resource report for gfx942:
/// no scratch memory, no spills, and local memory of 64 KiB a compute unit. Not measured. Plain
/// numbers, which the tests' emulated teams take as well.
namespace kvcanary::tuning {

struct Hip {
  static constexpr int warp_width = 64;  ///< a wavefront
  static constexpr int threads_per_multiprocessor = 2048;
  static constexpr std::size_t max_scratch_bytes = 64 << 10;  ///< of a team: all there is

  /// The second launch bound counts wavefronts on each of the four SIMDs of a compute unit there.
  static constexpr int min_launch_bound(int team_size, int teams) {
    const int wavefronts = teams * team_size / warp_width;
    return wavefronts < 4 ? 1 : wavefronts / 4;
  }

  struct Plan {
    static constexpr int team_size = 256;  ///< as for Cuda
    static constexpr int teams_at_once = 4;
  };

  template <KVWork kv_work>
  struct Verify {
    static constexpr int team_size = 256;
    static constexpr int teams_at_once = kv_work == KVWork::none ? 4 : 3;
  };

  struct WriteByThread {
    static constexpr std::int64_t max_entries = 8;  ///< as for Cuda
  };

  struct WriteByLane {
    static constexpr int team_size = 256;
    static constexpr int requests_at_once = 4;
  };

  template <bool hashes_kv>
  struct WriteByTeam {
    static constexpr int team_size = 256;  ///< a wavefront for chains, and three for all else
    /// Two wavefronts a SIMD, each of which may have half of the registers.
    static constexpr int teams_at_once = 2;
    /// Scratch for two teams with four endpoints in 64 KiB.
    static constexpr int tile_size = 128;
    static constexpr int max_endpoints_without_kv = 8;  ///< as for Cuda
  };

  template <bool hashes_kv>
  struct WriteByScan {
    static constexpr int team_size = 256;
    static constexpr int teams_at_once = 3;  ///< as for Cuda
    /// Cost of a run that is worth what a warp has to do for any: a few strips.
    static constexpr std::int64_t min_run = 128;
    /// Entries in whose time a warp comes from a request to the next.
    static constexpr std::int64_t request_cost = 32;
  };

  template <KVWork kv_work>
  struct VerifyRequests {
    static constexpr int team_size = kv_work <= KVWork::few ? 256 : 128;
    /// Three wavefronts a SIMD, and two where hashing KV bytes takes many registers: with one more,
    /// registers spill.
    static constexpr int teams_at_once = kv_work <= KVWork::few ? 3 : 4;
    static constexpr int records_at_once = kv_work == KVWork::none ? 2 : 1;
    static constexpr std::int32_t grain = kv_work == KVWork::many ? 4 : warp_width - 1;
    /// Grains that a group takes of one request at the most, see work_split.hpp.
    static constexpr std::int32_t max_grains = 64;
  };
};

}  // namespace kvcanary::tuning
