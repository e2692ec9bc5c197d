#include "src/kv_source_args.hpp"

#include <algorithm>
#include <limits>

namespace kvcanary::detail {
namespace {

KVSourceArgs to_args(const KVSource& source) {
  const auto address = reinterpret_cast<std::uintptr_t>(source.data);
  const auto strides = static_cast<std::uint64_t>(source.row_stride | source.bytes_per_token);
  return {.data = source.data,
          .num_rows = source.num_rows,
          .row_stride = source.row_stride,
          .page_size = Divisor(static_cast<std::int32_t>(source.page_size)),
          .bytes_per_token = static_cast<std::int32_t>(source.bytes_per_token),
          .read_bytes = static_cast<std::int32_t>(source.read_bytes),
          .is_aligned = ((address | strides) & 15) == 0};
}

}  // namespace

std::vector<KVSourceArgs> to_args(std::span<const KVSource> sources) {
  std::vector<KVSourceArgs> args;
  for (const KVSource& source : sources) args.push_back(to_args(source));
  return args;
}

KVSourceList list_of(std::span<const KVSourceArgs> args, const void* device_args, Memory memory) {
  KVSourceList list{.sources = device_args,
                    .count = static_cast<std::int32_t>(args.size()),
                    .max_read_bytes = 0,
                    .num_slots = std::numeric_limits<std::int64_t>::max(),
                    .memory = memory};
  for (const KVSourceArgs& source : args) {
    const std::int64_t page_size = source.page_size.divisor();
    list.max_read_bytes = std::max(list.max_read_bytes, source.read_bytes);
    if (source.num_rows <= list.num_slots / page_size) {
      list.num_slots = source.num_rows * page_size;
    }
  }
  return list;
}

}  // namespace kvcanary::detail
