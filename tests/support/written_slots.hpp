#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "oracle/endpoint.hpp"
#include "oracle/plan.hpp"
#include "oracle/write.hpp"

/// \file
/// Which request of a launch writes which slots: what is unspecified depends on it.

/// Entries of one request, clamped to the tokens given and to the first and last offset.
struct EntryRange {
  std::int64_t begin, end;
};

inline std::vector<EntryRange> entry_ranges(const oracle::WritePlan& plan,
                                            const oracle::TokenBatch& batch) {
  const auto tokens = static_cast<std::int64_t>(batch.tokens.size());
  const auto capacity = static_cast<std::int64_t>(plan.seed_slots.size());
  const std::int64_t n = std::clamp<std::int64_t>(plan.num_requests, 0, capacity);
  const std::int64_t first = std::clamp<std::int64_t>(plan.offsets[0], 0, tokens);
  const std::int64_t last = std::clamp(plan.offsets[n], first, tokens);
  std::vector<EntryRange> ranges;
  for (std::int64_t r = 0; r < n; ++r) {
    const std::int64_t begin = std::clamp(plan.offsets[r], first, last);
    ranges.push_back({begin, std::clamp(plan.offsets[r + 1], begin, last)});
  }
  return ranges;
}

/// Slots that are written at all, each with the request that writes it and the number of times.
struct Writer {
  std::int64_t request = -1;
  std::int64_t times = 0;
  bool several_requests = false;
};

inline std::map<std::int64_t, Writer> writers(const oracle::WritePlan& plan,
                                              const oracle::TokenBatch& batch) {
  const std::vector<EntryRange> ranges = entry_ranges(plan, batch);
  std::map<std::int64_t, Writer> writers;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    for (std::int64_t i = ranges[r].begin; i < ranges[r].end; ++i) {
      if (batch.slots[i] < 0) continue;
      const auto request = static_cast<std::int64_t>(r);
      Writer& writer = writers[batch.slots[i]];
      writer.several_requests |= writer.times > 0 && writer.request != request;
      writer.request = request;
      ++writer.times;
    }
  }
  return writers;
}

/// Slots that several entries write: which of them comes last is unspecified.
inline std::set<std::int64_t> contested_slots(const oracle::WritePlan& plan,
                                              const oracle::TokenBatch& batch) {
  std::set<std::int64_t> contested;
  for (const auto& [slot, writer] : writers(plan, batch)) {
    if (writer.times > 1) contested.insert(slot);
  }
  return contested;
}

/// Starts requests at the anchor whose seed another request of the launch writes, which the library
/// forbids, but where no endpoint trusts the seed anyway.
inline void remove_races(oracle::WritePlan& plan, const oracle::TokenBatch& batch,
                         const std::vector<oracle::Endpoint>& endpoints) {
  const std::map<std::int64_t, Writer> by_slot = writers(plan, batch);
  for (std::size_t r = 0; r < plan.seed_slots.size(); ++r) {
    const std::int64_t seed = plan.seed_slots[r];
    const auto found = by_slot.find(seed);
    if (found == by_slot.end()) continue;
    const Writer& writer = found->second;
    const bool own = !writer.several_requests && writer.request == static_cast<std::int64_t>(r);
    const auto is_padding = [&](const oracle::Endpoint& endpoint) {
      return endpoint.padding.contains(seed);
    };
    if (!own && !std::ranges::all_of(endpoints, is_padding)) plan.seed_slots[r] = oracle::no_slot;
  }
}

/// Skips the entries that write a slot which another request of the launch has for its seed: the
/// library forbids that, but where no endpoint trusts the seed anyway.
inline void skip_races(const oracle::WritePlan& plan, oracle::TokenBatch& batch,
                       const std::vector<oracle::Endpoint>& endpoints) {
  oracle::WritePlan without = plan;
  remove_races(without, batch, endpoints);
  for (std::size_t r = 0; r < plan.seed_slots.size(); ++r) {
    if (without.seed_slots[r] == plan.seed_slots[r]) continue;
    std::ranges::replace(batch.slots, plan.seed_slots[r], std::int64_t{-1});
  }
}
