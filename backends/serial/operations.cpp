#include "backends/instantiate.hpp"

KVCANARY_INSTANTIATE(Kokkos::Serial)
