#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/endpoint.hpp"
#include "tests/support/rng.hpp"

/// \file
/// Pools with padding slots at any place.

/// Slots of a pool, in units (pages, or single slots) that either hold tokens or don't.
struct RandomPool {
  std::int64_t unit = 1;  ///< slots
  std::int64_t num_slots = 0;
  oracle::Padding padding = {};
  std::vector<std::int64_t> units = {};  ///< without a padding slot, in random order

  bool has_padding() const { return padding.count > 0; }
  std::int64_t padding_slot(Rng& rng) const {
    return padding.first + rng.between(0, padding.count - 1);
  }
  /// A unit of nothing but padding slots, as vLLM's null block is one.
  std::optional<std::int64_t> null_unit() const;
};

/// At least `needed` units for tokens. Padding as engines have it, some of it `page_size` slots: at
/// the start, at the end, in the middle of the pool, or none.
RandomPool random_pool(Rng& rng, std::int64_t needed, std::int64_t unit, std::int64_t page_size);
