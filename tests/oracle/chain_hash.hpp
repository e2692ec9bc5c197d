#pragma once

#include <cstdint>

/// \file
/// The arithmetic of docs/semantics.md, once more and on its own: the oracle shares no code with
/// the library.
namespace oracle {

std::uint64_t splitmix64(std::uint64_t x);
std::uint64_t mix3(std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// A polynomial chain's hash after a token at a position, given the hash before it.
std::uint64_t advance_polynomial(std::uint64_t hash, std::uint64_t token, std::uint64_t position);

/// Hash before the first token of a request.
std::uint64_t anchor();

}  // namespace oracle
