#pragma once

#include <cstdint>

#include "tests/support/case.hpp"

/// \file
/// Random scenarios without a mistake: nothing in them may be reported.

enum class CaseKind {
  mixed,       ///< a few requests of some dozens of tokens, prefixes shared between them
  window,      ///< the same in a sliding-window pool, mostly with a translation
  many_short,  ///< hundreds of requests of a few tokens
  few_long,    ///< a few requests of up to thousands of tokens
};

/// Three steps of a small engine: chunked prefill and decode, with padded rows and entries. Slots
/// are unique across the requests of a step, and no request writes another one's seed.
Case random_case(CaseKind kind, std::uint64_t seed);
