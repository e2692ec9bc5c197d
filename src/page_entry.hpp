#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

/// \file
/// An entry of a slot table or a list on its way from memory.
namespace kvcanary::detail {

/// An entry of int32 or int64 in words that are as they were loaded: extending the sign of one
/// would wait for it.
class PageEntry {
 public:
  /// No page.
  PageEntry() = default;
  KOKKOS_FUNCTION explicit PageEntry(std::int32_t entry) : low_(entry), high_(0) {}
  KOKKOS_FUNCTION explicit PageEntry(std::int64_t entry)
      : low_(static_cast<std::int32_t>(entry)), high_(static_cast<std::int32_t>(entry >> 32)) {}

  /// Whether it surely names a page: one below 2^31.
  KOKKOS_FUNCTION bool is_page() const { return low_ >= 0 && high_ == 0; }
  /// If it does.
  KOKKOS_FUNCTION std::int64_t page() const { return low_; }

  /// Whatever it is. \param is_wide whether it was made of an int64
  KOKKOS_FUNCTION std::int64_t value(bool is_wide) const {
    const auto low = static_cast<std::uint32_t>(low_), high = static_cast<std::uint32_t>(high_);
    return is_wide ? static_cast<std::int64_t>(std::uint64_t{high} << 32 | low) : low_;
  }

 private:
  std::int32_t low_ = -1, high_ = -1;
};

}  // namespace kvcanary::detail
