#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/write.hpp>
#include <span>

#include "src/clamp.hpp"
#include "src/endpoint_args.hpp"
#include "src/int_array.hpp"
#include "src/seldom.hpp"
#include "src/violation_sink.hpp"

/// \file
/// What every launch shape of write has in common: its arguments, and what is done for each
/// request and each entry. The shapes differ in who does it.
namespace kvcanary::detail {

/// One entry of a batch.
struct WriteEntry {
  std::int64_t token, position, slot;
};

/// What a plan says of one request.
struct PlannedRequest {
  std::int64_t begin, end, seed_slot, request_row;
};

/// What the entries of one request have in common.
struct WriteRequest {
  std::int64_t row;
  std::int64_t begin, end;  ///< entries, clamped
  bool clamped;             ///< the plan said something else
};

/// Where one request stands in one endpoint: what the entry that comes next follows.
struct ChainState {
  std::uint64_t hash;             ///< before the entry
  std::int64_t position;          ///< of the entry before it, or of the seed
  std::uint64_t checks_position;  ///< not 0: the entry must be at the position after that. A whole
                                  ///< word: compilers carry padding through memory
};

/// The position after one, wrapping.
KOKKOS_INLINE_FUNCTION std::int64_t position_after(std::int64_t position) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(position) + 1);
}

/// A WriteJob, or its endpoints of one chain, as kernel arguments: everything but the endpoints.
struct WriteJobArgs {
  const std::int64_t *offsets, *seed_slots, *rows;
  const WritePlanState* state;
  std::int64_t tokens_given;
  IntArray tokens, positions, slots, expected_tokens, expected_positions, check_positions,
      num_tokens;
  std::int32_t plan_capacity;
  std::int16_t first_endpoint, num_endpoints;
  Chain chain;  ///< of all these endpoints

  WriteJobArgs() = default;

  template <class MemorySpace>
  WriteJobArgs(const WriteJob<MemorySpace>& job, Chain chain, int first_endpoint, int num_endpoints)
      : offsets(job.plan.offsets.data()),
        seed_slots(job.plan.seed_slots.data()),
        rows(job.plan.request_rows.data()),
        state(job.plan.state.data()),
        tokens_given(job.batch.tokens.size()),
        tokens(job.batch.tokens),
        positions(job.batch.positions),
        slots(job.batch.slots),
        expected_tokens(job.batch.expected_tokens),
        expected_positions(job.batch.expected_positions),
        check_positions(job.batch.check_positions),
        num_tokens(job.batch.num_tokens),
        plan_capacity(static_cast<std::int32_t>(job.plan.capacity())),
        first_endpoint(static_cast<std::int16_t>(first_endpoint)),
        num_endpoints(static_cast<std::int16_t>(num_endpoints)),
        chain(chain) {}

  KOKKOS_FUNCTION std::int64_t num_requests() const { return num_requests(*state); }
  KOKKOS_FUNCTION std::int64_t num_requests(const WritePlanState& state) const {
    return clamp(state.num_requests, std::int64_t{0}, std::int64_t{plan_capacity});
  }

  KOKKOS_FUNCTION PlannedRequest planned(std::int64_t r) const {
    return {offsets[r], offsets[r + 1], seed_slots[r], rows[r]};
  }

  /// Entries that belong to any request: [first, last). The first and the last offset bound all
  /// others, so that every entry between them belongs to one, whatever the offsets are.
  struct Bounds {
    std::int64_t first, last;
  };
  KOKKOS_FUNCTION Bounds bounds(std::int64_t num_requests) const {
    return clamped(offsets[0], offsets[num_requests]);
  }
  KOKKOS_FUNCTION Bounds clamped(std::int64_t first_offset, std::int64_t last_offset) const {
    const std::int64_t first = clamp(first_offset, std::int64_t{0}, tokens_given);
    return {first, clamp(last_offset, first, tokens_given)};
  }

  KOKKOS_FUNCTION WriteRequest request(const PlannedRequest& plan, const Bounds& bounds) const {
    WriteRequest request{};
    request.row = plan.request_row;
    request.begin = clamp(plan.begin, bounds.first, bounds.last);
    request.end = clamp(plan.end, request.begin, bounds.last);
    request.clamped = plan.begin != request.begin || plan.end != request.end;
    return request;
  }

  /// What lanes have to see alike of a job.
  struct Size {
    std::int64_t num_requests;
    Bounds bounds;
    bool checks_positions;
  };
  KOKKOS_FUNCTION Size size() const {
    const std::int64_t n = num_requests();
    return {n, bounds(n), checks_positions()};
  }

  KOKKOS_FUNCTION WriteEntry entry(std::int64_t i) const {
    return {tokens[i], positions[i], slots[i]};
  }

