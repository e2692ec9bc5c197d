#include "src/host_tile.hpp"

#include <kvcanary/chain_hash.hpp>

// 64-bit multiplication of vectors came with AVX-512: several times as fast, where there is one. A
// sanitizer is not ready yet when the program's start picks the clones.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__CUDACC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KVCANARY_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define KVCANARY_VECTOR_CLONES
#endif

namespace kvcanary::detail {

KVCANARY_VECTOR_CLONES std::uint64_t differences(const HostTile& tile) {
  std::uint64_t next[host_tile_size + 1];
  next[0] = tile.first_hash;
  if (tile.chain == Chain::polynomial) {
    for (int i = 0; i < tile.count; ++i) {
      next[i + 1] =
          polynomial_multiplier * tile.prev_hash[i] + mix2(tile.token[i], tile.position[i]);
    }
  } else {
    for (int i = 0; i < tile.count; ++i) {
      next[i + 1] = mix3(tile.prev_hash[i], tile.token[i], tile.position[i]);
    }
  }
  std::uint64_t found = 0;
  for (int i = 0; i < tile.count; ++i) {
    found |= tile.prev_hash[i] ^ next[i];
    found |= tile.position[i] ^ (tile.first_position + static_cast<std::uint64_t>(i));
    found |= (tile.token[i] ^ tile.expected_token[i]) & tile.token_mask[i];
    found |= tile.kv_hash[i] ^ tile.expected_kv_hash[i];
  }
  return found;
}

KVCANARY_VECTOR_CLONES void polynomial_terms(const std::int64_t* tokens,
                                             const std::int64_t* positions, int count,
                                             std::uint64_t* terms) {
  for (int i = 0; i < count; ++i) terms[i] = polynomial_term(tokens[i], positions[i]);
}

KVCANARY_VECTOR_CLONES void hash_words_of_tile(std::uint64_t* hashes, const HostTile::Words* words,
                                               int num_words, int count) {
  for (int w = 0; w < num_words; ++w) {
    for (int i = 0; i < count; ++i) hashes[i] = splitmix64(hashes[i] ^ words[w][i]);
  }
}

KVCANARY_VECTOR_CLONES void join_sources_of_tile(std::uint64_t* joined, const std::uint64_t* hashes,
                                                 int count) {
  for (int i = 0; i < count; ++i) joined[i] = splitmix64(joined[i] ^ hashes[i]);
}

}  // namespace kvcanary::detail
