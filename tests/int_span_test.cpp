#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/canary_buffer.hpp>
#include <kvcanary/int_span.hpp>
#include <kvcanary/slot_table.hpp>
#include <stdexcept>
#include <string>

/// \file
/// Views as arguments: IntSpan, SlotTable and CanaryBuffer.
namespace {

using kvcanary::IntSpan;
using kvcanary::IntType;
using kvcanary::Memory;

TEST(IntSpanTest, NotGiven) {
  EXPECT_FALSE(IntSpan().given());
  EXPECT_EQ(IntSpan().size(), 0);
}

TEST(IntSpanTest, ReadsBothWidthsWithTheirSign) {
  const std::int32_t narrow[] = {-1, INT32_MAX, INT32_MIN};
  const std::int64_t wide[] = {-1, INT64_MAX, INT64_MIN};
  const IntSpan int32s(narrow, 3), int64s(wide, 3);
  EXPECT_EQ(int32s.type(), IntType::int32);
  EXPECT_EQ(int64s.type(), IntType::int64);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(int32s[i], narrow[i]);
    EXPECT_EQ(int64s[i], wide[i]);
  }
}

TEST(IntSpanTest, OfViews) {
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> array("array", 5);
  const Kokkos::View<std::int64_t, Kokkos::HostSpace> scalar("scalar");
  array(4) = -9;
  scalar() = 8;
  const IntSpan of_array = array, of_scalar = scalar;
  EXPECT_TRUE(of_array.given());
  EXPECT_EQ(of_array.size(), 5);
  EXPECT_EQ(of_array[4], -9);
  EXPECT_EQ(of_array.memory(), Memory::host);
  EXPECT_EQ(of_scalar.size(), 1);
  EXPECT_EQ(of_scalar[0], 8);
  const Kokkos::View<const std::int32_t*, Kokkos::HostSpace> constant = array;
  EXPECT_EQ(IntSpan(constant)[4], -9);
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

TEST(CanaryBufferTest, OfAView) {
  const Kokkos::View<kvcanary::Record*, Kokkos::HostSpace> records("records", 6);
  const kvcanary::CanaryBuffer buffer = records;
  EXPECT_EQ(static_cast<const void*>(buffer.data), records.data());
  EXPECT_EQ(buffer.num_slots, 6);
  EXPECT_EQ(buffer.stride, 32);
  EXPECT_EQ(buffer.memory, Memory::host);
}

}  // namespace
