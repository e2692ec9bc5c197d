#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <stdexcept>

/// \file
/// A read-only array of int32 or int64 that is read as int64.
namespace kvcanary {

/// Width of the integers in an array.
enum class IntType : std::uint8_t { int32, int64 };

/// Non-owning view of a contiguous array of int32 or int64. Engines keep tokens, positions and
/// slots in either width; the width is a value here, not a template parameter, so that one kernel
/// serves every mix of them. A default-constructed span means "not given"; one that was made of a
/// null pointer, or of a View that is not allocated, is given, and refused by operations.
class IntSpan {
 public:
  IntSpan() = default;

  /// `size` integers at `data`, in memory that the operation's execution space can read.
  IntSpan(const std::int32_t* data, std::int64_t size, Memory memory = Memory::unknown)
      : IntSpan(data, size, IntType::int32, memory) {}
  IntSpan(const std::int64_t* data, std::int64_t size, Memory memory = Memory::unknown)
      : IntSpan(data, size, IntType::int64, memory) {}

  /// All of a rank-0 or rank-1 View of int32 or int64. The View must outlive the span.
  /// \throws std::invalid_argument when the View is not contiguous
  template <class T, class... Properties>
    requires(Kokkos::View<T, Properties...>::rank() <= 1)
  IntSpan(const Kokkos::View<T, Properties...>& view)  // NOLINT(google-explicit-constructor)
      : IntSpan(view.data(), static_cast<std::int64_t>(view.size()),
                memory_of<typename Kokkos::View<T, Properties...>::memory_space>()) {
    if (!view.span_is_contiguous()) {
      throw std::invalid_argument("IntSpan: view '" + view.label() +
                                  "' is strided, must be contiguous");
    }
  }

  /// Whether the array was given at all.
  bool given() const { return given_; }
  const void* data() const { return data_; }
  std::int64_t size() const { return size_; }
  IntType type() const { return type_; }
  Memory memory() const { return memory_; }

 private:
  IntSpan(const void* data, std::int64_t size, IntType type, Memory memory)
      : data_(data), size_(size), type_(type), memory_(memory), given_(true) {}

  const void* data_ = nullptr;
  std::int64_t size_ = 0;
  IntType type_ = IntType::int64;
  Memory memory_ = Memory::unknown;
  bool given_ = false;
};

}  // namespace kvcanary
