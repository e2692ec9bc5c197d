#include "oracle/record.hpp"

#include <array>
#include <cstring>

#include "oracle/chain_hash.hpp"

namespace oracle {

std::uint64_t next(const Record& record, Chain chain) {
  const auto hash = static_cast<std::uint64_t>(record.prev_hash);
  const auto token = static_cast<std::uint64_t>(record.token);
  const auto position = static_cast<std::uint64_t>(record.position);
  return chain == Chain::splitmix ? mix3(hash, token, position)
                                  : advance_polynomial(hash, token, position);
}

Record load(const Endpoint& endpoint, std::int64_t slot) {
  std::array<std::int64_t, 4> words;
  std::memcpy(words.data(), &endpoint.canary.at(slot * endpoint.stride), sizeof(words));
  return {words[0], words[1], words[2], words[3]};
}

void store(Endpoint& endpoint, std::int64_t slot, const Record& record) {
  const std::array<std::int64_t, 4> words = {record.token, record.position, record.prev_hash,
                                             record.kv_hash};
  std::memcpy(&endpoint.canary.at(slot * endpoint.stride), words.data(), sizeof(words));
}

}  // namespace oracle
