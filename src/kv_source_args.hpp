#pragma once

#include <cstddef>
#include <cstdint>
#include <kvcanary/kv_source.hpp>
#include <span>
#include <vector>

#include "src/divisor.hpp"

/// \file
/// KV sources as kernels see them.
namespace kvcanary::detail {

struct KVSourceArgs {
  const std::byte* data;
  std::int64_t num_rows, row_stride;
  Divisor page_size;
  std::int32_t bytes_per_token, read_bytes;
  bool is_aligned;  ///< each token's bytes start at a multiple of 16
};

std::vector<KVSourceArgs> to_args(std::span<const KVSource> sources);

/// The list of sources whose descriptions, `args`, lie at `device_args` as well.
KVSourceList list_of(std::span<const KVSourceArgs> args, const void* device_args, Memory memory);

}  // namespace kvcanary::detail
