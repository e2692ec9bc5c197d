#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/slot_table.hpp>
#include <kvcanary/write.hpp>
#include <kvcanary/write_requests.hpp>
#include <span>
#include <type_traits>

#include "src/clamp.hpp"
#include "src/endpoint_args.hpp"
#include "src/int_array.hpp"
#include "src/seldom.hpp"
#include "src/violation_sink.hpp"
#include "src/write/batch_requests.hpp"
#include "src/write/planned_requests.hpp"

/// \file
/// What every launch shape of write has in common: its arguments, and what is done for each
/// request and each entry. The shapes differ in who does it.
namespace kvcanary::detail {

/// One entry of a batch.
struct WriteEntry {
  std::int64_t token, position, slot;
};

/// What the entries of one request have in common.
struct WriteRequest {
  std::int64_t row;
  std::int64_t begin, end;  ///< entries, clamped
  bool clamped;             ///< there are others than those in the batch
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

/// Entries that belong to any request: [first, last).
struct EntryBounds {
  std::int64_t first, last;
};

/// A request as it was found, with those of its entries that are in the batch.
template <class Request>
KOKKOS_INLINE_FUNCTION WriteRequest clamp_request(const Request& found, const EntryBounds& bounds) {
  WriteRequest request{};
  request.row = found.row;
  request.begin = clamp(found.begin, bounds.first, bounds.last);
  request.end = clamp(found.end, request.begin, bounds.last);
  request.clamped = found.begin != request.begin || found.end != request.end;
  return request;
}

/// The requests and tokens of a job.
template <class MemorySpace>
PlannedRequests requests_of(const WriteJob<MemorySpace>& job) {
  return PlannedRequests(job.plan);
}
template <class MemorySpace>
const TokenBatch& tokens_of(const WriteJob<MemorySpace>& job) {
  return job.batch;
}
inline BatchRequests requests_of(const StepJob& job) { return BatchRequests(job.requests); }
inline const TokenBatch& tokens_of(const StepJob& job) { return job.tokens; }

/// A job, or its endpoints of one chain, as kernel arguments: everything but the endpoints.
/// \tparam RequestsOf PlannedRequests or BatchRequests
template <class RequestsOf>
struct WriteJobArgs {
  using Requests = RequestsOf;
  using Request = typename Requests::Request;
  static constexpr bool has_plan = std::is_same_v<Requests, PlannedRequests>;

  Requests requests;
  std::int64_t tokens_given;
  IntArray tokens, positions, slots, expected_tokens, expected_positions, check_positions,
      num_tokens;
  std::int16_t first_endpoint, num_endpoints;
  Chain chain;  ///< of all these endpoints

  WriteJobArgs() = default;

  WriteJobArgs(const Requests& requests, const TokenBatch& batch, Chain chain, int first_endpoint,
               int num_endpoints)
      : requests(requests),
        tokens_given(batch.tokens.size()),
        tokens(batch.tokens),
        positions(batch.positions),
        slots(batch.slots),
        expected_tokens(batch.expected_tokens),
        expected_positions(batch.expected_positions),
        check_positions(batch.check_positions),
        num_tokens(batch.num_tokens),
        first_endpoint(static_cast<std::int16_t>(first_endpoint)),
        num_endpoints(static_cast<std::int16_t>(num_endpoints)),
        chain(chain) {}

