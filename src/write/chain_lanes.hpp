#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "src/write/write_args.hpp"

/// \file
/// The chains of a few requests on a host core. A chain is bound by the latency of its
/// multiplications, which leaves most of a core idle; so the chains of several requests are
/// advanced side by side, each in its *lane*. What else an entry needs is done between two steps of
/// its chain, and hides behind them.
namespace kvcanary::detail {

template <class Chain>
class ChainLanes {
 public:
  static constexpr int width = 4;  ///< lanes; more would not fit into the registers

  ChainLanes(const WriteArgs& args, const WriteJobArgs& job, const WriteJobArgs::Bounds& bounds)
      : args_(args),
        job_(job),
        bounds_(bounds),
        endpoints_(args.endpoints.items + job.first_endpoint),
        endpoints_end_(endpoints_ + job.num_endpoints) {}

  /// Writes requests [first, last). Returns the number of entries that are not skipped.
  Count write(std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) prefetch(job_.seed_slots[r]);
    Lane lanes[width];
    Lane* active[width];
    int count = 0;
    for (int l = 0; l < width; ++l) {
      // Neighbouring requests: the core goes on reading where the one before ended.
      lanes[l].next_request = first + (last - first) * l / width;
      lanes[l].last_request = first + (last - first) * (l + 1) / width;
      if (refill(lanes[l])) active[count++] = &lanes[l];
    }
    while (count > 0) {
      advance_tile(active, count);
      for (int l = count - 1; l >= 0; --l) {
        if (active[l]->rest() == 0 && !refill(*active[l])) active[l] = active[--count];
      }
    }
    return entries_;
  }

 private:
  static constexpr int few_entries = 4;  ///< for which a lane is not worth it
  static constexpr int tile_size = 64;   ///< entries a lane at a time: all lanes stay in L1
  static constexpr int ahead = 16;       ///< entries from the fetch of a record to its store

  /// A request on its way, and a tile of its entries.
  struct Lane {
    std::int64_t next_request, last_request;  ///< those that come after this one
    WriteRequest request;
    std::int64_t next;  ///< the entry that comes next
    std::uint64_t hash;
    std::uint64_t num_plain_slots;  ///< slots, from 0, that are stored without a look
    WriteStart start[max_endpoints];
    std::int64_t token[tile_size], position[tile_size], slot[tile_size + ahead];

    std::int64_t rest() const { return request.end - next; }
  };

