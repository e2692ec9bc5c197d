#include "oracle/chain_hash.hpp"

namespace oracle {

std::uint64_t splitmix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 13787848793156543929U;  // 0xBF58476D1CE4E5B9
  x ^= x >> 27;
  x *= 10723151780598845931U;  // 0x94D049BB133111EB
  x ^= x >> 31;
  return x;
}

std::uint64_t mix3(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t hash = splitmix64(a);
  hash = splitmix64(hash ^ b);
  return splitmix64(hash ^ c);
}

std::uint64_t advance_polynomial(std::uint64_t hash, std::uint64_t token, std::uint64_t position) {
  const std::uint64_t term = splitmix64(splitmix64(token) ^ position);
  return 15074714826142052245U * hash + term;  // 0xD1342543DE82EF95
}

std::uint64_t anchor() { return splitmix64(0xC0FFEE1234567890U); }

}  // namespace oracle
