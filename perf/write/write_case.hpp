#pragma once

#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <string>

#include "perf/inputs/kv_layout.hpp"

/// \file
/// One case of the benchmarks of write: what is written, and how many bytes that moves and holds.
namespace kvcanary::perf {

/// Tokens a page, of the canary's pool and of the KV bytes.
inline constexpr std::int64_t page_size = 16;

/// Which pools a launch writes to.
enum class Pools : std::uint8_t { full, full_and_swa };

struct WriteCase {
  std::int64_t requests = 1;
  std::int64_t entries = 1;    ///< of each request; 1 is a decode step
  std::int64_t prefix = 4096;  ///< tokens of each request that are there already
  std::int64_t endpoints = 1;  ///< of each pool
  KVLayout kv = {};            ///< of each endpoint
  KVHashMode mode = KVHashMode::none;
  Pools pools = Pools::full;
  bool check = false;  ///< of positions: they must follow one another, and the seed
  Chain chain = Chain::splitmix;

  bool is_decode() const { return entries == 1; }
  std::int64_t num_pools() const { return pools == Pools::full ? 1 : 2; }
  std::int64_t pool_entries() const { return requests * entries; }

  // Pages of one pool. Those of extends come first: nothing reads the KV bytes of prefixes, so a KV
  // source can end after the extends.
  std::int64_t pages_per_extend() const;
  std::int64_t extend_pages(std::int64_t num_sets) const;  ///< of all requests and input sets
  std::int64_t prefix_pages() const;                       ///< of all requests
  std::int64_t pool_slots(std::int64_t num_sets) const;    ///< with the padding page
};

/// "32x4096/prefix:4096/endpoints:1/kv:2x16of32/all/full", with "/check" where positions are
/// checked, and "/polynomial" where chains are that.
std::string describe(const WriteCase& write_case);

/// Bytes that a launch has to read and write, whichever way it does that: a record of 32 bytes for
/// each entry and endpoint, the entries themselves (tokens, positions and slots of 8 bytes), the
/// plan, the seeds, and the KV bytes that are hashed.
std::int64_t bytes_moved(const WriteCase& write_case);

/// Bytes that the case holds in memory with `num_sets` sets of inputs.
std::int64_t bytes_held(const WriteCase& write_case, std::int64_t num_sets);

}  // namespace kvcanary::perf
