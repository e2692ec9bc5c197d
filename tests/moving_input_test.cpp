#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "tests/support/emulated_operations.hpp"
#include "tests/support/rng.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/sink.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/uploaded.hpp"
#include "tests/support/uploaded_plans.hpp"
#include "tests/support/written_batch.hpp"

/// \file
/// Arrays that another thread scribbles on while operations read them, as an engine does whose
/// steps overlap by mistake: whatever is reported, nothing outside of a buffer is written, and
/// under the address sanitizer nothing is read there.
namespace {

using namespace written_batch;  // NOLINT(google-build-using-namespace)

/// Stores garbage into arrays for as long as it lives, and leaves them as they were.
class Scribbler {
 public:
  void add(const kvcanary::IntSpan& span) {
    void* const data = const_cast<void*>(span.data());
    const auto size = static_cast<std::size_t>(span.size());
    if (span.type() == kvcanary::IntType::int32) {
      add(static_cast<std::int32_t*>(data), size);
    } else {
      add(static_cast<std::int64_t*>(data), size);
    }
  }
  void add(std::int32_t* data, std::size_t size) { add({data, nullptr, size}); }
  void add(std::int64_t* data, std::size_t size) { add({nullptr, data, size}); }
  /// Of int64 alone.
  template <class Struct>
  void add_words_of(Struct* data, std::size_t size) {
    add(reinterpret_cast<std::int64_t*>(data), size * sizeof(Struct) / sizeof(std::int64_t));
  }

  void start() {
    thread_ = std::thread([this] {
      Rng rng(test_settings::seed());
      while (!stop_.load(std::memory_order_relaxed)) scribble(rng);
    });
  }

  ~Scribbler() {
    stop_ = true;
    thread_.join();
  }

 private:
  struct Array {
    std::int32_t* narrow;
    std::int64_t* wide;
    std::size_t size;
  };

  void add(const Array& array) {
    if (array.size > 0) arrays_.push_back(array);
  }

  void scribble(Rng& rng) {
    const Array array = rng.pick(arrays_);
    const auto i =
        static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(array.size) - 1));
    if (array.narrow != nullptr) {
      flicker(rng, array.narrow[i]);
    } else {
      flicker(rng, array.wide[i]);
    }
  }

  /// One element is now what it was, now something else, many times in the time of a launch: what a
  /// kernel reads twice differs before long.
  template <class T>
  static void flicker(Rng& rng, T& element) {
    constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
    constexpr T limit = 1 << 30;
    const std::vector<T> near = {-65, -4, -3, -2, -1, 0, 1, 2, 3, 5, 31, 64, 65, 200, 4096};
    const std::vector<T> far = {lowest, lowest / 2,  limit / 2, limit - 1,
                                limit,  highest / 2, highest};
    const std::atomic_ref<T> shared(element);
    const T before = element, other = rng.pick(rng.chance(60) ? near : far);
    for (int i = 0; i < 1000; ++i) {
      shared.store(other, std::memory_order_relaxed);
      shared.store(before, std::memory_order_relaxed);
    }
  }

  std::vector<Array> arrays_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Small arrays: what is read of them is then often what changes.

/// A batch with everything that a batch can have, whose prefixes are in the pool.
oracle::RequestBatch full_batch(const Ints& added) {
  oracle::RequestBatch batch = batch_of({40, 9}, 32);
  batch.extend_lengths = added;
  batch.num_requests = 2;
  batch.table.full_to_swa = build::iota(num_slots(batch));
  batch.expected = expected_of(batch, 0);
  batch.expected->valid_lengths = Ints{15, 9};
  return batch;
}

/// The same in lists that say where they begin.
oracle::RequestBatch with_lists(oracle::RequestBatch batch) {
  batch.lists = build::lists_of(batch);
  batch.lists->first_positions = Ints(batch.request_rows.size(), 0);
  return batch;
}

