#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/canary_buffer.hpp>
#include <kvcanary/int_span.hpp>
#include <kvcanary/padding.hpp>
#include <kvcanary/slot_table.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// \file
/// Views as arguments: IntSpan, SlotTable and CanaryBuffer; and padding slots.
namespace {

using kvcanary::IntSpan;
using kvcanary::IntType;
using kvcanary::Memory;
using kvcanary::Record;

TEST(IntSpanTest, NotGiven) {
  EXPECT_FALSE(IntSpan().given());
  EXPECT_EQ(IntSpan().size(), 0);
  EXPECT_EQ(IntSpan().data(), nullptr);
}

TEST(IntSpanTest, OfPointers) {
  const std::int32_t narrow[] = {-1, INT32_MAX, INT32_MIN};
  const std::int64_t wide[] = {-1, INT64_MAX, INT64_MIN};
  const IntSpan int32s(narrow, 3), int64s(wide, 2, Memory::device);
  EXPECT_TRUE(int32s.given());
  EXPECT_EQ(int32s.data(), narrow);
  EXPECT_EQ(int32s.size(), 3);
  EXPECT_EQ(int32s.type(), IntType::int32);
  EXPECT_EQ(int32s.memory(), Memory::unknown);
  EXPECT_EQ(int64s.data(), wide);
  EXPECT_EQ(int64s.size(), 2);
  EXPECT_EQ(int64s.type(), IntType::int64);
  EXPECT_EQ(int64s.memory(), Memory::device);
}

/// Whoever gives what is not there has made a mistake, and did not mean to give nothing.
TEST(IntSpanTest, OfNothing) {
  EXPECT_TRUE(IntSpan(static_cast<const std::int32_t*>(nullptr), 4).given());
  EXPECT_TRUE(IntSpan(static_cast<const std::int64_t*>(nullptr), 0).given());
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> unallocated;
  const IntSpan span = unallocated;
  EXPECT_TRUE(span.given());
  EXPECT_EQ(span.data(), nullptr);
  EXPECT_EQ(span.size(), 0);
}

TEST(IntSpanTest, OfViews) {
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> array("array", 5);
  const Kokkos::View<std::int64_t, Kokkos::HostSpace> scalar("scalar");
  const IntSpan of_array = array, of_scalar = scalar;
  EXPECT_TRUE(of_array.given());
  EXPECT_EQ(of_array.data(), array.data());
  EXPECT_EQ(of_array.size(), 5);
  EXPECT_EQ(of_array.type(), IntType::int32);
  EXPECT_EQ(of_array.memory(), Memory::host);
  EXPECT_EQ(of_scalar.data(), scalar.data());
  EXPECT_EQ(of_scalar.size(), 1);
  EXPECT_EQ(of_scalar.type(), IntType::int64);
  const Kokkos::View<const std::int32_t*, Kokkos::HostSpace> constant = array;
  EXPECT_EQ(IntSpan(constant).data(), array.data());
  const Kokkos::View<std::int32_t[5], Kokkos::HostSpace> fixed("fixed");
  EXPECT_EQ(IntSpan(fixed).size(), 5);
}

/// A part of an array is contiguous too.
TEST(IntSpanTest, OfSubviews) {
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> array("array", 9);
  const IntSpan span = Kokkos::subview(array, std::pair<int, int>(2, 6));
  EXPECT_EQ(span.data(), &array(2));
  EXPECT_EQ(span.size(), 4);
}

TEST(IntSpanTest, StridedViewsAreRefused) {
  const Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> matrix("matrix", 3, 4);
  EXPECT_NO_THROW(IntSpan(Kokkos::subview(matrix, 1, Kokkos::ALL)));
  try {
    const IntSpan column(Kokkos::subview(matrix, Kokkos::ALL, 1));
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("must be contiguous"), std::string::npos);
  }
}

TEST(SlotTableTest, OfAView) {
  const Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> view("table", 3, 4);
  const kvcanary::SlotTable table(view, 16);
  EXPECT_EQ(table.entries, view.data());
  EXPECT_EQ(table.num_rows, 3);
  EXPECT_EQ(table.num_columns, 4);
  EXPECT_EQ(table.row_stride, 4);
  EXPECT_EQ(table.page_size, 16);
  EXPECT_EQ(table.memory, Memory::host);
}

