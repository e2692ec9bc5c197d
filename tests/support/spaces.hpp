#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>

/// \file
/// The execution spaces that the tests run on: all that this Kokkos has and kvcanary knows.

#ifdef KOKKOS_ENABLE_SERIAL
#define KVCANARY_IF_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define KVCANARY_IF_SERIAL(MACRO)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define KVCANARY_IF_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define KVCANARY_IF_OPENMP(MACRO)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define KVCANARY_IF_CUDA(MACRO) MACRO(Kokkos::Cuda)
#else
#define KVCANARY_IF_CUDA(MACRO)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define KVCANARY_IF_HIP(MACRO) MACRO(Kokkos::HIP)
#else
#define KVCANARY_IF_HIP(MACRO)
#endif

/// MACRO(Space) for every execution space.
#define KVCANARY_FOR_EACH_SPACE(MACRO) \
  KVCANARY_IF_SERIAL(MACRO) KVCANARY_IF_OPENMP(MACRO) KVCANARY_IF_CUDA(MACRO) KVCANARY_IF_HIP(MACRO)

namespace detail {
struct Nothing;
template <class, class... Spaces>
using TypesAfterFirst = testing::Types<Spaces...>;
}  // namespace detail

#define KVCANARY_COMMA_THEN(Space) , Space
/// For TYPED_TEST_SUITE.
using Spaces =
    detail::TypesAfterFirst<detail::Nothing KVCANARY_FOR_EACH_SPACE(KVCANARY_COMMA_THEN)>;
#undef KVCANARY_COMMA_THEN

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
