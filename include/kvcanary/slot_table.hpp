#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/int_span.hpp>
#include <kvcanary/memory.hpp>
#include <type_traits>

/// \file
/// Where the token at a position of a request lies in the pool.
namespace kvcanary {

/// There is no slot, and that is right: the predecessor of position 0, the seed of an empty prefix.
inline constexpr std::int64_t no_slot = -1;
/// There must be a slot, but the table, the list or the translation has none. write and verify
/// report it as out of bounds.
inline constexpr std::int64_t invalid_slot = -2;
/// A predecessor that is gone, and that is right: it lies outside the window. Its successor's chain
/// is not checked.
inline constexpr std::int64_t unchecked_slot = -3;

/// Non-owning view of `entries[num_rows][row_stride]`: the page of a request's row and page column.
/// `slot = entries[row][position / page_size] * page_size + position % page_size`. A page size of 1
/// is SGLang's req_to_token; 16, 64, ... is the block table of vLLM and TensorRT-LLM. Negative
/// entries mean "no page".
struct SlotTable {
  const void* entries = nullptr;  ///< of `type`
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t row_stride = 0;  ///< entries from row to row, >= num_columns
  std::int64_t page_size = 1;   ///< tokens a page, 1 to 2^31 - 1
  Memory memory = Memory::unknown;
  IntType type = IntType::int32;

  SlotTable() = default;
  SlotTable(const std::int32_t* entries, std::int64_t num_rows, std::int64_t num_columns,
            std::int64_t row_stride, std::int64_t page_size, Memory memory = Memory::unknown)
      : SlotTable(entries, IntType::int32, num_rows, num_columns, row_stride, page_size, memory) {}
  SlotTable(const std::int64_t* entries, std::int64_t num_rows, std::int64_t num_columns,
            std::int64_t row_stride, std::int64_t page_size, Memory memory = Memory::unknown)
      : SlotTable(entries, IntType::int64, num_rows, num_columns, row_stride, page_size, memory) {}
  /// Of no entries.
  SlotTable(std::nullptr_t, std::int64_t num_rows, std::int64_t num_columns,
            std::int64_t row_stride, std::int64_t page_size, Memory memory = Memory::unknown)
      : SlotTable(nullptr, IntType::int32, num_rows, num_columns, row_stride, page_size, memory) {}

  /// All of a row-major View of int32 or int64 [rows][columns].
  template <class T, class... Properties>
    requires(Kokkos::View<T, Properties...>::rank() == 2)
  SlotTable(const Kokkos::View<T, Properties...>& view, std::int64_t page_size)
      : SlotTable(view.data(), static_cast<std::int64_t>(view.extent(0)),
                  static_cast<std::int64_t>(view.extent(1)),
                  static_cast<std::int64_t>(view.stride(0)), page_size,
                  memory_of<typename Kokkos::View<T, Properties...>::memory_space>()) {
    static_assert(
        std::is_same_v<typename Kokkos::View<T, Properties...>::array_layout, Kokkos::LayoutRight>,
        "SlotTable: the View must be LayoutRight");
  }

 private:
  SlotTable(const void* entries, IntType type, std::int64_t num_rows, std::int64_t num_columns,
            std::int64_t row_stride, std::int64_t page_size, Memory memory)
      : entries(entries),
        num_rows(num_rows),
        num_columns(num_columns),
        row_stride(row_stride),
        page_size(page_size),
        memory(memory),
        type(type) {}
};

}  // namespace kvcanary