TEST(SlotTableTest, Width) {
  const Kokkos::View<std::int64_t**, Kokkos::LayoutRight, Kokkos::HostSpace> wide("table", 3, 4);
  EXPECT_EQ(kvcanary::SlotTable(wide, 16).type, kvcanary::IntType::int64);
  EXPECT_EQ(kvcanary::SlotTable(wide.data(), 3, 4, 4, 16).type, kvcanary::IntType::int64);
  EXPECT_EQ(kvcanary::SlotTable(wide.data(), 3, 4, 4, 16).entries, wide.data());
  const std::int32_t narrow = 0;
  EXPECT_EQ(kvcanary::SlotTable(&narrow, 1, 1, 1, 16).type, kvcanary::IntType::int32);
  EXPECT_EQ(kvcanary::SlotTable(nullptr, 0, 0, 0, 16).entries, nullptr);
}

TEST(SlotTableTest, OfAPartOfAView) {
  const Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> view("table", 3, 8);
  const auto part = Kokkos::subview(view, std::pair<int, int>(1, 3), std::pair<int, int>(2, 7));
  const kvcanary::SlotTable table(
      Kokkos::View<const std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace>(view), 1);
  EXPECT_EQ(table.entries, view.data());
  EXPECT_EQ(part.stride(0), 8U);
  if constexpr (std::is_same_v<decltype(part)::array_layout, Kokkos::LayoutRight>) {
    const kvcanary::SlotTable of_part(part, 16);
    EXPECT_EQ(of_part.entries, &view(1, 2));
    EXPECT_EQ(of_part.num_rows, 2);
    EXPECT_EQ(of_part.num_columns, 5);
    EXPECT_EQ(of_part.row_stride, 8);
  }
}

TEST(CanaryBufferTest, OfAView) {
  const Kokkos::View<Record*, Kokkos::HostSpace> records("records", 6);
  const kvcanary::CanaryBuffer buffer = records;
  EXPECT_EQ(static_cast<const void*>(buffer.data), records.data());
  EXPECT_EQ(buffer.num_slots, 6);
  EXPECT_EQ(buffer.stride, 32);
  EXPECT_EQ(buffer.memory, Memory::host);
  EXPECT_EQ(buffer.padding.first, 0);
  EXPECT_EQ(buffer.padding.count, 1);
  EXPECT_EQ(buffer.padding.reads, kvcanary::PaddingReads::report);
  EXPECT_EQ(kvcanary::CanaryBuffer(records, {2, 3}).padding.count, 3);
}

/// Records of several pools side by side: those of one are as far apart as the View has them.
TEST(CanaryBufferTest, OfAStridedView) {
  const Kokkos::View<Record**, Kokkos::LayoutRight, Kokkos::HostSpace> records("records", 6, 4);
  const kvcanary::CanaryBuffer buffer = Kokkos::subview(records, Kokkos::ALL, 3);
  EXPECT_EQ(static_cast<const void*>(buffer.data), &records(0, 3));
  EXPECT_EQ(buffer.num_slots, 6);
  EXPECT_EQ(buffer.stride, 4 * 32);
}

TEST(PaddingSlotsTest, Contains) {
  using kvcanary::PaddingSlots;
  static_assert(PaddingSlots{}.contains(0) && !PaddingSlots{}.contains(1));
  static_assert(!PaddingSlots{0, 0}.contains(0));
  const auto limit = std::numeric_limits<std::int64_t>::max();
  for (const PaddingSlots& padding :
       {PaddingSlots{}, PaddingSlots{0, 0}, PaddingSlots{0, 16}, PaddingSlots{7, 1},
        PaddingSlots{7, 0}, PaddingSlots{limit - 5, 5}, PaddingSlots{limit, 0}}) {
    const std::int64_t end = padding.first + padding.count;
    for (const std::int64_t slot :
         {padding.first - 1, padding.first, end - 1, end, limit, std::int64_t{-1}, std::int64_t{-2},
          std::int64_t{-3}, std::numeric_limits<std::int64_t>::min()}) {
      EXPECT_EQ(padding.contains(slot), slot >= padding.first && slot < end) << slot;
    }
  }
}

}  // namespace
