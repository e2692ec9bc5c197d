#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

/// \file
/// What the environment says about the random tests.
namespace test_settings {

inline std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text, nullptr, 0);
}

/// Seed of the first random case of each test; the next ones count up from it.
inline std::uint64_t seed() { return number("KVCANARY_TEST_SEED", 20260701); }

/// Random cases of a test that runs `otherwise` of them when nothing is asked for.
inline std::uint64_t cases(std::uint64_t otherwise) {
  return number("KVCANARY_TEST_CASES", otherwise);
}

/// Steps of the decode loops. Fewer serve tools that make every access slow.
inline int steps() { return static_cast<int>(number("KVCANARY_TEST_STEPS", 1000)); }

}  // namespace test_settings
