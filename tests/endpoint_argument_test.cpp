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
  for (const std::size_t count : {0, 13}) {
    endpoints = endpoints_from(0, count);
    const std::string value = std::to_string(count);
    EXPECT_THAT(write(), Refused("write", "endpoints.size", value));
    EXPECT_THAT(verify(), Refused("verify", "endpoints.size", value));
    EXPECT_THAT(verify_requests(), Refused("verify_requests", "endpoints.size", value));
  }
  endpoints = endpoints_from(0, 12);
  EXPECT_EQ(write(), "(not refused)");
}

/// Spoils the second endpoint, and expects all operations to refuse it.
class EndpointArgumentTest : public ArgumentTest {
 protected:
  void expect_refused(const std::string& field, const std::string& value) {
    EXPECT_THAT(write(), Refused("write", "endpoints[1]." + field, value));
    EXPECT_THAT(verify(), Refused("verify", "endpoints[1]." + field, value));
    EXPECT_THAT(verify_requests(), Refused("verify_requests", "endpoints[1]." + field, value));
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

TEST_F(EndpointArgumentTest, EndpointOfAJob) {
  std::vector<Endpoint> other = endpoints_from(2, 3);
  other[2].buffer.stride = 24;
  EXPECT_EQ(write_jobs({{write_plan, tokens, endpoints}, {write_plan, tokens, other}}),
            "write: jobs[1].endpoints[2].buffer.stride is 24, must be a multiple of 16 and at "
            "least 32 (bytes), below 2^31");
  EXPECT_THAT(verify_jobs({{batch, endpoints}, {batch, other}}),
              Refused("verify_requests", "jobs[1].endpoints[2].buffer.stride", "24"));
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
  for (const std::int64_t slots : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 58}) {
    endpoint.buffer.num_slots = slots;
    expect_refused("buffer.num_slots", std::to_string(slots));
  }
}

TEST_F(EndpointArgumentTest, Padding) {
  const kvcanary::PaddingSlots good = endpoint.buffer.padding;
  const auto refused = [&](std::int64_t first, std::int64_t count, const std::string& name) {
    endpoint.buffer.padding = good;
    endpoint.buffer.padding.first = first;
    endpoint.buffer.padding.count = count;
    expect_refused("buffer.padding." + name, std::to_string(name == "first" ? first : count));
  };
  refused(-1, 1, "first");
  refused(5, 0, "first");
  refused(0, -1, "count");
  refused(0, 5, "count");
  refused(3, 2, "count");
  refused(1, INT64_MAX, "count");
  EXPECT_THAT(write(), testing::EndsWith("must be from 0 to 3, the slots from padding.first on"));
  endpoint.buffer.padding = {0, 1, static_cast<kvcanary::PaddingReads>(2)};
  expect_refused("buffer.padding.reads", "2");
}

TEST_F(EndpointArgumentTest, PaddingThatIsRight) {
  using kvcanary::PaddingReads;
  for (const kvcanary::PaddingSlots& padding : std::vector<kvcanary::PaddingSlots>{
           {0, 0}, {0, 4}, {3, 1}, {4, 0}, {2, 2, PaddingReads::skip}}) {
    endpoint.buffer.padding = padding;
    EXPECT_EQ(write(), "(not refused)");
  }
}

TEST_F(EndpointArgumentTest, Chain) {
  for (const int chain : {2, 255}) {
    endpoint.buffer.chain = static_cast<kvcanary::Chain>(chain);
    expect_refused("buffer.chain", std::to_string(chain));
  }
  EXPECT_THAT(write(), testing::EndsWith("must be 0 (splitmix) or 1 (polynomial)"));
  endpoint.buffer.chain = kvcanary::Chain::polynomial;
  EXPECT_EQ(write(), "(not refused)");
  EXPECT_EQ(verify_requests(), "(not refused)");
}

TEST_F(EndpointArgumentTest, Tag) {
  for (const int tag : {64, 255}) {
    endpoint.tag = static_cast<kvcanary::LaunchTag>(tag);
    expect_refused("tag", std::to_string(tag));
  }
  endpoint.tag = kvcanary::custom_tag(51);
  EXPECT_EQ(write(), "(not refused)");
}

TEST_F(EndpointArgumentTest, TagOfAnother) {
  endpoint.tag = endpoints[0].tag;
  expect_refused("tag", "0");
  EXPECT_THAT(write(), testing::EndsWith("must be another one than that of endpoints[0]"));
  std::vector<Endpoint> other = endpoints_from(2, 2);
  endpoint.tag = other[1].tag;
  EXPECT_EQ(write_jobs({{write_plan, tokens, endpoints}, {write_plan, tokens, other}}),
            "write: jobs[1].endpoints[1].tag is 3, must be another one than that of "
            "jobs[0].endpoints[1]");
}

// ---- buffers that are there twice ---------------------------------------------------------------

/// Endpoints whose buffers have `slots` rows of 96 bytes, so far behind the first record.
class SharedBufferTest : public ArgumentTest {
 protected:
  std::string write_at(std::ptrdiff_t first, std::ptrdiff_t second, std::int64_t slots = 3) {
    for (Endpoint& endpoint : endpoints) endpoint.buffer.stride = 96;
    auto* const data = reinterpret_cast<std::byte*>(records.data());
    endpoints[0].buffer.data = data + first;
    endpoints[1].buffer.data = data + second;
    endpoints[0].buffer.num_slots = endpoints[1].buffer.num_slots = slots;
    return write();
  }
};

TEST_F(SharedBufferTest, TheSameBuffer) {
  endpoints[1].buffer = endpoints[0].buffer;
  for (const std::string& message : {write(), verify(), verify_requests()}) {
    EXPECT_THAT(message, testing::HasSubstr(": endpoints[1].buffer.data is at address 0x"));
    EXPECT_THAT(message, testing::HasSubstr(
                             "must be that of records which are not those of endpoints[0] too"));
  }
}

TEST_F(SharedBufferTest, OfTwoJobs) {
  std::vector<Endpoint> other = endpoints_from(2, 1);
  other[0].buffer = endpoints[1].buffer;
  EXPECT_THAT(write_jobs({{write_plan, tokens, endpoints}, {write_plan, tokens, other}}),
              testing::EndsWith("not those of jobs[0].endpoints[1] too"));
  EXPECT_THAT(verify_jobs({{batch, endpoints}, {batch, other}}),
              testing::EndsWith("not those of jobs[0].endpoints[1] too"));
}

TEST_F(SharedBufferTest, RowsMayBeShared) {
  EXPECT_EQ(write_at(0, 32), "(not refused)");
  EXPECT_EQ(write_at(64, 0), "(not refused)");
  EXPECT_EQ(write_at(0, 96 + 48), "(not refused)");
  EXPECT_EQ(write_at(0, 3 * 96), "(not refused)") << "one behind the other";
  EXPECT_EQ(write_at(0, 2 * 96 + 32), "(not refused)") << "in the last row";
  EXPECT_EQ(write_at(0, 2 * 96 + 80), "(not refused)") << "in a row that is not there";
}

TEST_F(SharedBufferTest, RecordsMayNot) {
  for (const std::ptrdiff_t offset : {0, 16, 80, 96, 96 + 16, 96 + 80, 2 * 96, 2 * 96 + 16}) {
    EXPECT_THAT(write_at(0, offset), testing::HasSubstr("buffer.data")) << offset;
    EXPECT_THAT(write_at(offset, 0), testing::HasSubstr("buffer.data")) << offset;
  }
}

// ---- sources ------------------------------------------------------------------------------------

TEST_F(EndpointArgumentTest, Mode) {
  endpoint.kv_hash_mode = static_cast<kvcanary::KVHashMode>(3);
  expect_refused("kv_hash_mode", "3");
}

TEST_F(EndpointArgumentTest, ModeWithoutSources) {
  endpoint.kv_hash_mode = kvcanary::KVHashMode::partial;
  expect_refused("kv_hash_mode", "1");
  endpoint.kv_hash_mode = kvcanary::KVHashMode::all;
  expect_refused("kv_hash_mode", "2");
  EXPECT_THAT(write(), testing::EndsWith("must be 0 (none), as there are no sources"));
}

TEST_F(EndpointArgumentTest, Sources) {
  endpoint.sources = {.sources = nullptr, .count = 1};
  expect_refused("sources", "null");
  endpoint.sources = {.sources = ints.data(), .count = -1};
  expect_refused("sources.size", "-1");
}

/// Descriptions that were made for another memory space.
TEST_F(EndpointArgumentTest, MemoryOfSources) {
  endpoint.sources = {.sources = ints.data(), .count = 1, .memory = Memory::device};
  expect_refused("sources", "in device memory");
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
  const auto plan = kvcanary::VerifyPlan<Own>::allocate(TypeParam{}, 1);
  const auto log = kvcanary::ViolationLog<Own>::allocate(TypeParam{}, 1);
  const auto counters = kvcanary::LaunchCounters<Own>::allocate(TypeParam{});
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
    EXPECT_THAT(refusal([&] { kvcanary::KVSources<HostMemory>(Space{}, sources); }),
                Refused("KVSources", "sources[1]." + field, value));
  }

  static int made_of(const std::vector<KVSource>& sources) {
    const kvcanary::KVSources<HostMemory> made(Space{}, sources);
    return made.list().count;
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(64);
  KVSource good = {bytes.data(), 2, 32, 2, 16, 16};
};

TEST_F(KVSourceArgumentTest, GoodOnesAreTaken) {
  const std::vector<KVSource> sources = {good, good};
  EXPECT_EQ(made_of(sources), 2);
  EXPECT_EQ(made_of({}), 0);
  const kvcanary::KVSources<HostMemory> nothing;
  EXPECT_EQ(nothing.list().count, 0);
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
