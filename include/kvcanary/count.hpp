#pragma once

#include <cstdint>

/// \file
/// What kernels count in.
namespace kvcanary {

/// The type of 64 bits whose atomic add is native on every backend (desul makes that of
/// `unsigned long long` a compare-and-swap loop on CUDA).
using Count = std::uint64_t;

}  // namespace kvcanary
