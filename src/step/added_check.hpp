#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "src/expected_token.hpp"
#include "src/seldom.hpp"
#include "src/slot_finder.hpp"
#include "src/verify/verify_entry.hpp"
#include "src/verify_requests/verify_jobs.hpp"
#include "src/violation_sink.hpp"

/// \file
/// A check of what a step has added, by one team, when all of it is stamped.
namespace kvcanary::detail {

/// Verifies the positions that requests add, of those for which there are entries. A lane has a
/// position of a request in an endpoint at a time; what can be known of it before it is stamped is
/// looked up ahead. In team scratch.
/// \tparam chains those of the endpoints \tparam kv_work at least what they ask for
template <ChainMix chains, KVWork kv_work, int team_size, class Jobs>
class AddedCheck {
 public:
  /// \param most_shift requests add 1 << most_shift tokens, or fewer; where they add more, all
  /// lanes share those
  KOKKOS_FUNCTION AddedCheck(const Jobs& jobs, const ViolationSink& sink, int most_shift)
      : jobs_(jobs), sink_(sink), shift_(most_shift) {}

  /// An added position, and what is on its way from memory.
  struct Item {
    int job = 0, endpoint = -1, request = 0;  ///< no endpoint: there is no such item
    std::int32_t position = 0;
    bool is_added = false, is_long = false;
    std::int32_t offset = 0, offset_before = 0;
    PageEntry entry, entry_before;
    std::int64_t expected_token = -1;
  };

  /// The first item of a lane.
  KOKKOS_FUNCTION Item first(int rank) const { return look_up(rank); }

  /// Everything. For all lanes of the team, each with its first item.
  /// \param any_long in team scratch
  template <class Member>
  KOKKOS_FUNCTION void check(const Member& team, Item item, int& any_long) const {
    const int rank = team.team_rank();
    if (rank == 0) any_long = 0;
    team.team_barrier();
    KVCANARY_SELDOM_LOOP
    for (int i = rank + team_size;; i += team_size) {
      if (item.endpoint < 0) break;
      if (item.is_long) Kokkos::atomic_store(&any_long, 1);
      const Item next = look_up(i);
      if (item.is_added && !is_right(item)) verify_exactly(item, item.position, 1);
      item = next;
    }
    team.team_barrier();
    if (any_long != 0) check_long(rank);
  }

 private:
  /// Of item `i`, which is in the order of jobs, endpoints, requests, positions.
  KOKKOS_FUNCTION Item look_up(int i) const {
    Item item;
    if (!locate(i, item)) return item;
    const VerifyJobArgs& job = jobs_.at(item.job);
    const SlotFinder& finder = job.finder;
    const SlotFinder::List list = finder.list(item.request);
    const RequestArgs::Request request = job.batch.request(item.request);
    const int n = job.batch.num_counted();
    const VerifiedRange range = job.range(list, request, true);
    item.position = request.prefix + (i & ((1 << shift_) - 1));
    item.is_added = item.request < n && item.position >= range.start && item.position < range.stop;
    item.is_long = item.request < n && request.extend > 1 << shift_;
    if (!item.is_added) return item;
    item.offset = finder.place_of(range.slots, item.position).offset;
    item.entry = finder.look(range.slots, item.position);
    if (range.slots.has(item.position - 1)) {
      item.offset_before = finder.place_of(range.slots, item.position - 1).offset;
      item.entry_before = finder.look(range.slots, item.position - 1);
    }
    item.expected_token =
        job.expected.at(job.expected.tokens_of(item.request, range.row), item.position);
    return item;
  }

  /// Job, endpoint and request of item `i`. \returns whether there are so many
  KOKKOS_FUNCTION bool locate(int i, Item& item) const {
    i >>= shift_;
    for (int j = 0; j < jobs_.num_jobs(); ++j) {
      const int requests = jobs_.at(j).batch.num_given();
      for (int e = jobs_.first_endpoint(j); e < jobs_.endpoint_end(j); ++e, i -= requests) {
        if (i >= requests) continue;
        item.job = j;
        item.endpoint = e;
        item.request = i;
        return true;
      }
    }
    return false;
  }

  /// Whether verify_entry would find nothing, for sure.
  KOKKOS_FUNCTION bool is_right(const Item& item) const {
    const VerifyJobArgs& job = jobs_.at(item.job);
    const EndpointArgs& endpoint = jobs_.endpoint(item.endpoint);
    const std::int64_t slot = job.finder.sure_slot_at(item.entry, item.offset);
    const std::int64_t before = job.finder.sure_slot_at(item.entry_before, item.offset_before);
    const bool is_there = job.surely_holds_token(slot);
    const bool has_before = job.surely_holds_token(before);
    if (!is_there || (!has_before && item.position > 0)) return false;
    const Record record = endpoint.load(slot);
    const Record record_before = has_before ? endpoint.load(before) : Record{};
    const KVHash kv = endpoint.template hash_kv<kv_work>(slot);
    const std::uint64_t prev_hash = item.position > 0
                                        ? next_hash(record_before, chain_in<chains>(endpoint.chain))
                                        : chain_start();
    return kv.in_range && static_cast<std::uint64_t>(record.kv_hash) == kv.value &&
           static_cast<std::uint64_t>(record.prev_hash) == prev_hash &&
           record.position == item.position &&
           (item.expected_token == -1 || item.expected_token == record.token);
  }

  /// Those of which more are added than was said.
  KOKKOS_FUNCTION void check_long(int rank) const {
    Item item;
    for (int i = 0; locate(i << shift_, item); ++i) {
      const VerifyJobArgs& job = jobs_.at(item.job);
      if (item.request >= job.batch.num_counted()) continue;
      const std::int32_t prefix = job.batch.request(item.request).prefix;
      verify_exactly(item, prefix + (1 << shift_) + rank, team_size);
    }
  }

  /// Verifies the positions from `position` on that are `step` apart: one, or all. Looks everything
  /// up once more, so that what is seldom done keeps no registers from the rest.
  KOKKOS_FUNCTION void verify_exactly(const Item& item, std::int32_t position,
                                      std::int32_t step) const {
    const VerifyJobArgs& job = jobs_.at(item.job);
    const RequestArgs::Request request = job.batch.request(item.request);
    const VerifiedRange range = job.range(job.finder.list(item.request), request, true);
    const std::int32_t end = step == 1 ? Kokkos::min(position + 1, range.stop) : range.stop;
    KVCANARY_SELDOM_LOOP
    for (std::int32_t p = position; p < end; p += step) {
      if (p < range.start) continue;
      verify_entry<kv_work>(jobs_.endpoint(item.endpoint), job.entry(item.request, range, p),
                            item.request, sink_);
    }
  }

  const Jobs& jobs_;
  const ViolationSink& sink_;
  int shift_;
};

}  // namespace kvcanary::detail
