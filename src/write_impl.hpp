#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/write.hpp>

#include "arguments.hpp"
#include "endpoint_args.hpp"
#include "launch.hpp"
#include "violation_sink.hpp"

/// \file
/// write: a team per request and endpoint. The chain of a request is serial, so one lane walks it;
/// everything else, reading the batch, hashing KV bytes and storing records, is done by the whole
/// team, a tile of entries at a time.
namespace kvcanary::detail {

template <class ExecSpace, class Chain>
class WriteKernel {
 public:
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

  /// Entries of one request that a team has in scratch.
  struct Tile {
    static constexpr int size = 256;
    std::int64_t token[size];
    std::int64_t position[size];
    std::int64_t slot[size];
    std::uint64_t prev_hash[size];
  };

  template <class MemorySpace>
  WriteKernel(const WritePlan<MemorySpace>& plan, const WriteBatch& batch,
              std::span<const Endpoint> endpoints, const ViolationSink& sink)
      : offsets_(plan.offsets.data()),
        seed_slots_(plan.seed_slots.data()),
        rows_(plan.request_rows.data()),
        state_(plan.state.data()),
        capacity_(plan.capacity()),
        batch_(batch),
        endpoints_(endpoints),
        sink_(sink) {}

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const EndpointArgs& endpoint = endpoints_.items[team.league_rank() % endpoints_.count];
    const std::int64_t r = team.league_rank() / endpoints_.count;
    const std::int64_t wanted = state_->num_requests;
    if (r == 0 && team.team_rank() == 0) {
      sink_.count_launch(endpoint.tag);
      if (wanted < 0 || wanted > capacity_ || state_->malformed != 0) {
        sink_.push(plan_violation(endpoint.tag, wanted));
      }
    }
    if (r < (wanted < capacity_ ? wanted : capacity_)) write_request(team, endpoint, r);
  }

 private:
  /// What one request starts from.
  struct Request {
    std::int64_t row;
    std::int64_t begin, end;     ///< entries, clamped
    bool check_position;         ///< its one entry must be at `next_position`
    std::int64_t next_position;  ///< after the seed
    std::uint64_t hash;          ///< before the first entry
  };