/// Tokens in the slots from 20 on, a few of them over and over.
oracle::TokenBatch full_tokens(std::int64_t count) {
  oracle::TokenBatch tokens{build::iota(count, 7), build::iota(count), {}};
  for (std::int64_t i = 0; i < count; ++i) tokens.slots.push_back(20 + i % 20);
  tokens.expected_tokens = tokens.tokens;
  tokens.expected_positions = tokens.positions;
  tokens.num_tokens = count;
  tokens.check_positions = 1;
  return tokens;
}

/// Four buffers, two of each chain, of which two hash KV bytes.
std::vector<Endpoint> some_endpoints(const oracle::RequestBatch& batch) {
  std::vector<Endpoint> endpoints = {written(batch, 0), written(batch, 1, KVMode::all, {24, 8}),
                                     written(batch, 2, KVMode::all, {64}), written(batch, 3)};
  endpoints[1].chain = endpoints[3].chain = oracle::Chain::polynomial;
  endpoints[2].padding = {3, 9, true};
  return endpoints;
}

/// The arguments of all operations, in the memory of a host space and between guards.
template <class Space>
struct Arguments {
  /// \param added tokens of the two requests
  Arguments(const Layout& layout, bool has_lists, const Ints& added)
      : host_batch(has_lists ? with_lists(full_batch(added)) : full_batch(added)),
        host_endpoints(some_endpoints(host_batch)),
        batch(layout, host_batch),
        tokens(layout, full_tokens(added[0] + added[1])),
        endpoints(layout, host_endpoints),
        write_plan(build::write_plan(added, {3, oracle::no_slot})),
        verify_plan(build::verify_chain(build::iota(60, 1))),
        scratch(kvcanary::WriteScratch<typename Space::memory_space>::allocate(space)),
        sink(space, 16) {}

  void add_batch(Scribbler& scribbler) const {
    const kvcanary::RequestBatch& all = batch.batch();
    for (const kvcanary::IntSpan& span :
         {all.request_rows, all.prefix_lengths, all.extend_lengths, all.num_requests,
          all.full_to_swa, all.expected.tokens, all.expected.valid_lengths, all.lists.pages,
          all.lists.offsets, all.lists.first_positions}) {
      scribbler.add(span);
    }
    const auto entries = static_cast<std::int64_t>(host_batch.table.entries.size());
    if (all.lists.given()) return;
    scribbler.add(
        all.table.type == kvcanary::IntType::int32
            ? kvcanary::IntSpan(static_cast<const std::int32_t*>(all.table.entries), entries)
            : kvcanary::IntSpan(static_cast<const std::int64_t*>(all.table.entries), entries));
  }
  void add_tokens(Scribbler& scribbler) const {
    const kvcanary::TokenBatch& all = tokens.batch();
    for (const kvcanary::IntSpan& span :
         {all.tokens, all.positions, all.slots, all.expected_tokens, all.expected_positions,
          all.num_tokens, all.check_positions}) {
      scribbler.add(span);
    }
  }
  void add_write_plan(Scribbler& scribbler) const {
    const auto& plan = write_plan.plan();
    const std::array views{plan.offsets, plan.seed_slots, plan.request_rows};
    for (const auto& view : views) scribbler.add(view.data(), view.size());
    scribbler.add_words_of(plan.state.data(), 1);
  }
  void add_verify_plan(Scribbler& scribbler) const {
    const auto& plan = verify_plan.plan();
    scribbler.add_words_of(plan.entries.data(), plan.entries.size());
    scribbler.add_words_of(plan.state.data(), 1);
  }
  void add_records(Scribbler& scribbler) const {
    for (const kvcanary::Endpoint& endpoint : endpoints.endpoints()) {
      scribbler.add(reinterpret_cast<std::int64_t*>(endpoint.buffer.data),
                    endpoint.buffer.num_slots * endpoint.buffer.stride / 8);
    }
  }