  /// Whether entries are compared with what the caller expects of the input.
  KOKKOS_FUNCTION bool has_expectations() const {
    return expected_tokens.given() || expected_positions.given();
  }
  KOKKOS_FUNCTION bool checks_positions() const {
    return check_positions.given() && check_positions[0] != 0;
  }
};

/// The chains that a launch of write has to do with: a device has a kernel for each.
struct Chains {
  bool splitmix = true, polynomial = true;

  bool contain(Chain chain) const { return chain == Chain::splitmix ? splitmix : polynomial; }
};

/// Whether a job has an endpoint of the chain.
template <class MemorySpace>
bool has_chain(const WriteJob<MemorySpace>& job, Chain chain) {
  return std::ranges::any_of(
      job.endpoints, [=](const Endpoint& endpoint) { return endpoint.buffer.chain == chain; });
}

/// Jobs of one chain each, that these are in a launch of both.
template <class MemorySpace>
std::size_t num_jobs_of_one_chain(std::span<const WriteJob<MemorySpace>> jobs) {
  std::size_t count = 0;
  for (const auto& job : jobs) {
    for (const Chain chain : {Chain::splitmix, Chain::polynomial}) count += has_chain(job, chain);
  }
  return count;
}

/// The arguments of a launch, with room for so many jobs and endpoints: a kernel of few
/// microseconds waits noticeably for a kilobyte of arguments.
template <int job_capacity, int endpoint_capacity>
struct BasicWriteArgs {
  static constexpr bool is_single = job_capacity == 1 && endpoint_capacity == 1;

  WriteJobArgs jobs[job_capacity];
  std::int32_t num_jobs;
  EndpointArray<endpoint_capacity> endpoints;
  ViolationSink sink;

  /// Jobs whose endpoints have both chains become two.
  template <class MemorySpace>
  BasicWriteArgs(std::span<const WriteJob<MemorySpace>> given, const ViolationLog<MemorySpace>& log,
                 const LaunchCounters<MemorySpace>& counters, const Chains& chains = {})
      : jobs{}, num_jobs(0), sink(log, counters) {
    for (const WriteJob<MemorySpace>& job : given) {
      for (const Chain chain : {Chain::splitmix, Chain::polynomial}) {
        if (chains.contain(chain) && has_chain(job, chain)) add(job, chain);
      }
    }
  }

  /// Counts the launch for an endpoint, and reports a plan that is malformed as a whole. Called
  /// once for each endpoint.
  KOKKOS_FUNCTION void count_launch(const WriteJobArgs& job, const EndpointArgs& endpoint,
                                    const WritePlanState& state) const {
    sink.count_launch(endpoint.tag);
    const std::int64_t requests = state.num_requests;
    const bool malformed = requests < 0 || requests > job.plan_capacity || state.malformed != 0;
    std::int64_t wanted_tokens = 0, found_tokens = 0;
    if (job.num_tokens.given()) {
      wanted_tokens = job.num_tokens[0];
      found_tokens = job.offsets[job.num_requests(state)];
    }
    if (!malformed && wanted_tokens == found_tokens) return;
    KVCANARY_SELDOM_LOOP
    for (int check = malformed ? 0 : 1; check < (wanted_tokens != found_tokens ? 2 : 1); ++check) {
      sink.push_plan(endpoint.tag, check == 0 ? requests : found_tokens,
                     check == 0 ? -1 : wanted_tokens);
    }
  }

  /// The record of a seed; any record where there is none to start from.
  KOKKOS_FUNCTION static Record load_seed(const EndpointArgs& endpoint, std::int64_t seed_slot) {
    return endpoint.holds(seed_slot) ? endpoint.load(seed_slot) : Record{};
  }

  /// Reports what is wrong with what the plan says of request r. Called once for each request and
  /// endpoint.
  KOKKOS_FUNCTION void check_request(const EndpointArgs& endpoint, const PlannedRequest& plan,
                                     const WriteRequest& request, std::int64_t r) const {
    const bool bad_seed = plan.seed_slot != no_slot && !endpoint.padding.contains(plan.seed_slot) &&
                          !endpoint.holds(plan.seed_slot);
    if (!request.clamped && !bad_seed) return;
    KVCANARY_SELDOM_LOOP
    for (int check = request.clamped ? 0 : 1; check < (bad_seed ? 2 : 1); ++check) {
      report_request(endpoint, request, r, check == 0 ? -1 : plan.seed_slot,
                     check == 0 ? plan.end : 0,
                     check == 0 ? fail_bit::malformed_plan : fail_bit::slot_out_of_bounds);
    }
  }

