#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>

#include "backends/execution_spaces.hpp"
#include "tests/support/emulated_space.hpp"
#include "tests/support/sanitizer.hpp"

/// \file
/// Tests that run on every execution space of this build.

// Where there is a device, its kernels need no emulation, and its compiler warns of host calls.
// A sanitizer, under which emulated lanes are ten times as slow, sees one of the two: their kernels
// are the same.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define KVCANARY_FOR_EACH_EMULATED_SPACE(MACRO)
#elif defined(TESTS_ARE_SANITIZED)
#define KVCANARY_FOR_EACH_EMULATED_SPACE(MACRO) MACRO(EmulatedCuda)
#else
#define KVCANARY_FOR_EACH_EMULATED_SPACE(MACRO) MACRO(EmulatedCuda) MACRO(EmulatedHip)
#endif

namespace space_types {
template <class... Emulated, class... Spaces>
testing::Types<Spaces..., Emulated...> to_types(kvcanary::TypeList<Spaces...>,
                                                kvcanary::TypeList<void, Emulated...> = {});
#define KVCANARY_COMMA_THEN(Space) , Space
using Emulated = kvcanary::TypeList<void KVCANARY_FOR_EACH_EMULATED_SPACE(KVCANARY_COMMA_THEN)>;
#undef KVCANARY_COMMA_THEN
}  // namespace space_types

/// For TYPED_TEST_SUITE.
using Spaces = decltype(space_types::to_types(kvcanary::ExecutionSpaces()));

/// The same with emulated devices, for tests that reach the library through Library.
using OperationSpaces =
    decltype(space_types::to_types(kvcanary::ExecutionSpaces(), space_types::Emulated()));

/// Whether operations run the kernels of hosts.
template <class Space>
inline constexpr bool runs_host_kernels = kvcanary::is_host_space<Space>;
template <>
inline constexpr bool runs_host_kernels<EmulatedCuda> = false;
template <>
inline constexpr bool runs_host_kernels<EmulatedHip> = false;

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
