#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <vector>

#include "perf/harness/device_arrays.hpp"
#include "perf/inputs/kv_layout.hpp"
#include "src/launch.hpp"

/// \file
/// The KV bytes of a pool, on the device.
namespace kvcanary::perf {

/// Pseudo-random words: KV bytes that no kernel can guess.
struct FillWords {
  std::uint64_t* words;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    words[i] = splitmix64(static_cast<std::uint64_t>(i));
  }
};

template <class Space>
class KVInputs {
 public:
  using Memory = typename Space::memory_space;

  /// \param rows pages of the pool, each of `page` tokens
  KVInputs(const KVLayout& kv, std::int64_t rows, std::int64_t page) {
    const std::int64_t row_stride = page * kv.bytes_per_token;
    const std::int64_t count = kv.count * rows * row_stride / 8;
    words_ = uninitialized<Kokkos::View<std::uint64_t*, Memory>>("perf::kv", count);
    detail::launch_workers("perf::fill_kv", Space(), count, FillWords{words_.data()});
    std::vector<KVSource> sources;
    for (std::int64_t i = 0; i < kv.count; ++i) {
      sources.push_back(
          {.data = reinterpret_cast<const std::byte*>(words_.data()) + i * rows * row_stride,
           .num_rows = rows,
           .row_stride = row_stride,
           .page_size = page,
           .bytes_per_token = kv.bytes_per_token,
           .read_bytes = kv.read_bytes,
           .memory = memory_of<Memory>()});
    }
    sources_ = KVSources<Memory>(Space(), sources);
  }

  KVSourceList list() const { return sources_.list(); }

 private:
  Kokkos::View<std::uint64_t*, Memory> words_;
  KVSources<Memory> sources_;
};

}  // namespace kvcanary::perf
