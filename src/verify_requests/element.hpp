#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/slot_table.hpp>

#include "endpoint_args.hpp"

/// \file
/// A position that a lane verifies, and whether its record is right: verify_entry in short, for the
/// many that are.
namespace kvcanary::detail {

/// The position of a lane: its slot, the slot before it, and the token that it should hold.
struct Element {
  std::int64_t slot, before, expected_token;
};

/// Not short-circuited: a load that hangs on a branch would wait for the ones before it.
template <class... Bools>
KOKKOS_FUNCTION bool all(Bools... conditions) {
  return (int{conditions} & ...) != 0;
}
template <class... Bools>
KOKKOS_FUNCTION bool any(Bools... conditions) {
  return (int{conditions} | ...) != 0;
}

/// Whether verify_entry would find nothing, but for the chain and the KV hash. Not for padding:
/// it is taken back from the count.
template <KVWork kv_work>
KOKKOS_FUNCTION bool is_right(const EndpointArgs& endpoint, const Element& element,
                              std::int64_t position, const Record& record) {
  return all(element.slot != padding_slot, endpoint.holds(element.slot),
             record.position == position,
             any(element.expected_token == -1, record.token == element.expected_token),
             kv_work != KVWork::none || record.kv_hash == 0);
}

/// Whether it would find nothing in the chain.
template <class Chain>
KOKKOS_FUNCTION bool follows(const EndpointArgs& endpoint, std::int64_t predecessor,
                             const Record& before, const Record& record) {
  const auto prev_hash = static_cast<std::uint64_t>(record.prev_hash);
  return any(predecessor == padding_slot, all(predecessor == no_slot, prev_hash == Chain::start()),
             all(endpoint.holds(predecessor), prev_hash == next_hash<Chain>(before)));
}

}  // namespace kvcanary::detail
