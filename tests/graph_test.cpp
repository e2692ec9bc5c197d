#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/decode_loop.hpp"
#include "tests/support/settings.hpp"
#include "tests/support/spaces.hpp"

/// A decode loop of changing inputs: the same on every execution space, and as a captured graph.

namespace {

const int num_steps = test_settings::steps();

void expect_equal(const DecodeResult& found, const DecodeResult& expected) {
  EXPECT_EQ(found.records, expected.records);
  EXPECT_EQ(found.violations, expected.violations);
  EXPECT_EQ(found.counts, expected.counts);
  EXPECT_EQ(found.overflows, expected.overflows);
}

/// The loop, launched step by step.
template <class Space>
DecodeResult run_loop() {
  const Space space;
  kvcanary::warm_up(space);  // needed by none that does not capture
  DecodeLoop<Space> loop{space};
  DecodeWorkload workload(test_settings::seed());
  for (int i = 0; i < num_steps; ++i) {
    loop.load(workload.next());
    loop.enqueue();
    space.fence("run_loop");
  }
  return loop.result();
}

using Reference = Kokkos::DefaultHostExecutionSpace;

template <class Space>
class DecodeLoopTest : public SpaceTest<Space> {};
TYPED_TEST_SUITE(DecodeLoopTest, Spaces, SpaceName);

TYPED_TEST(DecodeLoopTest, SameAsTheReference) {
  const DecodeResult reference = run_loop<Reference>();
  EXPECT_GT(reference.violations.size(), static_cast<std::size_t>(num_steps / 10));
  EXPECT_LT(reference.violations.size(), std::size_t{1} << 18);
  expect_equal(run_loop<TypeParam>(), reference);
}

#ifdef KOKKOS_ENABLE_CUDA

/// Fails the test when a call of the CUDA runtime fails.
void expect_success(cudaError_t status) {
  ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

/// A stream of the caller's own, as an engine has.
struct Stream {
  cudaStream_t stream = nullptr;
  Stream() { expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
};

class CapturedTest : public SpaceTest<Kokkos::Cuda> {};

TEST_F(CapturedTest, ReplayedGraphEqualsTheReference) {
  const Stream own;
  const Kokkos::Cuda space(own.stream);
  DecodeLoop<Kokkos::Cuda> loop{space};
  loop.reset();
  kvcanary::warm_up(space);
  expect_success(cudaStreamSynchronize(own.stream));

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  // Thread-local: a call that may not be captured, a synchronisation say, fails the capture.
  expect_success(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal));
  loop.enqueue();
  expect_success(cudaStreamEndCapture(own.stream, &graph));
  expect_success(cudaGraphInstantiate(&executable, graph, 0));

  DecodeWorkload workload(test_settings::seed());
  for (int i = 0; i < num_steps; ++i) {
    loop.load(workload.next());
    expect_success(cudaGraphLaunch(executable, own.stream));
    expect_success(cudaStreamSynchronize(own.stream));  // the host's arrays change next
  }
  expect_equal(loop.result(), run_loop<Reference>());
  expect_success(cudaGraphExecDestroy(executable));
  expect_success(cudaGraphDestroy(graph));
}

/// What a process does that captures a launch before any other: 0 when that was refused, and the
/// capture is as it was.
[[noreturn]] void exit_after_capture_without_warm_up() {
  using Memory = Kokkos::CudaSpace;
  const Stream own;
  const Kokkos::Cuda space(own.stream);
  const auto plan = kvcanary::VerifyPlan<Memory>::allocate(space, 1);
  const auto log = kvcanary::ViolationLog<Memory>::allocate(space, 1);
  const auto counters = kvcanary::LaunchCounters<Memory>::allocate(space);
  const Kokkos::View<kvcanary::Record*, Memory> records("records", 1);
  const kvcanary::Endpoint endpoint{kvcanary::LaunchTag::tail_v_swa, records};
  space.fence();
  cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal);
  bool refused = false;
  try {
    kvcanary::verify(space, plan, {&endpoint, 1}, log, counters);
  } catch (const std::invalid_argument&) {
  } catch (const std::logic_error&) {
    refused = true;
  }
  cudaGraph_t graph = nullptr;
  std::size_t nodes = 1;
  const bool captured = cudaStreamEndCapture(own.stream, &graph) == cudaSuccess &&
                        cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess;
  std::_Exit(!refused ? 1 : !captured || nodes != 0 ? 2 : 0);
}

/// A process of its own, in which no operation has run: GoogleTest starts this program anew.
TEST_F(CapturedTest, CaptureWithoutWarmUpIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_capture_without_warm_up(), testing::ExitedWithCode(0), "");
}

/// While a graph with violations runs again and again on one stream, another stream fetches: it
/// waits for no kernel and sees no half-written row.
TEST_F(CapturedTest, FetchBesideRunningKernelsSeesWholeRows) {
  const Stream compute, reader;
  const Kokkos::Cuda compute_space(compute.stream), reader_space(reader.stream);
  using Memory = Kokkos::CudaSpace;
  constexpr std::int64_t entries = 1 << 12, capacity = 1 << 18;
  Kokkos::View<kvcanary::Record*, Memory> records("records", entries + 1);
  const kvcanary::Endpoint endpoint{kvcanary::LaunchTag::tail_v_swa, records};
  const auto plan = kvcanary::VerifyPlan<Memory>::allocate(compute_space, entries);
  std::vector<kvcanary::VerifyEntry> bad(entries);
  for (std::int64_t i = 0; i < entries; ++i)
    bad[i] = {i + 1, i + 7, kvcanary::unchecked_slot, i, 3};
  plan.assign(compute_space, bad);
  const auto log = kvcanary::ViolationLog<Memory>::allocate(compute_space, capacity);
  const auto counters = kvcanary::LaunchCounters<Memory>::allocate(compute_space);

  std::size_t fetched = 0, early = 0;
  for (int round = 0; round < 5; ++round) {
    log.reset(compute_space);
    compute_space.fence("round");
    for (int i = 0; i < 64; ++i) {
      kvcanary::verify(compute_space, plan, {&endpoint, 1}, log, counters);
    }
    for (bool running = true; running;) {
      running = cudaStreamQuery(compute.stream) == cudaErrorNotReady;
      const kvcanary::ViolationSnapshot snapshot = log.fetch(reader_space);
      if (running) ++early;
      for (const kvcanary::Violation& row : snapshot.rows) {
        const kvcanary::VerifyEntry& entry = bad[static_cast<std::size_t>(row.entry)];
        const bool whole = row.launch_tag == 9 && row.slot == entry.slot && row.position == 0 &&
                           row.expected_position == entry.position &&
                           row.expected_token == entry.expected_token && row.request_row == 3 &&
                           (row.fail_bits & kvcanary::fail_bit::position) != 0;
        if (!whole) FAIL() << "half-written: " << kvcanary::to_line(row);
        ++fetched;
      }
    }
    EXPECT_EQ(log.fetch_total(reader_space), static_cast<kvcanary::Count>(64 * entries));
  }
  EXPECT_GT(fetched, 0U);
  RecordProperty("fetches_while_running", static_cast<int>(early));
  EXPECT_GT(early, 0U);
}

#else

TEST(CapturedTest, NeedsCuda) { GTEST_SKIP() << "this Kokkos has no CUDA: no graph was captured"; }

#endif

}  // namespace
