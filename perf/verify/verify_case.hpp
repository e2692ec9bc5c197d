#pragma once

#include <algorithm>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <string>

#include "perf/inputs/kv_layout.hpp"

/// \file
/// One case of the benchmarks of verify and plan: what is read, and how many bytes that moves and
/// holds.
namespace kvcanary::perf {

/// Which pools a launch checks: one of full attention, one of a sliding window, or both.
enum class Checked : std::uint8_t { full, swa, full_and_swa };

/// Tokens of a sliding window.
inline constexpr std::int64_t swa_window = 1024;

/// One pool of a case.
struct CheckedPool {
  bool is_swa = false;
  int first_tag = 0;        ///< of its endpoints: theirs are this one and those that follow
  std::int64_t window = 0;  ///< as in RequestBatch
};

struct VerifyCase {
  std::int64_t requests = 1;
  std::int64_t prefix = 1;        ///< tokens of each request that are read
  std::int64_t first_prefix = 0;  ///< those of the first request, where they are others
  std::int64_t page = 16;         ///< tokens a page, a power of two
  int endpoints = 1;              ///< of each pool
  KVLayout kv = {};               ///< of each endpoint
  KVHashMode mode = KVHashMode::none;
  Checked checked = Checked::full;
  bool expected = false;  ///< with expected tokens
  Chain chain = Chain::splitmix;
  std::int64_t room = 0;  ///< tokens that a row of the table has room for, if more than the longest
  std::int64_t added = 0;        ///< the last ones of each prefix, which a step adds (perf/step)
  std::int64_t first_added = 0;  ///< those of the first request, where they are others
  bool lists = false;            ///< pages lie in lists, and not in a table

  static constexpr int max_pools = 2;
  int num_pools() const { return checked == Checked::full_and_swa ? 2 : 1; }
  CheckedPool pool(int i) const;

  std::int64_t prefix_of(std::int64_t request) const {
    return request == 0 && first_prefix > 0 ? first_prefix : prefix;
  }
  std::int64_t added_of(std::int64_t request) const {
    return request == 0 && first_added > 0 ? first_added : added;
  }
  std::int64_t longest() const { return std::max(prefix_of(0), prefix); }
  std::int64_t columns() const { return (std::max(longest(), room) + page - 1) / page; }

  /// Positions of a request that are checked in a pool: the last of its prefix.
  static std::int64_t checked_of(std::int64_t prefix, const CheckedPool& pool) {
    return pool.window > 0 ? std::min(prefix, pool.window) : prefix;
  }
  std::int64_t positions() const;                         ///< of all prefixes
  std::int64_t positions(const CheckedPool& pool) const;  ///< of those that are checked in it
  std::int64_t pages() const;                             ///< of one set of inputs, at the most
  std::int64_t pool_slots(std::int64_t num_sets) const;   ///< with the padding page
};

/// "256x4096/page:16/endpoints:1/kv:none/off/full", with "ragged" where requests have unlike
/// prefixes, "/expected" where tokens are expected, "/room:131072" where the table is wider,
/// "/lists" where there are lists and "/polynomial" where chains are that.
std::string describe(const VerifyCase& of);

/// Bytes that verify has to read, counted alike for whatever does it: 36 for each position (4 of
/// the table, 32 of the record), the record again for each further endpoint, 8 where the slot is
/// translated, 4 of an expected token, and the KV bytes that are hashed. Neighbours share a table
/// entry where pages hold more than one token, which this does not count.
std::int64_t bytes_moved(const VerifyCase& of);

/// Records that a launch checks.
std::int64_t slots_checked(const VerifyCase& of);

/// Bytes that the case holds in memory with `num_sets` sets of inputs, about.
std::int64_t bytes_held(const VerifyCase& of, std::int64_t num_sets);

}  // namespace kvcanary::perf
