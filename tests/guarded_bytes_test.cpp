#include "tests/support/guarded_bytes.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

/// \file
/// The guards that all other tests rely on see what is next to an array.
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Bytes = GuardedArray<unsigned char, Space>;

TEST(GuardedBytesTest, HoldWhatTheyWereGiven) {
  for (const std::size_t misalignment : {0, 1, 8, 15}) {
    const std::vector<std::int32_t> values = {1, -2, 3};
    const GuardedArray<std::int32_t, Space> array(values, misalignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, misalignment);
    EXPECT_EQ(array.fetch(), values);
    const GuardedArray<std::int32_t, Space> copy = array;
    EXPECT_EQ(copy.data(), array.data());
  }
  EXPECT_TRUE(Bytes({}).fetch().empty());
}

/// Without a sanitizer, which would stop the program.
TEST(GuardedBytesTest, WritesAreSeen) {
  if (sanitizer::is_on) GTEST_SKIP() << "the sanitizer sees them";
  for (const std::size_t misalignment : {0, 3}) {
    for (const std::ptrdiff_t at : {-1024, -144, -32, -8, -1}) {
      const Bytes array(std::vector<unsigned char>(40), misalignment);
      array.data()[at] = 0;
      EXPECT_NONFATAL_FAILURE(array.fetch(), "written before the start");
    }
    for (const std::ptrdiff_t at : {40, 41, 48, 72, 1063}) {
      const Bytes array(std::vector<unsigned char>(40), misalignment);
      array.data()[at] = 0;
      EXPECT_NONFATAL_FAILURE(array.fetch(), "written past the end");
    }
  }
}

/// The bytes around an array of any size are out of reach, and those of it are not; after a look at
/// the guards as well.
TEST(GuardedBytesTest, AccessesAreSeenByTheSanitizer) {
  if constexpr (!sanitizer::is_on) {
    GTEST_SKIP() << "no address sanitizer";
  } else {
    for (const std::size_t size : {0, 1, 7, 8, 9, 32, 100}) {
      for (const std::size_t misalignment : {0, 1, 8, 13}) {
        const Bytes array(std::vector<unsigned char>(size), misalignment);
        const auto expect_guarded = [&] {
          const unsigned char* const data = array.data();
          for (std::size_t i = 0; i < size; ++i) EXPECT_FALSE(sanitizer::is_poisoned(data + i));
          for (const std::size_t past : {0, 1, 8, 1000}) {
            EXPECT_TRUE(sanitizer::is_poisoned(data + size + past)) << size << ", " << misalignment;
          }
          const std::size_t nearest = misalignment % 8 == 0 ? 1 : 8;
          for (const std::size_t before : {nearest, nearest + 1, std::size_t{144}}) {
            EXPECT_TRUE(sanitizer::is_poisoned(data - before)) << size << ", " << misalignment;
          }
        };
        expect_guarded();
        array.fetch();
        expect_guarded();
      }
    }
  }
}

TEST(GuardedBytesTest, MemoryIsGivenBackAsItWas) {
  const unsigned char* data = nullptr;
  {
    const Bytes array(std::vector<unsigned char>(64));
    const Bytes copy = array;
    data = array.data();
  }
  // Whoever gets the memory next may use all of it.
  for (int i = 0; i < 100; ++i) {
    const Kokkos::View<unsigned char*, Space::memory_space> next("next", 64 + 2048);
    for (std::size_t k = 0; k < next.size(); ++k) next(k) = 1;
    if (next.data() < data && data < next.data() + next.size()) return;
  }
}

}  // namespace