  /// Guards are whole, and what is only read is as it was.
  void expect_guarded() {
    space.fence();
    batch.expect_unchanged();
    tokens.expect_unchanged();
    write_plan.fetch();
    verify_plan.fetch();
    endpoints.fetch(host_endpoints);
    oracle::Report report;
    sink.fetch(space, report);
  }

  Space space;
  oracle::RequestBatch host_batch;
  std::vector<Endpoint> host_endpoints;
  UploadedRequestBatch<Space> batch;
  UploadedTokenBatch<Space> tokens;
  UploadedEndpoints<Space> endpoints;
  UploadedWritePlan<Space> write_plan;
  UploadedVerifyPlan<Space> verify_plan;
  kvcanary::WriteScratch<typename Space::memory_space> scratch;
  Sink<Space> sink;
};

/// On hosts, where a thread can scribble: their kernels, and those of devices on emulated teams,
/// whose lanes must not come to wait for each other for ever either.
template <class Space>
class MovingInputTest : public SpaceTest<Space> {
 protected:
  using Holder = typename MemoryHolder<Space>::Type;
  using Args = Arguments<Holder>;
  static constexpr bool can_scribble = kvcanary::is_host_space<Holder>;

  void SetUp() override {
    SpaceTest<Space>::SetUp();
    if (!can_scribble) GTEST_SKIP() << "another thread can't reach its arrays";
  }

  /// Launches a fixed number of times beside a thread that scribbles on what `add` names.
  /// \param added tokens of the two requests
  template <class Add, class Launch>
  static void run(const Add& add, const Launch& launch, const Ints& added = {4, 2}) {
    if constexpr (can_scribble) {
      // Emulated lanes are slow under a sanitizer, and so are many tokens.
      constexpr std::uint64_t of_emulated = sanitizer::is_on ? 8 : 50;
      constexpr std::uint64_t of_host = sanitizer::is_on ? 800 : 2000;
      const bool is_long = added[0] > 100;
      const std::uint64_t launches = test_settings::cases(
          (runs_host_kernels<Space> ? of_host : of_emulated) / (is_long ? 5 : 1));
      for (const bool has_lists : {false, true}) {
        for (const std::uint32_t narrow : {0U, ~0U}) {
          Args args({.narrow = narrow, .wide_pages = narrow == 0}, has_lists, added);
          {
            Scribbler scribbler;
            add(args, scribbler);
            scribbler.start();
            for (std::uint64_t i = 0; i < launches; ++i) launch(args);
            args.space.fence();
          }
          args.expect_guarded();
        }
      }
    }
  }

  /// Both kinds of plan.
  static void plan(const Args& args) {
    Operations<Space>::plan(args.space, args.batch.batch(), args.write_plan.plan(),
                            args.verify_plan.plan());
    Operations<Space>::plan(args.space, args.batch.batch(), args.write_plan.plan());
  }

  static void verify(const Args& args) {
    Operations<Space>::verify(args.space, args.verify_plan.plan(), args.endpoints.endpoints(),
                              args.sink.log, args.sink.counters);
  }

  /// What the step reads, and what it adds as well.
  static void verify_requests(const Args& args) {
    const std::vector<kvcanary::Endpoint>& endpoints = args.endpoints.endpoints();
    kvcanary::RequestBatch after_write = args.batch.batch();
    after_write.verify_end = kvcanary::VerifyEnd::last_token;
    after_write.window = 20;
    const std::vector<kvcanary::VerifyJob> jobs = {{args.batch.batch(), {&endpoints[0], 2}},
                                                   {after_write, {&endpoints[2], 2}}};
    Operations<Space>::verify_requests(args.space, std::span<const kvcanary::VerifyJob>(jobs),
                                       args.sink.log, args.sink.counters);
  }

