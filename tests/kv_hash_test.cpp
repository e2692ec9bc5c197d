#include "oracle/kv_hash.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "src/endpoint_args.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"

/// \file
/// The hash of KV bytes: known answers, and any shape and alignment against the oracle.
namespace {

using oracle::KVMode;

struct Hash {
  std::uint64_t value;
  bool in_range;

  bool operator==(const Hash&) const = default;
};

/// KV hashes of slots in a kernel. A free function: device lambdas can't be in tests.
template <class Space>
std::vector<Hash> hashes_on(const kvcanary::Endpoint& endpoint, const build::Ints& slots) {
  using Memory = typename Space::memory_space;
  const GuardedArray<std::int64_t, Space> uploaded(slots);
  const std::int64_t* const in = uploaded.data();
  const kvcanary::detail::EndpointArgs args = kvcanary::detail::to_args(endpoint);
  const Kokkos::View<kvcanary::detail::KVHash*, Memory> out("hashes", slots.size());
  Kokkos::parallel_for(
      "kv_hashes", Kokkos::RangePolicy<Space>(0, static_cast<int>(slots.size())),
      KOKKOS_LAMBDA(int i) { out(i) = args.hash_kv(in[i]); });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  std::vector<Hash> hashes;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    hashes.push_back({host(i).value, host(i).in_range});
  }
  return hashes;
}

template <class Space>
class KVHashTest : public SpaceTest<Space> {
 protected:
  static std::vector<Hash> library(const oracle::Endpoint& endpoint, const build::Ints& slots,
                                   std::int64_t misalignment = 0) {
    const UploadedEndpoints<Space> uploaded({0, misalignment}, {endpoint});
    return hashes_on<Space>(uploaded.endpoints()[0], slots);
  }

  static void expect_as_oracle(const oracle::Endpoint& endpoint, const build::Ints& slots,
                               std::int64_t misalignment = 0) {
    std::vector<Hash> expected;
    for (const std::int64_t slot : slots) {
      expected.push_back({oracle::kv_hash(endpoint, slot), oracle::kv_in_range(endpoint, slot)});
    }
    EXPECT_EQ(library(endpoint, slots, misalignment), expected);
  }

  /// One slot whose `count` sources hold the bytes 0, 1, 2, ... one after the other.
  static oracle::Endpoint counting_bytes(std::int64_t count, std::int64_t size, KVMode mode) {
    oracle::Endpoint endpoint = build::endpoint(0, 1);
    endpoint.mode = mode;
    for (std::int64_t i = 0; i < count; ++i) {
      endpoint.sources.push_back(build::kv_source(1, 1, size, size));
      for (std::byte& byte : endpoint.sources.back().bytes) {
        byte = static_cast<std::byte>(static_cast<std::int64_t>(byte) + i * size);
      }
    }
    return endpoint;
  }
};
TYPED_TEST_SUITE(KVHashTest, Spaces, SpaceName);

TYPED_TEST(KVHashTest, KnownAnswers) {
  const auto hash = [](std::int64_t count, std::int64_t size, KVMode mode) {
    const oracle::Endpoint endpoint = TestFixture::counting_bytes(count, size, mode);
    const std::uint64_t value = TestFixture::library(endpoint, {0})[0].value;
    EXPECT_EQ(oracle::kv_hash(endpoint, 0), value);
    return value;
  };
  EXPECT_EQ(hash(1, 32, KVMode::all), 0xB44181DFE9420039);
  EXPECT_EQ(hash(1, 32, KVMode::partial), 0xD6D75024DFD6C30C);
  EXPECT_EQ(hash(2, 32, KVMode::all), 0x05E6A60C1C7D86F0);
  EXPECT_EQ(hash(1, 13, KVMode::all), 0xF85E0BE94E7F3669);
  EXPECT_EQ(hash(1, 32, KVMode::none), 0U);
}

TYPED_TEST(KVHashTest, EverySizeAndAlignment) {
  for (std::int64_t size = 0; size <= 40; ++size) {
    for (std::int64_t misalignment = 0; misalignment < 16; ++misalignment) {
      for (const KVMode mode : {KVMode::partial, KVMode::all}) {
        SCOPED_TRACE("size " + std::to_string(size) +
                     ", base % 16 = " + std::to_string(misalignment));
        oracle::Endpoint endpoint = build::endpoint(0, 5);
        endpoint.mode = mode;
        endpoint.sources = {build::kv_source(5, 1, std::max<std::int64_t>(1, size), size)};
        TestFixture::expect_as_oracle(endpoint, build::iota(5), misalignment);
      }
    }
  }
}

