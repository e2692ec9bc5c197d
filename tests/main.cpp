#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <exception>
#include <iostream>

#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Runs the tests inside a Kokkos session, and says what they run on.
namespace {

#define KVCANARY_PRINT_SPACE(Space) std::cout << ' ' << Space::name();
void print_spaces() {
  std::cout << "execution spaces:";
  KVCANARY_FOR_EACH_SPACE(KVCANARY_PRINT_SPACE)
  std::cout << '\n';
}
#undef KVCANARY_PRINT_SPACE

/// Without a device, Kokkos doesn't start, and the tests that need it skip themselves.
void initialize(int& argc, char** argv) {
  try {
    Kokkos::initialize(argc, argv);
  } catch (const std::exception& error) {
    std::cout << "no Kokkos: " << error.what() << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  initialize(argc, argv);
  print_spaces();
  std::cout << "KVCANARY_TEST_SEED=" << test_settings::seed() << '\n';
  const int failed = RUN_ALL_TESTS();
  if (Kokkos::is_initialized()) Kokkos::finalize();
  return failed;
}
