#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <vector>

#include "perf/inputs/device_arrays.hpp"
#include "perf/inputs/kv_layout.hpp"

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

  /// \param pages of the pool, each of `page_size` tokens; a source has a row for each
  KVInputs(const KVLayout& kv, std::int64_t pages, std::int64_t page_size) {
    const std::int64_t row_stride = page_size * kv.bytes_per_token;
    const std::int64_t count = kv.count * pages * row_stride / 8;
    words_ = uninitialized<Kokkos::View<std::uint64_t*, Memory>>("perf::kv", count);
    fill<Space>("perf::fill_kv", count, FillWords{words_.data()});
    std::vector<KVSource> sources;
    for (std::int64_t i = 0; i < kv.count; ++i) {
      sources.push_back(
          {.data = reinterpret_cast<const std::byte*>(words_.data()) + i * pages * row_stride,
           .num_rows = pages,
           .row_stride = row_stride,
           .page_size = page_size,
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
