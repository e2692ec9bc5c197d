#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "backends/execution_spaces.hpp"
#include "src/write/write_by_thread.hpp"
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
  void add(std::int32_t* data, std::size_t size) { narrow_.add({data, size}); }
  void add(std::int64_t* data, std::size_t size) { wide_.add({data, size}); }
  /// Of int64 alone.
  template <class Struct>
  void add_words_of(Struct* data, std::size_t size) {
    add(reinterpret_cast<std::int64_t*>(data), size * sizeof(Struct) / sizeof(std::int64_t));
  }

  void start() {
    thread_ = std::thread([this] {
      for (std::uint64_t turn = 1; !stop_.load(std::memory_order_relaxed); ++turn) {
        narrow_.scribble(turn);
        wide_.scribble(turn);
        if (turn % 64 == 0) std::this_thread::yield();
      }
    });
  }

  ~Scribbler() {
    stop_ = true;
    thread_.join();
    narrow_.restore();
    wide_.restore();
  }

 private:
  template <class T>
  struct Arrays {
    void add(std::span<T> array) {
      if (array.empty()) return;
      arrays.push_back(array);
      before.emplace_back(array.begin(), array.end());
    }

    /// One element of each array: often what was there, so that what is read next passes a check.
    void scribble(std::uint64_t turn) {
      for (std::size_t a = 0; a < arrays.size(); ++a) {
        state = state * 6364136223846793005U + turn + a;
        const std::uint64_t bits = state >> 33;
        const std::size_t i = bits % arrays[a].size();
        const T value = bits % 3 == 0 ? garbage[bits / 7 % std::size(garbage)] : before[a][i];
        std::atomic_ref<T>(arrays[a][i]).store(value, std::memory_order_relaxed);
      }
    }

    void restore() const {
      for (std::size_t a = 0; a < arrays.size(); ++a) {
        std::copy(before[a].begin(), before[a].end(), arrays[a].begin());
      }
    }

    static constexpr T lowest = std::numeric_limits<T>::min(),
                       highest = std::numeric_limits<T>::max();
    static constexpr T garbage[] = {
        lowest,  lowest / 2,  -65,    -4, -3, -2,  -1,   0,    1,       2,       5,
        31,      40,          63,     64, 65, 200, 1000, 4096, 1 << 20, 1 << 29, (1 << 30) - 1,
        1 << 30, highest / 2, highest};

    std::vector<std::span<T>> arrays;
    std::vector<std::vector<T>> before;
    std::uint64_t state = 1;
  };

  Arrays<std::int32_t> narrow_;
  Arrays<std::int64_t> wide_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A batch with everything that a batch can have, whose prefixes are in the pool.
oracle::RequestBatch full_batch() {
  oracle::RequestBatch batch = batch_of({5, 40, 17, 1, 33}, 4);
  batch.num_requests = 5;
  batch.table.full_to_swa = build::iota(num_slots(batch));
  batch.expected = expected_of(batch, 0);
  batch.expected->valid_lengths = Ints(5, 30);
  return batch;
}

oracle::TokenBatch full_tokens() {
  oracle::TokenBatch tokens{build::iota(20, 7), build::iota(20), build::iota(20, 1)};
  tokens.expected_tokens = tokens.tokens;
  tokens.expected_positions = tokens.positions;
  tokens.num_tokens = 20;
  tokens.check_positions = 1;
  return tokens;
}

/// Three buffers, of which two hash KV bytes.
std::vector<Endpoint> some_endpoints(const oracle::RequestBatch& batch) {
  std::vector<Endpoint> endpoints = {written(batch, 0), written(batch, 1, KVMode::all, {24, 8}),
                                     written(batch, 2, KVMode::all, {64})};
  endpoints[2].padding = {3, 9, true};
  return endpoints;
}

/// The arguments of all operations, in the memory of a host space and between guards.
template <class Space>
struct Arguments {
  explicit Arguments(const Layout& layout)
      : host_batch(full_batch()),
        host_endpoints(some_endpoints(host_batch)),
        batch(layout, host_batch),
        tokens(layout, full_tokens()),
        endpoints(layout, host_endpoints),
        write_plan(build::write_plan({4, 0, 9, 1, 6, 0, 0}, {3, oracle::no_slot, 9, 1, 0, 7, 2})),
        verify_plan(build::verify_chain(build::iota(150, 1))),
        sink(space, 16) {}