  /// What a request starts from, with a seed that was loaded before the first of its records is
  /// stored.
  KOKKOS_FUNCTION static ChainState start(const EndpointArgs& endpoint, Chain chain,
                                          std::int64_t seed_slot, const Record& seed,
                                          bool checks_positions) {
    if (!endpoint.holds_token(seed_slot)) return {chain_start(), 0, 0};
    return {next_hash(seed, chain), seed.position, checks_positions ? 1U : 0U};
  }

  /// Whether an entry, whose slot is not negative, is right for sure, and may be stored.
  KOKKOS_FUNCTION static bool is_plain(const WriteJobArgs& job, const EndpointArgs& endpoint,
                                       const ChainState& before, const WriteEntry& entry) {
    return endpoint.holds_kv(entry.slot) && !job.has_expectations() &&
           (before.checks_position == 0 || entry.position == position_after(before.position));
  }

  /// Compares entry `i` with what is expected, reports it if it is wrong, and says whether its
  /// record may be stored.
  KOKKOS_FUNCTION bool check(const WriteJobArgs& job, const EndpointArgs& endpoint,
                             const WriteRequest& request, const ChainState& before, std::int64_t i,
                             const WriteEntry& entry) const {
    KVCANARY_SELDOM_LOOP
    for (int check = 0; check < 3; ++check) {
      const Expectation expected = check == 0   ? of_input(job, i, entry)
                                   : check == 1 ? of_position(before, entry)
                                                : of_bounds(endpoint, entry);
      if (expected.bits != 0) report_entry(endpoint, request, before, i, entry, expected);
    }
    return endpoint.holds_kv(entry.slot);
  }

 private:
  template <class MemorySpace>
  void add(const WriteJob<MemorySpace>& job, Chain chain) {
    const std::int32_t first = endpoints.count;
    for (const Endpoint& endpoint : job.endpoints) {
      if (endpoint.buffer.chain == chain) endpoints.add(endpoint);
    }
    jobs[num_jobs++] = WriteJobArgs(job, chain, first, endpoints.count - first);
  }

  /// What a check expects of an entry, and the bits of what is not so.
  struct Expectation {
    std::int64_t token, position, bits;
  };

  KOKKOS_FUNCTION static Expectation of_input(const WriteJobArgs& job, std::int64_t i,
                                              const WriteEntry& entry) {
    const std::int64_t token = job.expected_tokens.given() ? job.expected_tokens[i] : entry.token;
    const std::int64_t position =
        job.expected_positions.given() ? job.expected_positions[i] : entry.position;
    return {token, position,
            (entry.token != token ? fail_bit::write_token : 0) |
                (entry.position != position ? fail_bit::write_position : 0)};
  }

  KOKKOS_FUNCTION static Expectation of_position(const ChainState& before,
                                                 const WriteEntry& entry) {
    const std::int64_t position = position_after(before.position);
    const bool wrong = before.checks_position != 0 && entry.position != position;
    return {entry.token, position, wrong ? fail_bit::write_position : 0};
  }

  KOKKOS_FUNCTION static Expectation of_bounds(const EndpointArgs& endpoint,
                                               const WriteEntry& entry) {
    return {entry.token, entry.position,
            endpoint.holds_kv(entry.slot) ? 0 : fail_bit::slot_out_of_bounds};
  }

  KOKKOS_FUNCTION void report_entry(const EndpointArgs& endpoint, const WriteRequest& request,
                                    const ChainState& before, std::int64_t i,
                                    const WriteEntry& entry, const Expectation& expected) const {
    sink.push([&] {
      return Violation{.launch_tag = static_cast<std::int64_t>(endpoint.tag),
                       .slot = entry.slot,
                       .position = entry.position,
                       .stored_token = entry.token,
                       .expected_token = expected.token,
                       .stored_chain_hash = static_cast<std::int64_t>(before.hash),
                       .expected_aux = expected.position,
                       .fail_bits = expected.bits,
                       .request_row = request.row,
                       .entry = i,
                       .expected_position = expected.position,
                       .stored_kv_hash = 0,
                       .expected_kv_hash = 0};
    });
  }

  KOKKOS_FUNCTION void report_request(const EndpointArgs& endpoint, const WriteRequest& request,
                                      std::int64_t r, std::int64_t slot, std::int64_t aux,
                                      std::int64_t bits) const {
    sink.push([&] {
      return Violation{.launch_tag = static_cast<std::int64_t>(endpoint.tag),
                       .slot = slot,
                       .position = -1,
                       .stored_token = 0,
                       .expected_token = -1,
                       .stored_chain_hash = 0,
                       .expected_aux = aux,
                       .fail_bits = bits,
                       .request_row = request.row,
                       .entry = r,
                       .expected_position = -1,
                       .stored_kv_hash = 0,
                       .expected_kv_hash = 0};
    });
  }
};

using WriteArgs = BasicWriteArgs<max_endpoints, max_endpoints>;

}  // namespace kvcanary::detail
