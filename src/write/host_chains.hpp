#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "backends/host/tuning.hpp"
#include "src/host_tile.hpp"
#include "src/write/write_args.hpp"

/// \file
/// The chains of a few requests on a host core. A chain is bound by the latency of its
/// multiplications, which leaves most of a core idle; so the chains of several requests are
/// advanced side by side. What else an entry needs is done between two steps of its chain, and
/// hides behind them.
namespace kvcanary::detail {

template <Chain chain, class Args>
class HostChains {
  using Job = typename Args::Job;

 public:
  HostChains(const Args& args, const Job& job, const EntryBounds& bounds)
      : args_(args),
        job_(job),
        bounds_(bounds),
        endpoints_(args.endpoints.items + job.first_endpoint),
        endpoints_end_(endpoints_ + job.num_endpoints) {}

  /// Writes `requests`, of which the first is request `first` of the job. Returns the number of
  /// entries that are not skipped.
  Count write(std::int64_t first, std::span<const PlannedRequest> requests) {
    const std::int64_t last = first + std::ssize(requests);
    first_ = first;
    requests_ = requests.data();
    for (const PlannedRequest& request : requests) prefetch(request.seed_slot);
    Track tracks[width];
    Track* active[width];
    int count = 0;
    for (int t = 0; t < width; ++t) {
      // Neighbouring requests: the core goes on reading where the one before ended.
      tracks[t].next_request = first + (last - first) * t / width;
      tracks[t].last_request = first + (last - first) * (t + 1) / width;
      if (refill(tracks[t])) active[count++] = &tracks[t];
    }
    while (count > 0) {
      advance_tile(active, count);
      for (int t = count - 1; t >= 0; --t) {
        if (active[t]->left() == 0 && !refill(*active[t])) active[t] = active[--count];
      }
    }
    return entries_;
  }

 private:
  using Tuning = tuning::Host::Write;
  static constexpr int width = Tuning::chains, tile_size = Tuning::tile_size;
  static constexpr int distance = Tuning::prefetch_distance;

  /// A request whose chain is on its way, and a tile of its entries.
  struct Track {
    std::int64_t next_request, last_request;  ///< those that come after this one
    WriteRequest request;
    std::int64_t next;                 ///< the entry that comes next
    ChainState state;                  ///< in all endpoints
    std::uint64_t num_storable_slots;  ///< slots, from 0, that all endpoints store
    std::uint64_t num_plain_slots;     ///< those that are stored without a look in this tile
    std::int64_t token[tile_size], position[tile_size], slot[tile_size + distance];
    std::uint64_t term[tile_size];  ///< of a polynomial chain

    std::int64_t left() const { return request.end - next; }
  };

  /// Puts the next request that is worth it on a track; those before it are done at once. Says
  /// whether there was one.
  bool refill(Track& track) {
    while (track.next_request < track.last_request) {
      const std::int64_t r = track.next_request++;
      const PlannedRequest& plan = requests_[r - first_];
      const WriteRequest request = clamp_request(plan, bounds_);
      if (request.end - request.begin > Tuning::max_entries_alone) {
        if (begin(track, r, plan, request)) return true;
      } else {
        Count entries = 0;
        for (const EndpointArgs* to = endpoints_; to != endpoints_end_; ++to) {
          entries = write_alone(*to, request, start(*to, r, plan, request));
        }
        entries_ += entries;
      }
    }
    return false;
  }

  ChainState start(const EndpointArgs& to, std::int64_t r, const PlannedRequest& plan,
                   const WriteRequest& request) const {
    args_.check_request(to, plan.end, plan.seed_slot, request, r);
    return Args::start(to, chain, plan.seed_slot, Args::load_seed(to, plan.seed_slot),
                       job_.checks_positions());
  }

  /// Puts a request on a track, unless its seeds differ between endpoints, as after damage: it has
  /// several chains then, and is done at once.
  bool begin(Track& track, std::int64_t r, const PlannedRequest& plan,
             const WriteRequest& request) {
    ChainState starts[max_endpoints] = {};
    bool agree = true;
    std::int64_t num_slots = std::numeric_limits<std::int64_t>::max();
    for (int e = 0; e < job_.num_endpoints; ++e) {
      starts[e] = start(endpoints_[e], r, plan, request);
      agree = agree && starts[e].hash == starts[0].hash &&
              starts[e].position == starts[0].position &&
              starts[e].checks_position == starts[0].checks_position;
      num_slots = std::min({num_slots, endpoints_[e].num_slots, endpoints_[e].kv_slots});
    }
    track.request = request;
    track.next = request.begin;
    track.state = starts[0];
    track.num_storable_slots = static_cast<std::uint64_t>(num_slots);
    if (agree) return true;
    Count entries = 0;
    for (int e = 0; e < job_.num_endpoints; ++e) {
      entries = write_alone(endpoints_[e], request, starts[e]);
    }
    entries_ += entries;
    return false;
  }

  /// One request to one endpoint. Returns the number of entries that are not skipped.
  Count write_alone(const EndpointArgs& to, const WriteRequest& request, ChainState state) const {
    Count entries = 0;
    for (std::int64_t i = request.begin; i < request.end; ++i) {
      to.prefetch(job_.slots[std::min(i + distance, job_.tokens_given - 1)]);
      const WriteEntry entry = job_.entry(i);
      if (entry.slot < 0) continue;
      if (Args::is_plain(job_, to, state, entry) ||
          args_.check(job_, to, request, state, i, entry)) {
        store(to, entry, state.hash);
      }
      state.hash = chain_step(chain, state.hash, entry.token, entry.position);
      state.position = entry.position;
      ++entries;
    }
    return entries;
  }