  /// With the hint and without it; to buffers of which some hash KV bytes, and to one that hashes
  /// none.
  static void write(const Args& args) {
    using Job = kvcanary::WriteJob<typename Holder::memory_space>;
    const std::span<const kvcanary::Endpoint> all = args.endpoints.endpoints();
    for (const std::int64_t most : {0, 1}) {
      for (const auto& endpoints : {all, all.last(1)}) {
        Job job{args.write_plan.plan(), args.tokens.batch(), endpoints};
        job.batch.max_entries_per_request = most;
        Operations<Space>::write(args.space, std::span<const Job>(&job, 1), args.sink.log,
                                 args.sink.counters);
      }
    }
  }

  static void write_requests(const Args& args) {
    const std::span<const kvcanary::Endpoint> all = args.endpoints.endpoints();
    for (const std::int64_t most : {0, 1}) {
      for (const auto& endpoints : {all, all.last(1)}) {
        kvcanary::StepJob job{args.batch.batch(), args.tokens.batch(), endpoints};
        job.tokens.max_entries_per_request = most;
        Operations<Space>::write_requests(args.space, std::span<const kvcanary::StepJob>(&job, 1),
                                          args.scratch, args.sink.log, args.sink.counters);
      }
    }
  }

  /// Both sides, in one launch and in several.
  static void step(const Args& args) {
    for (const std::int64_t most : {0, 1}) {
      kvcanary::StepJob job{args.batch.batch(), args.tokens.batch(), args.endpoints.endpoints()};
      job.tokens.max_entries_per_request = most;
      for (const auto side : {kvcanary::StepSide::head, kvcanary::StepSide::tail}) {
        Operations<Space>::step(args.space, side, std::span<const kvcanary::StepJob>(&job, 1),
                                args.scratch, args.sink.log, args.sink.counters);
      }
    }
  }
};
TYPED_TEST_SUITE(MovingInputTest, OperationSpaces, SpaceName);

TYPED_TEST(MovingInputTest, Plan) {
  TestFixture::run([](const auto& args, Scribbler& scribbler) { args.add_batch(scribbler); },
                   [](const auto& args) { TestFixture::plan(args); });
}

/// Another step that fills the same plans.
TYPED_TEST(MovingInputTest, PlansThatAreFilledTwice) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_batch(scribbler);
        args.add_write_plan(scribbler);
        args.add_verify_plan(scribbler);
      },
      [](const auto& args) { TestFixture::plan(args); });
}

TYPED_TEST(MovingInputTest, Verify) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_verify_plan(scribbler);
        args.add_records(scribbler);
      },
      [](const auto& args) { TestFixture::verify(args); });
}

TYPED_TEST(MovingInputTest, VerifyRequests) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_batch(scribbler);
        args.add_records(scribbler);
      },
      [](const auto& args) { TestFixture::verify_requests(args); });
}

TYPED_TEST(MovingInputTest, Write) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_tokens(scribbler);
        args.add_write_plan(scribbler);
      },
      [](const auto& args) { TestFixture::write(args); });
}

/// Enough for several teams of a scan, which wait for each other: none must wait for one that has
/// seen fewer tokens, and is gone.
TYPED_TEST(MovingInputTest, WriteOfManyTokens) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_tokens(scribbler);
        args.add_write_plan(scribbler);
      },
      [](const auto& args) { TestFixture::write(args); }, {2500, 1500});
}

TYPED_TEST(MovingInputTest, WriteRequests) {
  for (const Ints& added : {Ints{4, 2}, Ints{2500, 1500}}) {
    TestFixture::run(
        [](const auto& args, Scribbler& scribbler) {
          args.add_tokens(scribbler);
          args.add_batch(scribbler);
        },
        [](const auto& args) { TestFixture::write_requests(args); }, added);
  }
}

TYPED_TEST(MovingInputTest, Step) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_tokens(scribbler);
        args.add_batch(scribbler);
        args.add_records(scribbler);
      },
      [](const auto& args) { TestFixture::step(args); });
}

}  // namespace
