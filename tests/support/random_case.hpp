#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/case.hpp"

/// \file
/// Random scenarios without a mistake: nothing in them may be reported.

enum class CaseKind {
  mixed,       ///< a few requests of some dozens of tokens, prefixes shared between them
  window,      ///< the same in a sliding-window pool, with or without a translation
  many_short,  ///< hundreds of requests of a few tokens
  few_long,    ///< a few requests of up to thousands of tokens
};

/// Three steps of a small engine: chunked prefill and decode, with padded rows and entries, under
/// the conventions of any engine (padding slots and row, page size, table or lists, where
/// verification ends, how a table says that a token has left the window). Slots are unique across
/// the requests of a step, but for padding slots, and no request writes another one's seed.
Case random_case(CaseKind kind, std::uint64_t seed);

/// One to twelve cases of any kind that have nothing to do with each other, but whose pools can
/// share a launch: up to twelve endpoints, no two with the same tag.
std::vector<Case> random_pools(std::uint64_t seed);
