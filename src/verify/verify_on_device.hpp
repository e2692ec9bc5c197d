#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/entry_tile.hpp"
#include "src/kv_work.hpp"
#include "src/seldom.hpp"
#include "src/team.hpp"
#include "src/verify/verify_args.hpp"
#include "src/verify/verify_entry.hpp"

/// \file
/// verify on a device.
///
/// A warp takes *strips* of entries, one fewer than it has lanes, a lane an entry; the first lane
/// has the entry before the strip. Entries of a plan mostly follow each other: each lane reads one
/// record, computes what the prev_hash of the next has to be, and hands that to the next lane. A
/// lane whose entry follows another reads the record that it follows. One that finds something
/// wrong, or unusual, leaves it to verify_entry.
namespace kvcanary::detail {

/// \tparam Args a VerifyArgs
/// \tparam kv_work at least what the endpoints ask for
template <class Member, KVWork kv_work, class Args, class Tuning>
class VerifyOnDevice {
  using Shape = typename Tuning::template Verify<kv_work>;
  static constexpr int warp_width = Tuning::warp_width, strip_size = warp_width - 1;
  using Warp = detail::Warp<warp_width>;
  using Tile = EntryTile<warp_width>;

 public:
  static constexpr int team_size = Shape::team_size, teams_at_once = Shape::teams_at_once;

 private:
  static constexpr int warps = team_size / warp_width;
  struct Scratch {
    Tile tiles[warps];
  };
  static_assert(sizeof(Scratch) <= Tuning::max_scratch_bytes);

 public:
  static constexpr std::size_t scratch_bytes = sizeof(Scratch);
  static constexpr std::int64_t entries_of_team = warps * strip_size;

  /// \param splits parts of the endpoints, each of which has teams of its own
  VerifyOnDevice(const Args& args, int splits) : args_(args), splits_(splits) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& scratch = in_scratch<Scratch>(team);
    const int split = team.league_rank() % splits_, index = team.league_rank() / splits_;
    const int num_teams = team.league_size() / splits_;
    const int warp = team.team_rank() / warp_width;
    // One look for all lanes: it rules their exchanges.
    const auto plan = Warp::from_lane(team, args_.plan(), 0);
    if (index == 0 && team.team_rank() == 0) report_plan(plan, split);
    const std::int64_t first = std::int64_t{warp * num_teams + index} * strip_size;
    const std::int64_t step = std::int64_t{warps * num_teams} * strip_size;
    verify_strips(team, scratch.tiles[warp], split, plan.num_entries, first, step);
  }

 private:
  KOKKOS_FUNCTION void report_plan(const typename Args::Plan& plan, int split) const {
    KVCANARY_SELDOM_LOOP
    for (int e = split; e < args_.endpoints.count; e += splits_) args_.report(plan, e);
  }

  /// The strips of `n` entries that begin at `begin`, and every `step` entries from there on.
  KOKKOS_FUNCTION void verify_strips(const Member& team, Tile& tile, int split, std::int64_t n,
                                     std::int64_t begin, std::int64_t step) const {
    const int lane = Warp::lane_in_warp(team);
    typename Tile::Words words = Tile::load(team, args_.entries, begin - 1, n);
    for (; begin < n; begin += step) {
      const VerifyEntry entry = tile.to_entry(team, words);
      words = Tile::load(team, args_.entries, begin - 1 + step, n);  // on its way meanwhile
      const std::int64_t i = begin - 1 + lane;
      const bool is_there = i >= 0 && i < n;
      const std::uint32_t wrong = find_wrong(team, split, entry, is_there, is_there && lane > 0);
      if (wrong != 0) report(split, i, wrong);
    }
  }

  /// A record, that of slot 0 when it is not there for sure, and the first KV bytes.
  struct Loaded {
    std::int64_t slot;
    bool is_there;
    Record record;
    FewKVBytes kv_bytes;
  };
  KOKKOS_FUNCTION static Loaded load(const EndpointArgs& endpoint, std::int64_t slot) {
    const bool is_there = endpoint.surely_holds_token(slot);
    if (!is_there) slot = 0;
    Loaded loaded{slot, is_there, endpoint.load(slot), {}};
    if constexpr (kv_work == KVWork::few) loaded.kv_bytes = endpoint.load_few(slot);
    return loaded;
  }

  /// The endpoints in which an entry is wrong: a bit for each.
  /// \param is_there or there is none \param is_verified or it is only another lane's predecessor
  KOKKOS_FUNCTION std::uint32_t find_wrong(const Member& team, int split, const VerifyEntry& entry,
                                           bool is_there, bool is_verified) const {
    std::uint32_t wrong = 0;
    for (int e = split; e < args_.endpoints.count; e += splits_) {
      const EndpointArgs& endpoint = args_.endpoints.items[e];
      const Loaded loaded = load(endpoint, is_there ? entry.slot : no_slot);
      const std::int64_t slot = loaded.is_there ? entry.slot : no_slot;
      const std::int64_t slot_before = Warp::from_lane_before(team, slot, 1);
      const std::uint64_t hash =
          Warp::from_lane_before(team, next_hash(loaded.record, endpoint.chain), 1);
      if (is_verified && !is_right(endpoint, entry, loaded, slot_before, hash)) wrong |= 1U << e;
    }
    return wrong;
  }
  static_assert(max_endpoints <= 32);

  /// Whether verify_entry would find nothing, for sure.
  /// \param slot_before that of the entry before, or no_slot \param hash what follows its record
  KOKKOS_FUNCTION static bool is_right(const EndpointArgs& endpoint, const VerifyEntry& entry,
                                       const Loaded& loaded, std::int64_t slot_before,
                                       std::uint64_t hash) {
    const Record& record = loaded.record;
    if (!loaded.is_there || record.position != entry.position) return false;
    if (entry.expected_token != -1 && record.token != entry.expected_token) return false;
    const KVHash kv = kv_hash_of(endpoint, loaded);
    if (!kv.in_range || static_cast<std::uint64_t>(record.kv_hash) != kv.value) return false;
    const auto prev_hash = static_cast<std::uint64_t>(record.prev_hash);
    if (entry.predecessor == no_slot) return prev_hash == chain_start();
    if (entry.predecessor == slot_before) return prev_hash == hash;
    if (entry.predecessor == unchecked_slot) return true;
    if (!endpoint.holds_token(entry.predecessor)) return false;
    return prev_hash == next_hash(endpoint.load(entry.predecessor), endpoint.chain);
  }

  KOKKOS_FUNCTION static KVHash kv_hash_of(const EndpointArgs& endpoint, const Loaded& loaded) {
    if constexpr (kv_work == KVWork::few) return endpoint.hash_few(loaded.slot, loaded.kv_bytes);
    return endpoint.template hash_kv<kv_work>(loaded.slot);
  }

  /// Reports an entry in the endpoints whose bits are set. It is loaded once more: what is seldom
  /// done shall not keep registers from the rest.
  KOKKOS_FUNCTION void report(int split, std::int64_t i, std::uint32_t wrong) const {
    const VerifyEntry entry = args_.entries[i];
    KVCANARY_SELDOM_LOOP
    for (int e = split; e < args_.endpoints.count; e += splits_) {
      if ((wrong >> e & 1) == 0) continue;
      verify_entry<kv_work>(args_.endpoints.items[e], entry, i, args_.sink);
    }
  }

  Args args_;
  int splits_;
};

}  // namespace kvcanary::detail
