#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>

#include "backends/execution_spaces.hpp"

/// \file
/// Tests that run on every execution space of this build.

namespace detail {
template <class... Spaces>
testing::Types<Spaces...> to_types(kvcanary::TypeList<Spaces...>);
}  // namespace detail

/// For TYPED_TEST_SUITE.
using Spaces = decltype(detail::to_types(kvcanary::ExecutionSpaces()));

/// Names the tests of a space after it: "PlanTest/OpenMP.EmptyBatch".
struct SpaceName {
  template <class Space>
  static std::string GetName(int) {
    return Space::name();
  }
};

/// Base of every test that runs kernels.
template <class Space>
class SpaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Kokkos::is_initialized()) {
      GTEST_SKIP() << "Kokkos found no device for " << Space::name() << ": nothing was run";
    }
  }
};
