#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// What is CUDA's own in the benchmarks: launches timed as the replay of a graph, as engines run
/// them, and facts of the device. Included by the templates that it specialises.
#ifdef KOKKOS_ENABLE_CUDA

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "perf/harness/launch_timer.hpp"
#include "perf/harness/machine.hpp"

namespace kvcanary::perf {

inline void check_cuda(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct CudaStream {
  cudaStream_t stream = nullptr;
  CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~CudaStream() { cudaStreamDestroy(stream); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
};

struct CudaEvent {
  cudaEvent_t event = nullptr;
  CudaEvent() { check_cuda(cudaEventCreate(&event)); }
  ~CudaEvent() { cudaEventDestroy(event); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
};

/// Launches in a row, captured.
class CudaGraph {
 public:
  CudaGraph(const Kokkos::Cuda& space, const Launch<Kokkos::Cuda>& launch, int count) {
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(space.cuda_stream(), cudaStreamCaptureModeThreadLocal));
    for (int set = 0; set < count; ++set) launch(space, set);
    check_cuda(cudaStreamEndCapture(space.cuda_stream(), &graph));
    check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    check_cuda(cudaGraphDestroy(graph));
  }
  ~CudaGraph() { cudaGraphExecDestroy(executable_); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void replay(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Replays one graph of all launches between two events.
template <>
class LaunchTimer<Kokkos::Cuda> {
 public:
  LaunchTimer(const Launch<Kokkos::Cuda>& launch, int num_sets)
      : space_(stream_.stream),
        warm_up_(space_, launch, num_sets),
        graph_(space_, launch, warm_up_.launches_per_sample) {
    replay_us_ = warm_up_.launch_us * warm_up_.launches_per_sample;
    if (is_short()) {
      replay_us_ = sample_us() * warm_up_.launches_per_sample;
      replays_ = std::clamp(static_cast<int>(short_us / replay_us_), 1, 100);
    }
  }

  double launch_us() const { return warm_up_.launch_us; }

  double sample_us() {
    // While a first replay runs, the host enqueues the rest: the events then see no gap. Beside a
    // long replay the gap is nothing.
    if (is_short()) graph_.replay(stream_.stream);
    check_cuda(cudaEventRecord(start_.event, stream_.stream));
    for (int i = 0; i < replays_; ++i) graph_.replay(stream_.stream);
    check_cuda(cudaEventRecord(stop_.event, stream_.stream));
    check_cuda(cudaEventSynchronize(stop_.event));
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_.event, stop_.event));
    return 1000.0 * milliseconds / (replays_ * warm_up_.launches_per_sample);
  }

 private:
  static constexpr double short_us = 2000;
  bool is_short() const { return replay_us_ < short_us; }

  CudaStream stream_;
  Kokkos::Cuda space_;
  WarmUp<Kokkos::Cuda> warm_up_;
  CudaGraph graph_;
  CudaEvent start_, stop_;
  double replay_us_ = 0;
  int replays_ = 1;
};

template <>
struct Machine<Kokkos::Cuda> {
  static std::int64_t cache_bytes() {
    int bytes = 0;
    check_cuda(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, Kokkos::Cuda().cuda_device()));
    return bytes;
  }

  static void describe(const AddFact& add) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, Kokkos::Cuda().cuda_device()));
    int driver = 0, runtime = 0;
    check_cuda(cudaDriverGetVersion(&driver));
    check_cuda(cudaRuntimeGetVersion(&runtime));
    add("Cuda_device", properties.name);
    add("Cuda_l2_bytes", std::to_string(properties.l2CacheSize));
    add("Cuda_multiprocessors", std::to_string(properties.multiProcessorCount));
    add("Cuda_driver", version(driver));
    add("Cuda_runtime", version(runtime));
  }

 private:
  static std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  }
};

}  // namespace kvcanary::perf

#endif
