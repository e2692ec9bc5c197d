#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

/// \file
/// Bytes in the memory of an execution space, between guards that tell whether anybody wrote past
/// them.
template <class Space>
class GuardedBytes {
 public:
  /// `data` starts `misalignment` bytes after a multiple of 64.
  GuardedBytes(const void* data, std::size_t size, std::size_t misalignment = 0)
      : before_(guard_size + misalignment),
        size_(size),
        bytes_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "GuardedBytes"),
               before_ + size + guard_size) {
    const auto host = Kokkos::create_mirror_view(bytes_);
    std::fill_n(host.data(), host.size(), guard);
    if (size > 0) std::memcpy(host.data() + before_, data, size);
    Kokkos::deep_copy(bytes_, host);
  }

  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(bytes_.data() + before_);
  }

  /// Copies the bytes back, and fails the test when a guard has changed.
  void fetch(void* to) const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, bytes_);
    if (size_ > 0) std::memcpy(to, host.data() + before_, size_);
    const auto is_guard = [](unsigned char byte) { return byte == guard; };
    const std::span<const unsigned char> all(host.data(), host.size());
    EXPECT_TRUE(std::ranges::all_of(all.first(before_), is_guard)) << "written before the start";
    EXPECT_TRUE(std::ranges::all_of(all.subspan(before_ + size_), is_guard))
        << "written past the end";
  }

 private:
  static constexpr bool is_sanitized() {
#ifdef __SANITIZE_ADDRESS__
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
#else
    return false;
#endif
  }

  /// The address sanitizer has guards of its own, right at the ends of an allocation, and sees
  /// reads as well.
  static constexpr std::size_t guard_size = is_sanitized() ? 0 : 256;
  static constexpr unsigned char guard = 0x5A;

  std::size_t before_;
  std::size_t size_;
  Kokkos::View<unsigned char*, typename Space::memory_space> bytes_;
};

/// A vector in the memory of an execution space.
template <class T, class Space>
class GuardedArray {
 public:
  explicit GuardedArray(const std::vector<T>& values, std::size_t misalignment = 0)
      : size_(values.size()), bytes_(values.data(), values.size() * sizeof(T), misalignment) {}

  T* data() const { return bytes_.template data<T>(); }

  std::vector<T> fetch() const {
    std::vector<T> values(size_);
    bytes_.fetch(values.data());
    return values;
  }

 private:
  std::size_t size_;
  GuardedBytes<Space> bytes_;
};
