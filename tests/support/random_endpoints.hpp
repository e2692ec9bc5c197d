#pragma once

#include <cstdint>
#include <vector>

#include "oracle/endpoint.hpp"
#include "tests/support/random_pool.hpp"
#include "tests/support/rng.hpp"

/// `count` different launch tags, some of them the caller's own.
std::vector<int> random_tags(Rng& rng, std::int64_t count);

/// `count` endpoints of a pool, with random strides, tags, KV sources and bytes.
std::vector<oracle::Endpoint> random_endpoints(Rng& rng, std::int64_t count,
                                               const RandomPool& pool);
