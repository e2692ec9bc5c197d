#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/argument_fixture.hpp"
#include "tests/support/spaces.hpp"

/// \file
/// Every mistake in endpoints and KV sources that the host can see is refused.
namespace {

using namespace argument_cases;  // NOLINT(google-build-using-namespace)

TEST_F(ArgumentTest, NumberOfEndpoints) {
  endpoints.clear();
  EXPECT_THAT(write(), Refused("write", "endpoints.size", "0"));
  EXPECT_THAT(verify(), Refused("verify", "endpoints.size", "0"));
  endpoints.assign(13, {});
  EXPECT_THAT(write(), Refused("write", "endpoints.size", "13"));
  EXPECT_THAT(verify(), Refused("verify", "endpoints.size", "13"));
}

/// Spoils the second endpoint, and expects both operations to refuse it.
class EndpointArgumentTest : public ArgumentTest {
 protected:
  void expect_refused(const std::string& field, const std::string& value) {
    EXPECT_THAT(write(), Refused("write", "endpoints[1]." + field, value));
    EXPECT_THAT(verify(), Refused("verify", "endpoints[1]." + field, value));
  }
  Endpoint& endpoint = endpoints[1];
};

TEST_F(EndpointArgumentTest, Stride) {
  for (const std::int64_t stride : {24L, 40L, 16L, 0L, -32L, 1L << 31}) {
    endpoint.buffer.stride = stride;
    expect_refused("buffer.stride", std::to_string(stride));
  }
  EXPECT_THAT(write(), testing::HasSubstr("multiple of 16 and at least 32"));
}

TEST_F(EndpointArgumentTest, Data) {
  endpoint.buffer.data = nullptr;
  expect_refused("buffer.data", "null");
  endpoint.buffer.data = reinterpret_cast<std::byte*>(records.data()) + 8;
  const std::string message = write();
  EXPECT_THAT(message, testing::HasSubstr("endpoints[1].buffer.data is at address 0x"));
  EXPECT_THAT(message, testing::HasSubstr("must be aligned to 16 bytes"));
}

TEST_F(EndpointArgumentTest, NumberOfSlots) {
  for (const std::int64_t slots : {0, -1}) {
    endpoint.buffer.num_slots = slots;
    expect_refused("buffer.num_slots", std::to_string(slots));
  }
}

TEST_F(EndpointArgumentTest, Tag) {
  for (const int tag : {-1, 12, 127}) {
    endpoint.tag = static_cast<kvcanary::LaunchTag>(tag);
    expect_refused("tag", std::to_string(tag));
  }
}

TEST_F(EndpointArgumentTest, Mode) {
  endpoint.kv_hash_mode = static_cast<kvcanary::KVHashMode>(3);
  expect_refused("kv_hash_mode", "3");
}

TEST_F(EndpointArgumentTest, Sources) {
  endpoint.sources = {nullptr, 1};
  expect_refused("sources", "null");
}

TEST_F(EndpointArgumentTest, DeviceMemory) {
  endpoint.buffer.memory = Memory::device;
  expect_refused("buffer.data", "in device memory");
  endpoint.buffer.memory = Memory::host_and_device;
  EXPECT_EQ(write(), "(not refused)");
}

/// Arrays that are known to lie where the space can't reach them.
template <class Space>
class UnreachableMemoryTest : public SpaceTest<Space> {};
TYPED_TEST_SUITE(UnreachableMemoryTest, Spaces, SpaceName);

TYPED_TEST(UnreachableMemoryTest, BufferOfAnEndpoint) {
  using Own = typename TypeParam::memory_space;
  const bool on_host = Kokkos::SpaceAccessibility<TypeParam, Kokkos::HostSpace>::accessible;
  const auto plan = kvcanary::VerifyPlan<Own>::allocate(1);
  const auto log = kvcanary::ViolationLog<Own>::allocate(1);
  const auto counters = kvcanary::LaunchCounters<Own>::allocate();
  const Kokkos::View<kvcanary::Record*, Own> records("records", 2);
  std::vector<Endpoint> endpoints(1);
  endpoints[0].buffer = records;
  const auto verify = [&] {
    return refusal([&] { kvcanary::verify(TypeParam{}, plan, endpoints, log, counters); });
  };
  EXPECT_EQ(verify(), "(not refused)");
  endpoints[0].buffer.memory = on_host ? Memory::device : Memory::host;
  EXPECT_THAT(verify(), Refused("verify", "endpoints[0].buffer.data",
                                on_host ? "in device memory" : "in host memory"));
}

/// Spoils the second of two sources.
class KVSourceArgumentTest : public testing::Test {
 protected:
  void expect_refused(const KVSource& source, const std::string& field, const std::string& value) {
    const std::vector<KVSource> sources = {good, source};
    EXPECT_THAT(refusal([&] { kvcanary::KVSources<HostMemory>{sources}; }),
                Refused("KVSources", "sources[1]." + field, value));
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(64);
  KVSource good = {bytes.data(), 2, 32, 2, 16, 16};
};

TEST_F(KVSourceArgumentTest, GoodOnesAreTaken) {
  const std::vector<KVSource> sources = {good, good};
  EXPECT_EQ(kvcanary::KVSources<HostMemory>(sources).list().count, 2);
  EXPECT_EQ(kvcanary::KVSources<HostMemory>(std::span<const KVSource>()).list().count, 0);
  EXPECT_EQ(kvcanary::KVSources<HostMemory>().list().count, 0);
}

TEST_F(KVSourceArgumentTest, Fields) {
  const auto spoiled = [&](std::int64_t KVSource::* field, std::int64_t value,
                           const std::string& name) {
    KVSource source = good;
    source.*field = value;
    expect_refused(source, name, std::to_string(value));
  };
  spoiled(&KVSource::num_rows, -1, "num_rows");
  spoiled(&KVSource::page_size, 0, "page_size");
  spoiled(&KVSource::page_size, -1, "page_size");
  spoiled(&KVSource::row_stride, 31, "row_stride");
  spoiled(&KVSource::bytes_per_token, -1, "bytes_per_token");
  spoiled(&KVSource::read_bytes, 17, "read_bytes");
  spoiled(&KVSource::read_bytes, -1, "read_bytes");
}

TEST_F(KVSourceArgumentTest, Data) {
  KVSource source = good;
  source.data = nullptr;
  expect_refused(source, "data", "null");
  source = good;
  source.memory = Memory::device;
  expect_refused(source, "data", "in device memory");
}

}  // namespace
