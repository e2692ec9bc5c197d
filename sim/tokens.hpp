#pragma once

#include <cstdint>

#include "sim/rng.hpp"
#include "sim/trace.hpp"

namespace kvcanary::sim {

/// Token ids lie in [0, vocabulary_size).
inline constexpr std::int64_t vocabulary_size = 128'000;

/// Which tokens the requests of a run are made of: a pure function of a seed. Prompt blocks with
/// the same hash id have the same tokens, in every request and at every place in the prompt.
class TokenSource {
 public:
  explicit constexpr TokenSource(std::uint64_t seed) : seed_(mix64(seed + 1)) {}

  /// Token at `position` of the prompt, position in [0, input_length).
  std::int32_t input(const Request& request, std::int64_t position) const {
    const auto block = static_cast<std::size_t>(position / trace_block_tokens);
    return draw(block_key(request.hash_ids[block]), position % trace_block_tokens);
  }

  /// Token generated at `position` (>= input_length) by the request with this index in the trace.
  std::int32_t output(std::int64_t request_id, std::int64_t position) const {
    return draw(mix64(seed_ ^ mix64(~static_cast<std::uint64_t>(request_id))), position);
  }

 private:
  constexpr std::uint64_t block_key(std::int64_t hash_id) const {
    return mix64(seed_ ^ mix64(static_cast<std::uint64_t>(hash_id)));
  }
  static constexpr std::int32_t draw(std::uint64_t key, std::int64_t index) {
    Rng rng(key + static_cast<std::uint64_t>(index));
    return static_cast<std::int32_t>(rng.below(vocabulary_size));
  }

  std::uint64_t seed_;
};

/// History before the first token.
inline constexpr std::uint64_t empty_history = 0x243F6A8885A308D3u;

/// History of a token: a hash of everything its KV depends on, which is itself, its position and
/// all tokens before it. Equal prefixes have equal histories, so a shared page has one content.
constexpr std::uint64_t next_history(std::uint64_t history, std::int32_t token,
                                     std::int64_t position) {
  const auto entry = static_cast<std::uint64_t>(position) << 20 ^ static_cast<std::uint32_t>(token);
  return mix64(history + 0x9E3779B97F4A7C15u * (entry + 1));
}

}  // namespace kvcanary::sim
