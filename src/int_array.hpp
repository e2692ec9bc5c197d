#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/int_span.hpp>

#include "src/prefetch.hpp"

/// \file
/// An IntSpan in eight bytes, for kernels whose arguments are many.
namespace kvcanary::detail {

/// A read-only array of int32 or int64 without its size. Both are aligned to 4 bytes, so the lowest
/// bit of the address is free to tell them apart.
class IntArray {
 public:
  IntArray() = default;
  explicit IntArray(const IntSpan& span)
      : bits_(reinterpret_cast<std::uintptr_t>(span.data()) |
              (span.data() != nullptr && span.type() == IntType::int32 ? narrow : 0)) {}

  KOKKOS_FUNCTION bool given() const { return bits_ != 0; }

  /// Element `i`, sign-extended. No bounds check.
  KOKKOS_FUNCTION std::int64_t operator[](std::int64_t i) const {
    if ((bits_ & narrow) != 0) return reinterpret_cast<const std::int32_t*>(bits_ - narrow)[i];
    return reinterpret_cast<const std::int64_t*>(bits_)[i];
  }

  /// Elements `i` and `i + 1`.
  struct Pair {
    std::int64_t first, second;
  };
  KOKKOS_FUNCTION Pair pair(std::int64_t i) const {
    if ((bits_ & narrow) != 0) {
      const auto* const at = reinterpret_cast<const std::int32_t*>(bits_ - narrow) + i;
      return {at[0], at[1]};
    }
    const auto* const at = reinterpret_cast<const std::int64_t*>(bits_) + i;
    return {at[0], at[1]};
  }

  /// `count` elements from `first` on, sign-extended, for the host.
  template <class Out>
  void copy(std::int64_t first, std::int64_t count, Out* to) const {
    if ((bits_ & narrow) != 0) {
      copy(reinterpret_cast<const std::int32_t*>(bits_ - narrow) + first, count, to);
    } else {
      copy(reinterpret_cast<const std::int64_t*>(bits_) + first, count, to);
    }
  }

  /// On a host: starts to fetch `count` elements, which may lie behind the last one.
  void prefetch(std::int64_t first, std::int64_t count) const {
    const std::uintptr_t size = (bits_ & narrow) != 0 ? 4 : 8;
    const std::uintptr_t begin = (bits_ & ~narrow) + static_cast<std::uintptr_t>(first) * size;
    const std::uintptr_t end = begin + static_cast<std::uintptr_t>(count) * size;
    for (std::uintptr_t at = begin; at < end; at += cache_line) {
      prefetch_read(reinterpret_cast<const void*>(at));
    }
  }

 private:
  template <class Int, class Out>
  static void copy(const Int* from, std::int64_t count, Out* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(std::int64_t{from[i]});
  }

  static constexpr std::uintptr_t narrow = 1;

  std::uintptr_t bits_;
};

}  // namespace kvcanary::detail