/// The 16-byte loads of aligned sources see the same words as the byte loads of others.
TYPED_TEST(KVHashTest, AlignedAndUnalignedPathsAgree) {
  for (const std::int64_t size : {16, 32, 48, 128, 2048}) {
    oracle::Endpoint endpoint = build::endpoint(0, 3);
    endpoint.mode = KVMode::all;
    endpoint.sources = {build::kv_source(3, 1, size, size)};
    const std::vector<Hash> aligned = TestFixture::library(endpoint, {0, 1, 2});
    EXPECT_EQ(TestFixture::library(endpoint, {0, 1, 2}, 1), aligned) << "size " << size;
    EXPECT_EQ(TestFixture::library(endpoint, {0, 1, 2}, 8), aligned) << "size " << size;
  }
}

TYPED_TEST(KVHashTest, AnyNumberOfSources) {
  for (const int count : {0, 1, 2, 4, 5, 80}) {
    for (const KVMode mode : {KVMode::none, KVMode::partial, KVMode::all}) {
      SCOPED_TRACE(std::to_string(count) + " sources");
      oracle::Endpoint endpoint = build::endpoint(0, 8);
      endpoint.mode = mode;
      for (int i = 0; i < count; ++i) {
        endpoint.sources.push_back(build::kv_source(8, 1, 24 + i, 24 + i));
      }
      TestFixture::expect_as_oracle(endpoint, build::iota(8));
    }
  }
}

TYPED_TEST(KVHashTest, PagesAndWiderRows) {
  for (const std::int64_t page_size : {1, 3, 16, 64}) {
    for (const std::int64_t wider : {0, 1, 16, 40}) {
      SCOPED_TRACE("page size " + std::to_string(page_size) + ", " + std::to_string(wider) +
                   " bytes wider");
      Rng rng(static_cast<std::uint64_t>(page_size + wider));
      oracle::KVSource source = build::kv_source(4, page_size, 32, 20);
      source.row_stride += wider;
      source.bytes = rng.bytes(source.num_rows * source.row_stride);
      oracle::Endpoint endpoint = build::endpoint(0, 4 * page_size);
      endpoint.mode = KVMode::all;
      endpoint.sources = {source};
      TestFixture::expect_as_oracle(endpoint, build::iota(4 * page_size));
    }
  }
}

/// A source that ends before the slot's row is left out, and says so; others still count.
TYPED_TEST(KVHashTest, RowsOutOfRange) {
  oracle::Endpoint endpoint = build::endpoint(0, 64);
  endpoint.sources = {build::kv_source(2, 16, 8, 8), build::kv_source(64, 1, 8, 8)};
  const build::Ints slots = {0, 31, 32, 63, 64, std::int64_t{1} << 40, INT64_MAX};
  for (const KVMode mode : {KVMode::none, KVMode::partial, KVMode::all}) {
    endpoint.mode = mode;
    TestFixture::expect_as_oracle(endpoint, slots);
  }
  const std::vector<Hash> hashes = TestFixture::library(endpoint, slots);
  EXPECT_TRUE(hashes[1].in_range);
  EXPECT_FALSE(hashes[2].in_range);
  EXPECT_NE(hashes[2].value, 0U);
  EXPECT_EQ(hashes[4], (Hash{0, false}));
}

TYPED_TEST(KVHashTest, OnlyTheReadBytesMatter) {
  oracle::Endpoint endpoint = build::endpoint(0, 4);
  endpoint.mode = KVMode::all;
  endpoint.sources = {build::kv_source(2, 2, 24, 17)};
  const std::vector<Hash> before = TestFixture::library(endpoint, {0, 1, 2, 3});
  for (std::int64_t at = 0; at < 96; ++at) {
    std::byte& byte = endpoint.sources[0].bytes[at];
    byte ^= std::byte{1};
    std::vector<Hash> after = TestFixture::library(endpoint, {0, 1, 2, 3});
    EXPECT_EQ(after[at / 24] != before[at / 24], at % 24 < 17) << "byte " << at;
    after[at / 24] = before[at / 24];
    EXPECT_EQ(after, before) << "byte " << at;
    byte ^= std::byte{1};
  }
}

}  // namespace
