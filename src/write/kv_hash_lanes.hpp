#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "prefetch.hpp"
#include "write/write_args.hpp"

/// \file
/// KV hashes of the slots of a batch on a host core. The hash of one slot is a chain that leaves
/// most of a core idle, so those of several slots are advanced side by side.
namespace kvcanary::detail {

class KVHashLanes {
 public:
  static constexpr int width = 6;          ///< slots side by side
  static constexpr int most = 16 * width;  ///< slots whose bytes are on their way at a time

  explicit KVHashLanes(const EndpointArgs& endpoint) : endpoint_(endpoint) {}

  /// Stores `kv_hash` in the records of entries [first, last) of a batch, at most `most`.
  void write(const IntArray& slots, std::int64_t first, std::int64_t last) {
    int count = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t slot = slots[i];
      if (slot < 0 || !endpoint_.holds_kv(slot)) continue;
      endpoint_.prefetch(slot);
      slots_[count++] = slot;
    }
    if (count == 0) return;
    // The last lanes have something to do as well, though nobody needs it.
    const int full = (count + width - 1) / width * width;
    std::fill(slots_ + count, slots_ + full, slots_[count - 1]);
    std::fill_n(hashes_, full, 0);
    for (std::int32_t s = 0; s < endpoint_.num_sources; ++s) add(endpoint_.sources[s], full);
    for (int i = 0; i < count; ++i) endpoint_.store_kv_hash(slots_[i], hashes_[i]);
  }

 private:
  /// Adds the bytes of one source to all hashes.
  void add(const KVSource& source, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_[i] = bytes_of(source, slots_[i], row_of(source, slots_[i]));
      prefetch_line(bytes_[i]);
    }
    const std::int64_t size = bytes_read(source, endpoint_.mode);
    for (int i = 0; i < count; i += width) add_side_by_side(bytes_ + i, size, hashes_ + i);
  }

  static void add_side_by_side(const std::byte* const* from, std::int64_t size,
                               std::uint64_t* hashes) {
    const std::byte* bytes[width];
    std::uint64_t hash[width] = {};
    for (int l = 0; l < width; ++l) bytes[l] = from[l];
    std::int64_t i = 0;
    for (; i + 8 <= size; i += 8) {
      for (int l = 0; l < width; ++l) hash[l] = splitmix64(hash[l] ^ load_word(bytes[l] + i));
    }
    for (int l = 0; l < width && i < size; ++l) {
      hash[l] = splitmix64(hash[l] ^ load_bytes(bytes[l] + i, size - i));
    }
    for (int l = 0; l < width; ++l) hashes[l] = splitmix64(hashes[l] ^ hash[l]);
  }

  /// As load_bytes(bytes, 8), which compilers turn into eight loads.
  static std::uint64_t load_word(const std::byte* bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  const EndpointArgs& endpoint_;
  std::int64_t slots_[most];
  std::uint64_t hashes_[most];
  const std::byte* bytes_[most];
};

}  // namespace kvcanary::detail
