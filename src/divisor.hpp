#pragma once

#include <Kokkos_Macros.hpp>
#include <bit>
#include <cstdint>

/// \file
/// Division by a number that only the host knows ahead, as a multiplication.
namespace kvcanary::detail {

/// A division costs a device as much as everything else that it does to a position. T. Granlund and
/// P. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994.
class Divisor {
 public:
  /// Dividends are in [0, limit): all positions are (max_tokens), most slots are.
  static constexpr std::int64_t limit = std::int64_t{1} << 30;

  Divisor() = default;
  /// \param divisor at least 1
  explicit Divisor(std::int32_t divisor)
      : divisor_(divisor), shift_(std::bit_width(static_cast<std::uint32_t>(divisor) - 1)) {
    const auto d = static_cast<std::uint64_t>(divisor);
    factor_ = static_cast<std::uint32_t>(((std::uint64_t{1} << (30 + shift_)) + d - 1) / d);
  }

  KOKKOS_FUNCTION std::int32_t divisor() const { return divisor_; }

  KOKKOS_FUNCTION std::int32_t quotient(std::int32_t dividend) const {
    const std::uint64_t scaled = static_cast<std::uint32_t>(dividend) << 2;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(scaled * factor_ >> 32) >> shift_);
  }

 private:
  std::int32_t divisor_;
  std::int32_t shift_;    ///< the logarithm of the divisor, rounded up
  std::uint32_t factor_;  ///< 2^(30 + shift) / divisor, rounded up
};

}  // namespace kvcanary::detail