  KOKKOS_FUNCTION void write_request(const Member& team, const EndpointArgs& endpoint,
                                     std::int64_t r) const {
    const Request request = start(endpoint, r, team.team_rank() == 0);
    auto& tile =
        *static_cast<Tile*>(team.team_shmem().get_shmem_aligned(sizeof(Tile), alignof(Tile)));
    std::uint64_t hash = request.hash;  // of lane 0
    Count entries = 0;                  // of lane 0
    for (std::int64_t begin = request.begin; begin < request.end; begin += Tile::size) {
      const std::int64_t rest = request.end - begin;
      const int count = static_cast<int>(rest < Tile::size ? rest : Tile::size);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int j) {
        tile.token[j] = batch_.tokens[begin + j];
        tile.position[j] = batch_.positions[begin + j];
        tile.slot[j] = batch_.slots[begin + j];
      });
      team.team_barrier();
      if (team.team_rank() == 0) entries += advance_chain(tile, count, hash);
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int j) {
        if (tile.slot[j] >= 0) write_entry(endpoint, request, tile, j, begin + j);
      });
      team.team_barrier();
    }
    if (team.team_rank() == 0) sink_.count_entries(endpoint.tag, entries);
  }

  /// Clamps the offsets and reads the seed; `report` says whether this lane reports what is wrong
  /// with them.
  KOKKOS_FUNCTION Request start(const EndpointArgs& endpoint, std::int64_t r, bool report) const {
    const std::int64_t num_tokens = batch_.tokens.size();
    const std::int64_t begin = offsets_[r], end = offsets_[r + 1];
    Request request{};
    request.row = rows_[r];
    request.begin = Kokkos::clamp(begin, std::int64_t{0}, num_tokens);
    request.end = Kokkos::clamp(end, request.begin, num_tokens);
    request.hash = Chain::start();
    if (report && (begin != request.begin || end != request.end)) {
      sink_.push(request_violation(endpoint, request, r, -1, end, fail_bit::malformed_plan));
    }

    const std::int64_t seed = seed_slots_[r];
    if (seed == no_slot || seed == padding_slot) return request;
    if (!endpoint.holds(seed)) {
      if (report) {
        sink_.push(request_violation(endpoint, request, r, seed, 0, fail_bit::slot_out_of_bounds));
      }
      return request;
    }
    const Record record = endpoint.load(seed);
    request.hash = next_hash<Chain>(record);
    request.next_position =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(record.position) + 1);
    request.check_position = batch_.check_positions.given() && batch_.check_positions[0] != 0 &&
                             request.end - request.begin == 1;
    return request;
  }

  /// The serial part: the hash before each entry. Returns the number of entries that are not
  /// skipped.
  KOKKOS_FUNCTION static Count advance_chain(Tile& tile, int count, std::uint64_t& hash) {
    Count entries = 0;
    for (int j = 0; j < count; ++j) {
      tile.prev_hash[j] = hash;
      if (tile.slot[j] < 0) continue;
      hash = Chain::step(hash, tile.token[j], tile.position[j]);
      ++entries;
    }
    return entries;
  }

  /// Everything about entry `i`, `j` in the tile, that doesn't depend on other entries.
  KOKKOS_FUNCTION void write_entry(const EndpointArgs& endpoint, const Request& request,
                                   const Tile& tile, int j, std::int64_t i) const {
    const std::int64_t slot = tile.slot[j];
    Record record{.token = tile.token[j],
                  .position = tile.position[j],
                  .prev_hash = static_cast<std::int64_t>(tile.prev_hash[j]),
                  .kv_hash = 0};
    std::int64_t bits = 0, aux = 0;
    if (request.check_position && record.position != request.next_position) {
      bits |= fail_bit::write_position;
      aux = request.next_position;
    }
    if (batch_.expected_positions.given() && record.position != batch_.expected_positions[i]) {
      bits |= fail_bit::write_position;
      aux = batch_.expected_positions[i];
    }
    const std::int64_t expected_token =
        batch_.expected_tokens.given() ? batch_.expected_tokens[i] : -1;
    if (batch_.expected_tokens.given() && record.token != expected_token) {
      bits |= fail_bit::write_token;
    }

    const KVHash kv = endpoint.hash_kv(slot);
    if (slot < endpoint.num_slots && kv.in_range) {
      record.kv_hash = static_cast<std::int64_t>(kv.value);
      endpoint.store(slot, record);
    } else {
      bits |= fail_bit::slot_out_of_bounds;
    }
    if (bits != 0) {
      sink_.push({.launch_tag = static_cast<std::int64_t>(endpoint.tag),
                  .slot = slot,
                  .position = record.position,
                  .stored_token = record.token,
                  .expected_token = expected_token,
                  .stored_chain_hash = record.prev_hash,
                  .expected_aux = aux,
                  .fail_bits = bits,
                  .request_row = request.row,
                  .entry = i});
    }
  }

  KOKKOS_FUNCTION static Violation request_violation(const EndpointArgs& endpoint,
                                                     const Request& request, std::int64_t r,
                                                     std::int64_t slot, std::int64_t aux,
                                                     std::int64_t bits) {
    return {.launch_tag = static_cast<std::int64_t>(endpoint.tag),
            .slot = slot,
            .position = -1,
            .stored_token = 0,
            .expected_token = -1,
            .stored_chain_hash = 0,
            .expected_aux = aux,
            .fail_bits = bits,
            .request_row = request.row,
            .entry = r};
  }

  const std::int64_t *offsets_, *seed_slots_, *rows_;
  const WritePlanState* state_;
  std::int64_t capacity_;
  WriteBatch batch_;
  EndpointArray endpoints_;
  ViolationSink sink_;
};

}  // namespace kvcanary::detail

namespace kvcanary {

template <class ExecSpace>
void write(const ExecSpace& space, const WritePlan<typename ExecSpace::memory_space>& plan,
           const WriteBatch& batch, std::span<const Endpoint> endpoints,
           const ViolationLog<typename ExecSpace::memory_space>& log,
           const LaunchCounters<typename ExecSpace::memory_space>& counters) {
  detail::check_write(batch, plan.capacity(), endpoints, detail::unreachable_memory<ExecSpace>());
  detail::check_sink("write", log.capacity(), counters.counts());
  using Kernel = detail::WriteKernel<ExecSpace, SplitmixChain>;
  constexpr int device_team_size = 128;
  detail::launch_teams("kvcanary::write", space,
                       plan.capacity() * static_cast<std::int64_t>(endpoints.size()),
                       device_team_size, sizeof(typename Kernel::Tile),
                       Kernel(plan, batch, endpoints, {log, counters}));
}

}  // namespace kvcanary
