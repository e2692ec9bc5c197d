#include "src/divisor.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/rng.hpp"
#include "tests/support/settings.hpp"

/// \file
/// Division as a multiplication, against division.
namespace {

using kvcanary::detail::Divisor;

constexpr std::int64_t limit = Divisor::limit;

void expect_quotient(std::int64_t dividend, std::int64_t divisor) {
  ASSERT_EQ(
      Divisor(static_cast<std::int32_t>(divisor)).quotient(static_cast<std::int32_t>(dividend)),
      dividend / divisor)
      << dividend << " / " << divisor;
}

/// Where a quotient changes, and next to it.
void expect_quotients_around(std::int64_t dividend, std::int64_t divisor) {
  for (std::int64_t near = dividend - 1; near <= dividend + 1; ++near) {
    if (near >= 0 && near < limit) expect_quotient(near, divisor);
  }
}

TEST(DivisorTest, Edges) {
  std::vector<std::int64_t> divisors = {1, 3, 5, 7, 31, 62, 641, 1000, 123456789, INT32_MAX};
  for (std::int64_t power = 2; power <= limit; power *= 2) {
    divisors.insert(divisors.end(), {power - 1, power, power + 1});
  }
  for (const std::int64_t divisor : divisors) {
    EXPECT_EQ(Divisor(static_cast<std::int32_t>(divisor)).divisor(), divisor);
    for (const std::int64_t quotient : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                                        limit / divisor / 2, limit / divisor}) {
      expect_quotients_around(quotient * divisor, divisor);
    }
    expect_quotients_around(limit - 1, divisor);
  }
}

TEST(DivisorTest, Random) {
  Rng rng(test_settings::seed());
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t divisor = rng.between(1, std::int64_t{1} << rng.between(0, 30));
    const std::int64_t dividend = rng.between(0, limit - 1);
    expect_quotient(dividend, divisor);
    expect_quotients_around(dividend / divisor * divisor, divisor);
  }
}

}  // namespace