  /// Those of a plan, whose first and last offset bound all others: every entry between them
  /// belongs to a request, whatever the offsets are.
  KOKKOS_FUNCTION EntryBounds bounds(std::int64_t num_requests) const
    requires has_plan
  {
    return bounds(requests.offsets[0], requests.offsets[num_requests]);
  }
  /// The same of two offsets, for those who do something else between reading and clamping them.
  KOKKOS_FUNCTION EntryBounds bounds(std::int64_t first_offset, std::int64_t last_offset) const {
    const std::int64_t first = clamp(first_offset, std::int64_t{0}, tokens_given);
    return {first, clamp(last_offset, first, tokens_given)};
  }
  /// Those of a batch, of whose requests none has an entry behind the last.
  KOKKOS_FUNCTION EntryBounds bounds() const
    requires(!has_plan)
  {
    return {0, tokens_given};
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
template <class Job>
bool has_chain(const Job& job, Chain chain) {
  return std::ranges::any_of(
      job.endpoints, [=](const Endpoint& endpoint) { return endpoint.buffer.chain == chain; });
}

/// Jobs of one chain each, that these are in a launch of both.
template <class Job>
std::size_t num_jobs_of_one_chain(std::span<const Job> jobs) {
  std::size_t count = 0;
  for (const Job& job : jobs) {
    for (const Chain chain : {Chain::splitmix, Chain::polynomial}) count += has_chain(job, chain);
  }
  return count;
}

/// The arguments of a launch, with room for so many jobs and endpoints: a kernel of few
/// microseconds waits noticeably for a kilobyte of arguments.
template <class Requests, int job_capacity = max_endpoints, int endpoint_capacity = max_endpoints>
struct WriteArgs {
  using Job = WriteJobArgs<Requests>;
  static constexpr bool is_single = job_capacity == 1 && endpoint_capacity == 1;

  Job jobs[job_capacity];
  std::int32_t num_jobs;
  EndpointArray<endpoint_capacity> endpoints;
  ViolationSink sink;

  /// Jobs whose endpoints have both chains become two.
  template <class GivenJob, class MemorySpace>
  WriteArgs(std::span<const GivenJob> given, const ViolationLog<MemorySpace>& log,
            const LaunchCounters<MemorySpace>& counters, const Chains& chains = {})
      : jobs{}, num_jobs(0), sink(log, counters) {
    for (const GivenJob& job : given) {
      for (const Chain chain : {Chain::splitmix, Chain::polynomial}) {
        if (chains.contain(chain) && has_chain(job, chain)) add(job, chain);
      }
    }
  }

  /// Counts the launch for an endpoint, and reports requests that are malformed as a whole. Called
  /// once for each endpoint.
  KOKKOS_FUNCTION void count_launch(const Job& job, const EndpointArgs& endpoint,
                                    const typename Requests::Totals& totals) const {
    sink.count_launch(endpoint.tag);
    const std::int64_t requests = job.requests.reported_requests(totals);
    const bool malformed = job.requests.is_malformed(totals);
    std::int64_t wanted_tokens = 0, found_tokens = 0;
    if (job.num_tokens.given()) {
      wanted_tokens = job.num_tokens[0];
      found_tokens = job.requests.num_tokens(totals);
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

  /// Reports what is wrong with request r, of which was found that its entries end at `end`. Called
  /// once for each request and endpoint.
  KOKKOS_FUNCTION void check_request(const EndpointArgs& endpoint, std::int64_t end,
                                     std::int64_t seed_slot, const WriteRequest& request,
                                     std::int64_t r) const {
    const bool bad_seed =
        seed_slot != no_slot && !endpoint.padding.contains(seed_slot) && !endpoint.holds(seed_slot);
    if (!request.clamped && !bad_seed) return;
    KVCANARY_SELDOM_LOOP
    for (int check = request.clamped ? 0 : 1; check < (bad_seed ? 2 : 1); ++check) {
      report_request(endpoint, request, r, check == 0 ? -1 : seed_slot, check == 0 ? end : 0,
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
  KOKKOS_FUNCTION static bool is_plain(const Job& job, const EndpointArgs& endpoint,
                                       const ChainState& before, const WriteEntry& entry) {
    return endpoint.holds_kv(entry.slot) && !job.has_expectations() &&
           (before.checks_position == 0 || entry.position == position_after(before.position));
  }

  /// Compares entry `i` with what is expected, reports it if it is wrong, and says whether its
  /// record may be stored.
  KOKKOS_FUNCTION bool check(const Job& job, const EndpointArgs& endpoint,
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
  template <class GivenJob>
  void add(const GivenJob& job, Chain chain) {
    const std::int32_t first = endpoints.count;
    for (const Endpoint& endpoint : job.endpoints) {
      if (endpoint.buffer.chain == chain) endpoints.add(endpoint);
    }
    jobs[num_jobs++] = Job(requests_of(job), tokens_of(job), chain, first, endpoints.count - first);
  }

  /// What a check expects of an entry, and the bits of what is not so.
  struct Expectation {
    std::int64_t token, position, bits;
  };

  KOKKOS_FUNCTION static Expectation of_input(const Job& job, std::int64_t i,
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

}  // namespace kvcanary::detail