  void add_batch(Scribbler& scribbler) const {
    const kvcanary::RequestBatch& all = batch.batch();
    for (const kvcanary::IntSpan& span :
         {all.request_rows, all.prefix_lengths, all.extend_lengths, all.num_requests,
          all.full_to_swa, all.expected.tokens, all.expected.valid_lengths}) {
      scribbler.add(span);
    }
    scribbler.add(const_cast<std::int32_t*>(all.table.entries), host_batch.table.entries.size());
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
    const std::array views{plan.offsets, plan.seed_slots, plan.request_rows, plan.verify_offsets};
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
  Sink<Space> sink;
};

/// On hosts, where a thread can scribble.
template <class Space>
class MovingInputTest : public SpaceTest<Space> {
 protected:
  using Args = Arguments<Space>;

  void SetUp() override {
    SpaceTest<Space>::SetUp();
    if (!kvcanary::is_host_space<Space>) GTEST_SKIP() << "another thread can't reach its arrays";
  }

  /// Launches a fixed number of times beside a thread that scribbles on what `add` names.
  template <class Add, class Launch>
  static void run(const Add& add, const Launch& launch) {
    if constexpr (kvcanary::is_host_space<Space>) {
      for (const std::uint32_t narrow : {0U, ~0U}) {
        Args args({narrow});
        {
          Scribbler scribbler;
          add(args, scribbler);
          scribbler.start();
          for (std::uint64_t i = test_settings::cases(300); i > 0; --i) launch(args);
          args.space.fence();
        }
        args.expect_guarded();
      }
    }
  }
};
TYPED_TEST_SUITE(MovingInputTest, Spaces, SpaceName);

/// Both kinds of plan.
template <class Args>
void launch_plans(const Args& args) {
  kvcanary::plan(args.space, args.batch.batch(), args.write_plan.plan(), args.verify_plan.plan());
  kvcanary::plan(args.space, args.batch.batch(), args.write_plan.plan());
}

TYPED_TEST(MovingInputTest, Plan) {
  TestFixture::run([](const auto& args, Scribbler& scribbler) { args.add_batch(scribbler); },
                   [](const auto& args) { launch_plans(args); });
}

/// Another step that fills the same plans.
TYPED_TEST(MovingInputTest, PlansThatAreFilledTwice) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_batch(scribbler);
        args.add_write_plan(scribbler);
        args.add_verify_plan(scribbler);
      },
      [](const auto& args) { launch_plans(args); });
}

TYPED_TEST(MovingInputTest, Verify) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_verify_plan(scribbler);
        args.add_records(scribbler);
      },
      [](const auto& args) {
        kvcanary::verify(args.space, args.verify_plan.plan(), args.endpoints.endpoints(),
                         args.sink.log, args.sink.counters);
      });
}

TYPED_TEST(MovingInputTest, VerifyRequests) {
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_batch(scribbler);
        args.add_records(scribbler);
      },
      [](const auto& args) {
        const std::vector<kvcanary::Endpoint>& endpoints = args.endpoints.endpoints();
        kvcanary::RequestBatch after_write = args.batch.batch();
        after_write.verify_end = kvcanary::VerifyEnd::last_token;
        after_write.window = 20;
        const std::vector<kvcanary::VerifyJob> jobs = {{args.batch.batch(), {&endpoints[0], 2}},
                                                       {after_write, {&endpoints[2], 1}}};
        kvcanary::verify_requests(args.space, std::span<const kvcanary::VerifyJob>(jobs),
                                  args.sink.log, args.sink.counters);
      });
}

TYPED_TEST(MovingInputTest, Write) {
  using Job = kvcanary::WriteJob<typename TypeParam::memory_space>;
  TestFixture::run(
      [](const auto& args, Scribbler& scribbler) {
        args.add_tokens(scribbler);
        args.add_write_plan(scribbler);
      },
      [](const auto& args) {
        const Job job{args.write_plan.plan(), args.tokens.batch(), args.endpoints.endpoints()};
        const std::span<const Job> jobs(&job, 1);
        kvcanary::write(args.space, jobs, args.sink.log, args.sink.counters);
        kvcanary::detail::write_by_thread(args.space, jobs, args.sink.log, args.sink.counters);
      });
}

}  // namespace