  /// Puts the next request that is worth it into a lane; those before it are done at once. Says
  /// whether there was one.
  bool refill(Lane& lane) {
    while (lane.next_request < lane.last_request) {
      const std::int64_t r = lane.next_request++;
      const WritePlanRow plan = job_.plan_row(r);
      const WriteRequest request = job_.request(plan, bounds_);
      if (request.end - request.begin > few_entries) {
        if (begin(lane, r, plan, request)) return true;
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

  WriteStart start(const EndpointArgs& to, std::int64_t r, const WritePlanRow& plan,
                   const WriteRequest& request) const {
    return args_.template start<Chain>(job_, to, plan, request, r, WriteArgs::load_seed(to, plan));
  }

  /// Puts a request into a lane, unless its seeds differ between endpoints, as after damage: it has
  /// several chains then, and is done at once.
  bool begin(Lane& lane, std::int64_t r, const WritePlanRow& plan, const WriteRequest& request) {
    bool plain = !job_.has_expectations(), agree = true;
    std::int64_t num_slots = std::numeric_limits<std::int64_t>::max();
    for (int e = 0; e < job_.num_endpoints; ++e) {
      lane.start[e] = start(endpoints_[e], r, plan, request);
      plain = plain && !lane.start[e].check_position;
      agree = agree && lane.start[e].hash == lane.start[0].hash;
      num_slots = std::min({num_slots, endpoints_[e].num_slots, endpoints_[e].kv_slots});
    }
    lane.request = request;
    lane.next = request.begin;
    lane.hash = lane.start[0].hash;
    lane.num_plain_slots = plain ? static_cast<std::uint64_t>(num_slots) : 0;
    if (agree) return true;
    Count entries = 0;
    for (int e = 0; e < job_.num_endpoints; ++e) {
      entries = write_alone(endpoints_[e], request, lane.start[e]);
    }
    entries_ += entries;
    return false;
  }

  /// One request to one endpoint. Returns the number of entries that are not skipped.
  Count write_alone(const EndpointArgs& to, const WriteRequest& request,
                    const WriteStart& start) const {
    std::uint64_t hash = start.hash;
    Count entries = 0;
    for (std::int64_t i = request.begin; i < request.end; ++i) {
      to.prefetch(job_.slots[std::min(i + ahead, job_.num_tokens - 1)]);
      const WriteEntry entry = job_.entry(i);
      if (entry.slot < 0) continue;
      if (WriteArgs::is_plain(job_, to, start, entry.slot) ||
          args_.check(job_, to, request, start, i, entry, hash)) {
        store(to, entry, hash);
      }
      hash = Chain::step(hash, entry.token, entry.position);
      ++entries;
    }
    return entries;
  }

  /// Advances all lanes by as many entries as each of them has, up to a tile.
  void advance_tile(Lane* const* lanes, int active) {
    std::int64_t count = tile_size;
    for (int l = 0; l < active; ++l) count = std::min(count, lanes[l]->rest());
    for (int l = 0; l < active; ++l) stage(*lanes[l], count);
    static_assert(width == 4);
    switch (active) {
      case 4:
        return advance(lanes, count, std::make_integer_sequence<int, 4>());
      case 3:
        return advance(lanes, count, std::make_integer_sequence<int, 3>());
      case 2:
        return advance(lanes, count, std::make_integer_sequence<int, 2>());
      default:
        return advance(lanes, count, std::make_integer_sequence<int, 1>());
    }
  }

  /// Reads a tile of the batch, and starts to fetch the next one.
  void stage(Lane& lane, std::int64_t count) const {
    const std::int64_t slots = std::min(count + ahead, job_.num_tokens - lane.next);
    job_.tokens.copy(lane.next, count, lane.token);
    job_.positions.copy(lane.next, count, lane.position);
    job_.slots.copy(lane.next, slots, lane.slot);
    std::fill(lane.slot + slots, lane.slot + count + ahead, padding_slot);
    job_.tokens.prefetch(lane.next + count, tile_size);
    job_.positions.prefetch(lane.next + count, tile_size);
    job_.slots.prefetch(lane.next + count + ahead, tile_size);
  }

  /// The next entry of each lane, then the one after it of each, ...
  template <int... L>
  void advance(Lane* const* lanes, std::int64_t count, std::integer_sequence<int, L...>) {
    std::uint64_t hash[] = {lanes[L]->hash...};
    const EndpointArgs *const first = endpoints_, *const end = endpoints_end_;
    Count skipped = 0;
    const auto step = [&](auto l, std::int64_t i) {
      const Lane& lane = *lanes[l];
      const WriteEntry entry{lane.token[i], lane.position[i], lane.slot[i]};
      if (entry.slot < 0) [[unlikely]] {
        ++skipped;
        return;
      }
      const bool plain = static_cast<std::uint64_t>(entry.slot) < lane.num_plain_slots;
      for (const EndpointArgs* to = first; to != end; ++to) {
        to->prefetch(lane.slot[i + ahead]);
        if (plain || check(lane, *to, i, entry, hash[l])) store(*to, entry, hash[l]);
      }
      hash[l] = Chain::step(hash[l], entry.token, entry.position);
    };
    // The lanes are unrolled, which keeps their hashes in registers.
    for (std::int64_t i = 0; i < count; ++i) (step(std::integral_constant<int, L>(), i), ...);
    ((lanes[L]->hash = hash[L], lanes[L]->next += count), ...);
    entries_ += sizeof...(L) * static_cast<Count>(count) - skipped;
  }

  /// Not inline: it would take registers from those who do without it.
  [[gnu::noinline]] bool check(const Lane& lane, const EndpointArgs& to, std::int64_t i,
                               const WriteEntry& entry, std::uint64_t hash) const {
    return args_.check(job_, to, lane.request, lane.start[&to - endpoints_], lane.next + i, entry,
                       hash);
  }

  /// All of a record that is not stored by those who hash KV bytes.
  static void store(const EndpointArgs& to, const WriteEntry& entry, std::uint64_t hash) {
    to.store_identity(entry.slot, entry.token, entry.position, static_cast<std::int64_t>(hash));
    if (to.num_sources == 0) to.store_kv_hash(entry.slot, 0);
  }

  void prefetch(std::int64_t slot) const {
    for (const EndpointArgs* to = endpoints_; to != endpoints_end_; ++to) to->prefetch(slot);
  }

  const WriteArgs& args_;
  const WriteJobArgs& job_;
  const WriteJobArgs::Bounds bounds_;
  const EndpointArgs *const endpoints_, *const endpoints_end_;
  Count entries_ = 0;
};

}  // namespace kvcanary::detail
