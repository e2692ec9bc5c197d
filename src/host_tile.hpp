#pragma once

#include <cstdint>
#include <kvcanary/chain_hash.hpp>

#include "backends/host/tuning.hpp"

/// \file
/// What hosts compute for many slots at a time, in loops that compilers vectorise: the words of
/// each kind lie one after the other.
namespace kvcanary::detail {

/// Slots that a host thread works on at a time.
inline constexpr int host_tile_size = tuning::Host::tile_size;

/// Records of neighbouring positions, and what they have to be.
struct HostTile {
  using Words = std::uint64_t[host_tile_size];

  int count;
  Words token, position, prev_hash, kv_hash;
  std::uint64_t first_position;
  std::uint64_t first_hash;  ///< prev_hash of the first record
  Chain chain;
  Words expected_token;  ///< of those whose token_mask is all ones, not 0
  Words token_mask;
  Words expected_kv_hash;
};

/// 0 when every record is as expected, and follows the one before it in its chain.
std::uint64_t differences(const HostTile& tile);

/// What a polynomial chain adds for each of `count` tokens.
void polynomial_terms(const std::int64_t* tokens, const std::int64_t* positions, int count,
                      std::uint64_t* terms);

/// Words of KV bytes of each slot that are hashed in one go.
inline constexpr int words_at_once = tuning::Host::kv_words_at_once;

/// Continues the hash of each of `count` slots by `num_words` of its words.
void hash_words_of_tile(std::uint64_t* hashes, const HostTile::Words* words, int num_words,
                        int count);

/// Joins the hashes of one more source to those of the sources before.
void join_sources_of_tile(std::uint64_t* joined, const std::uint64_t* hashes, int count);

}  // namespace kvcanary::detail
