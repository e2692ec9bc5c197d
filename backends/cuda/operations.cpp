#include "src/instantiate.hpp"

KVCANARY_INSTANTIATE(Kokkos::Cuda)
