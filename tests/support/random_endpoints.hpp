#pragma once

#include <cstdint>
#include <vector>

#include "oracle/endpoint.hpp"
#include "tests/support/rng.hpp"

/// `count` endpoints of a pool of `num_slots`, with random strides, tags, KV sources and bytes.
std::vector<oracle::Endpoint> random_endpoints(Rng& rng, std::int64_t count,
                                               std::int64_t num_slots);
