#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tests/support/sanitizer.hpp"

/// \file
/// Bytes in the memory of an execution space, between guards that tell whether anybody wrote past
/// them and, under the address sanitizer, whether anybody read there. Its own guards would not do:
/// Kokkos puts a header in front of every allocation, where an index of -1 would land unnoticed.
template <class Space>
class GuardedBytes {
 public:
  /// `data` starts `misalignment` bytes after a multiple of 64. Reads are caught from the first
  /// byte past the end and from the first before the start, or, with a misalignment that is no
  /// multiple of 8, from at most the eighth before it.
  GuardedBytes(const void* data, std::size_t size, std::size_t misalignment = 0)
      : storage_(std::make_shared<Storage>(data, size, misalignment)) {}

  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(storage_->bytes.data() + storage_->before);
  }

  /// Copies the bytes back, and fails the test when a guard has changed.
  void fetch(void* to) const { storage_->fetch(to); }

 private:
  static constexpr std::size_t guard_size = 1024;  ///< several rows of any canary buffer
  static constexpr unsigned char guard = 0x5A;

  /// Shared by copies; guards until the last of them is gone.
  struct Storage {
    Storage(const void* data, std::size_t size, std::size_t misalignment)
        : before(guard_size + misalignment),
          size(size),
          bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "GuardedBytes"),
                before + size + guard_size) {
      const auto host = Kokkos::create_mirror_view(bytes);
      std::fill_n(host.data(), host.size(), guard);
      if (size > 0) std::memcpy(host.data() + before, data, size);
      Kokkos::deep_copy(bytes, host);
      poison();
    }
    ~Storage() { unpoison(); }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    void fetch(void* to) {
      unpoison();
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, bytes);
      if (size > 0) std::memcpy(to, host.data() + before, size);
      expect_guards({host.data(), host.size()});
      poison();
    }

    void expect_guards(std::span<const unsigned char> all) const {
      const auto is_guard = [](unsigned char byte) { return byte == guard; };
      EXPECT_TRUE(std::ranges::all_of(all.first(before), is_guard)) << "written before the start";
      EXPECT_TRUE(std::ranges::all_of(all.subspan(before + size), is_guard))
          << "written past the end";
    }

    void poison() const {
      if (!on_host) return;
      sanitizer::poison(bytes.data(), before);
      sanitizer::poison(bytes.data() + before + size, guard_size);
    }
    void unpoison() const {
      if (on_host) sanitizer::unpoison(bytes.data(), bytes.size());
    }

    static constexpr bool on_host =
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
    std::size_t before;
    std::size_t size;
    Kokkos::View<unsigned char*, typename Space::memory_space> bytes;
  };

  std::shared_ptr<Storage> storage_;
};

/// A vector in the memory of an execution space.
template <class T, class Space>
class GuardedArray {
 public:
  explicit GuardedArray(const std::vector<T>& values, std::size_t misalignment = 0)
      : size_(values.size()), bytes_(values.data(), values.size() * sizeof(T), misalignment) {}

  T* data() const { return bytes_.template data<T>(); }
  std::size_t size() const { return size_; }

  std::vector<T> fetch() const {
    std::vector<T> values(size_);
    bytes_.fetch(values.data());
    return values;
  }

 private:
  std::size_t size_;
  GuardedBytes<Space> bytes_;
};
