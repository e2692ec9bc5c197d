#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <kvcanary/kvcanary.hpp>
#include <new>
#include <span>
#include <vector>

#include "tests/support/spaces.hpp"

/// \file
/// Operations allocate nothing, from the second call on. This program counts what `new` is asked
/// for, so it does nothing else.
namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* counted_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = counted(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Not inlined: GCC takes std::free for a mismatch of an operator new that it has not inlined.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

#ifdef __NVCC__  // takes operator new for a function of the device as well
#pragma nv_diag_suppress 20011
#endif

void* operator new(std::size_t size) { return counted_or_throw(size, usual); }
void* operator new[](std::size_t size) { return counted_or_throw(size, usual); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}

namespace {

/// Twelve pools, every other one of polynomial chains, whose one request has nine tokens and adds
/// three.
template <class Space>
class AllocationTest : public SpaceTest<Space> {
 protected:
  using Memory = typename Space::memory_space;
  using Ints = Kokkos::View<std::int32_t*, Memory>;

  AllocationTest() {
    batch_.padding_row.reset();
    for (int i = 0; i < kvcanary::max_endpoints; ++i) {
      kvcanary::CanaryBuffer buffer = records_.emplace_back("records", 16);
      if (i % 2 == 1) buffer.chain = kvcanary::Chain::polynomial;
      endpoints_.push_back({kvcanary::custom_tag(i), buffer});
    }
    for (const kvcanary::Endpoint& endpoint : endpoints_) {
      verify_jobs_.push_back({batch_, {&endpoint, 1}});
      write_jobs_.push_back({write_plan_, tokens_, {&endpoint, 1}});
    }
  }

  void SetUp() override {
    SpaceTest<Space>::SetUp();
    const std::size_t before = allocations;
    const bool has_workers = space_.concurrency() > 0;  // every range policy asks
    if (has_workers && allocations != before) {
      GTEST_SKIP() << "this version of Kokkos allocates for every launch";
    }
  }

  /// The first call may set up what those after it use.
  template <class Call>
  void expect_none(const Call& call) const {
    call();
    space_.fence();
    const std::size_t before = allocations;
    for (int i = 0; i < 3; ++i) call();
    const std::size_t after = allocations;
    space_.fence();
    EXPECT_EQ(after - before, 0U) << "in three calls";
  }

  static Ints on_device(const std::vector<std::int32_t>& values) {
    const Ints device("ints", values.size());
    Kokkos::deep_copy(device, kvcanary::host_view(values.data(), values.size()));
    return device;
  }

  Space space_;
  Ints table_ = on_device({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  Ints rows_ = on_device({0}), prefixes_ = on_device({9}), extends_ = on_device({3});
  Ints positions_ = on_device({9, 10, 11}), slots_ = on_device({10, 11, 12});
  kvcanary::RequestBatch batch_{.request_rows = rows_,
                                .prefix_lengths = prefixes_,
                                .extend_lengths = extends_,
                                .table = {table_.data(), 1, 12, 12, 1},
                                .full_to_swa = {}};
  kvcanary::TokenBatch tokens_{.tokens = positions_, .positions = positions_, .slots = slots_};
  kvcanary::WritePlan<Memory> write_plan_ = kvcanary::WritePlan<Memory>::allocate(space_, 4);
  kvcanary::VerifyPlan<Memory> verify_plan_ = kvcanary::VerifyPlan<Memory>::allocate(space_, 64);
  kvcanary::ViolationLog<Memory> log_ = kvcanary::ViolationLog<Memory>::allocate(space_, 8);
  kvcanary::LaunchCounters<Memory> counters_ = kvcanary::LaunchCounters<Memory>::allocate(space_);
  std::vector<Kokkos::View<kvcanary::Record*, Memory>> records_;
  std::vector<kvcanary::Endpoint> endpoints_;
  std::vector<kvcanary::VerifyJob> verify_jobs_;
  std::vector<kvcanary::WriteJob<Memory>> write_jobs_;
};
TYPED_TEST_SUITE(AllocationTest, Spaces, SpaceName);

/// The counter counts.
TYPED_TEST(AllocationTest, IsSeen) {
  const std::size_t before = allocations;
  std::vector<int> values(3);
  EXPECT_GT(allocations, before) << values.data();
}

TYPED_TEST(AllocationTest, Plan) {
  this->expect_none(
      [&] { kvcanary::plan(this->space_, this->batch_, this->write_plan_, this->verify_plan_); });
  this->expect_none([&] { kvcanary::plan(this->space_, this->batch_, this->write_plan_); });
}

TYPED_TEST(AllocationTest, Verify) {
  kvcanary::plan(this->space_, this->batch_, this->write_plan_, this->verify_plan_);
  for (const std::size_t count : {1, 4, 12}) {
    const auto endpoints = std::span<const kvcanary::Endpoint>(this->endpoints_).first(count);
    this->expect_none([&] {
      kvcanary::verify(this->space_, this->verify_plan_, endpoints, this->log_, this->counters_);
    });
  }
}

TYPED_TEST(AllocationTest, VerifyRequests) {
  for (const std::size_t count : {1, 4, 12}) {
    const auto endpoints = std::span<const kvcanary::Endpoint>(this->endpoints_).first(count);
    this->expect_none([&] {
      kvcanary::verify_requests(this->space_, this->batch_, endpoints, this->log_, this->counters_);
    });
  }
  this->expect_none([&] {
    kvcanary::verify_requests(this->space_,
                              std::span<const kvcanary::VerifyJob>(this->verify_jobs_), this->log_,
                              this->counters_);
  });
}

TYPED_TEST(AllocationTest, Write) {
  using Jobs = std::span<const kvcanary::WriteJob<typename TypeParam::memory_space>>;
  kvcanary::plan(this->space_, this->batch_, this->write_plan_, this->verify_plan_);
  for (const std::int64_t most : {0, 1}) {
    this->tokens_.max_entries_per_request = most;
    for (const std::size_t count : {1, 4, 12}) {
      const auto endpoints = std::span<const kvcanary::Endpoint>(this->endpoints_).first(count);
      this->expect_none([&] {
        kvcanary::write(this->space_, this->write_plan_, this->tokens_, endpoints, this->log_,
                        this->counters_);
      });
    }
    for (auto& job : this->write_jobs_) job.batch.max_entries_per_request = most;
    this->expect_none([&] {
      kvcanary::write(this->space_, Jobs(this->write_jobs_), this->log_, this->counters_);
    });
  }
}

TYPED_TEST(AllocationTest, WriteRequests) {
  for (const std::int64_t most : {0, 1}) {
    this->tokens_.max_entries_per_request = most;
    for (const std::size_t count : {1, 4, 12}) {
      const auto endpoints = std::span<const kvcanary::Endpoint>(this->endpoints_).first(count);
      this->expect_none([&] {
        kvcanary::write_requests(this->space_, this->batch_, this->tokens_, endpoints,
                                 this->write_plan_.scratch, this->log_, this->counters_);
      });
    }
  }
}

TYPED_TEST(AllocationTest, Step) {
  for (const std::int64_t most : {0, 1}) {
    this->tokens_.max_entries_per_request = most;
    for (const std::size_t count : {1, 4, 12}) {
      const auto endpoints = std::span<const kvcanary::Endpoint>(this->endpoints_).first(count);
      for (const auto side : {kvcanary::StepSide::head, kvcanary::StepSide::tail}) {
        this->expect_none([&] {
          kvcanary::step(this->space_, side, this->batch_, this->tokens_, endpoints,
                         this->write_plan_.scratch, this->log_, this->counters_);
        });
      }
    }
  }
}

/// What a step finds is reported without an allocation as well.
TYPED_TEST(AllocationTest, Violations) {
  const kvcanary::Count before = this->log_.fetch_total(this->space_);
  this->expect_none([&] {
    kvcanary::verify_requests(this->space_, this->batch_, this->endpoints_, this->log_,
                              this->counters_);
  });
  EXPECT_GT(this->log_.fetch_total(this->space_), before + 8) << "more than the log holds";
}

}  // namespace
