#include "tests/support/random_endpoints.hpp"

#include <algorithm>

namespace {

oracle::KVSource random_source(Rng& rng, std::int64_t num_slots) {
  oracle::KVSource source;
  source.page_size = rng.pick<std::int64_t>({1, 1, 2, 3, 16, 64});
  source.num_rows = (num_slots + source.page_size - 1) / source.page_size;
  source.bytes_per_token = rng.chance(50) ? 16 * rng.between(1, 4) : rng.between(0, 40);
  source.read_bytes =
      rng.chance(50) ? source.bytes_per_token : rng.between(0, source.bytes_per_token);
  const std::int64_t wider = rng.chance(50) ? 0 : rng.between(0, 2) * 8 + rng.between(0, 9);
  source.row_stride = std::max<std::int64_t>(1, source.page_size * source.bytes_per_token + wider);
  source.bytes = rng.bytes(source.num_rows * source.row_stride);
  return source;
}

oracle::Endpoint random_endpoint(Rng& rng, int tag, const RandomPool& pool) {
  oracle::Endpoint endpoint{.tag = tag, .num_slots = pool.num_slots, .padding = pool.padding};
  endpoint.stride = rng.pick<std::int64_t>({32, 32, 48, 64, 144});
  endpoint.chain = rng.pick<oracle::Chain>({oracle::Chain::splitmix, oracle::Chain::polynomial});
  endpoint.canary = rng.bytes(endpoint.num_slots * endpoint.stride);
  const std::int64_t sources = rng.pick<std::int64_t>({0, 1, 1, 2, 4, 5});
  for (std::int64_t i = 0; i < sources; ++i) {
    endpoint.sources.push_back(random_source(rng, endpoint.num_slots));
  }
  if (sources == 0) return endpoint;  // nothing to hash
  endpoint.mode = rng.pick<oracle::KVMode>(
      {oracle::KVMode::none, oracle::KVMode::partial, oracle::KVMode::all});
  return endpoint;
}

}  // namespace

std::vector<int> random_tags(Rng& rng, std::int64_t count) {
  constexpr std::int64_t named = 12, all = 64;
  const std::vector<std::int64_t> tags =
      rng.permutation(0, count <= named && rng.chance(50) ? named : all);
  return {tags.begin(), tags.begin() + count};
}

std::vector<oracle::Endpoint> random_endpoints(Rng& rng, std::int64_t count,
                                               const RandomPool& pool) {
  std::vector<oracle::Endpoint> endpoints;
  for (const int tag : random_tags(rng, count)) {
    endpoints.push_back(random_endpoint(rng, tag, pool));
  }
  return endpoints;
}