  /// Advances all tracks by as many entries as each of them has, up to a tile.
  void advance_tile(Track* const* tracks, int active) {
    std::int64_t count = tile_size;
    for (int t = 0; t < active; ++t) count = std::min(count, tracks[t]->left());
    for (int t = 0; t < active; ++t) read_tile(*tracks[t], count);
    static_assert(width == 4);
    switch (active) {
      case 4:
        return advance(tracks, count, std::make_integer_sequence<int, 4>());
      case 3:
        return advance(tracks, count, std::make_integer_sequence<int, 3>());
      case 2:
        return advance(tracks, count, std::make_integer_sequence<int, 2>());
      default:
        return advance(tracks, count, std::make_integer_sequence<int, 1>());
    }
  }

  /// Reads a tile of the batch, and starts to fetch the next one.
  void read_tile(Track& track, std::int64_t count) const {
    const std::int64_t slots = std::min(count + distance, job_.tokens_given - track.next);
    job_.tokens.copy(track.next, count, track.token);
    job_.positions.copy(track.next, count, track.position);
    job_.slots.copy(track.next, slots, track.slot);
    std::fill(track.slot + slots, track.slot + count + distance, 0);
    if constexpr (chain == Chain::polynomial) {
      polynomial_terms(track.token, track.position, static_cast<int>(count), track.term);
    }
    job_.tokens.prefetch(track.next + count, tile_size);
    job_.positions.prefetch(track.next + count, tile_size);
    job_.slots.prefetch(track.next + count + distance, tile_size);
    const bool plain = !job_.has_expectations() && positions_follow(track, count);
    track.num_plain_slots = plain ? track.num_storable_slots : 0;
  }

  /// Whether the position check finds nothing in a tile, for sure.
  static bool positions_follow(const Track& track, std::int64_t count) {
    if (track.state.checks_position == 0) return true;
    const auto first = static_cast<std::uint64_t>(track.state.position) + 1;
    bool follow = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto position = static_cast<std::uint64_t>(track.position[i]);
      follow &= position == first + static_cast<std::uint64_t>(i) && track.slot[i] >= 0;
    }
    return follow;
  }

  /// The next entry of each track, then the one after it of each, ...
  template <int... T>
  void advance(Track* const* tracks, std::int64_t count, std::integer_sequence<int, T...>) {
    std::uint64_t hash[] = {tracks[T]->state.hash...};
    const EndpointArgs *const first = endpoints_, *const end = endpoints_end_;
    Count skipped = 0;
    const auto step = [&](auto t, std::int64_t i) {
      Track& track = *tracks[t];
      const WriteEntry entry{track.token[i], track.position[i], track.slot[i]};
      if (entry.slot < 0) [[unlikely]] {
        ++skipped;
        return;
      }
      const bool plain = static_cast<std::uint64_t>(entry.slot) < track.num_plain_slots;
      for (const EndpointArgs* to = first; to != end; ++to) {
        to->prefetch(track.slot[i + distance]);
        if (plain || check(track, *to, i, entry, hash[t])) store(*to, entry, hash[t]);
      }
      hash[t] = next(track, i, entry, hash[t]);
    };
    // The tracks are unrolled, which keeps their hashes in registers.
    for (std::int64_t i = 0; i < count; ++i) (step(std::integral_constant<int, T>(), i), ...);
    (finish_tile(*tracks[T], hash[T], count), ...);
    entries_ += sizeof...(T) * static_cast<Count>(count) - skipped;
  }

  /// The hash after entry `i` of a track's tile.
  static std::uint64_t next(const Track& track, std::int64_t i, const WriteEntry& entry,
                            std::uint64_t hash) {
    if constexpr (chain == Chain::polynomial) {
      return polynomial_multiplier * hash + track.term[i];
    } else {
      return chain_step(chain, hash, entry.token, entry.position);
    }
  }

  static void finish_tile(Track& track, std::uint64_t hash, std::int64_t count) {
    track.state = before(track, count, hash);
    track.next += count;
  }

  /// Where a track's chain stands before entry `i` of its tile, whose hash is known.
  static ChainState before(const Track& track, std::int64_t i, std::uint64_t hash) {
    while (i > 0 && track.slot[i - 1] < 0) --i;
    return {hash, i > 0 ? track.position[i - 1] : track.state.position,
            track.state.checks_position};
  }

  /// Not inline: it would take registers from those who do without it.
  [[gnu::noinline]] bool check(const Track& track, const EndpointArgs& to, std::int64_t i,
                               const WriteEntry& entry, std::uint64_t hash) const {
    return args_.check(job_, to, track.request, before(track, i, hash), track.next + i, entry);
  }

  /// All of a record that is not stored by those who hash KV bytes.
  static void store(const EndpointArgs& to, const WriteEntry& entry, std::uint64_t hash) {
    to.store_identity(entry.slot, entry.token, entry.position, static_cast<std::int64_t>(hash));
    if (to.num_sources == 0) to.store_kv_hash(entry.slot, 0);
  }

  void prefetch(std::int64_t slot) const {
    for (const EndpointArgs* to = endpoints_; to != endpoints_end_; ++to) to->prefetch(slot);
  }

  const Args& args_;
  const Job& job_;
  const EntryBounds bounds_;
  const EndpointArgs *const endpoints_, *const endpoints_end_;
  const PlannedRequest* requests_ = nullptr;  ///< those that are written
  std::int64_t first_ = 0;                    ///< index of the first of them
  Count entries_ = 0;
};

}  // namespace kvcanary::detail
