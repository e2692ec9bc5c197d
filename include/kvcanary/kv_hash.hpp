#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/kv_source.hpp>

/// \file
/// The hash of a slot's KV bytes.
namespace kvcanary {

/// A KV hash and whether every source had the slot's row.
struct KVHash {
  std::uint64_t value = 0;
  bool in_range = true;
};

namespace detail {

struct alignas(16) Words2 {
  std::uint64_t first, second;
};

/// `count` (1 to 8) bytes as a little-endian word, zero-padded; no alignment needed.
KOKKOS_INLINE_FUNCTION std::uint64_t load_bytes(const std::byte* bytes, std::int64_t count) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return word;
}

/// Chain of splitmix64 over the words of `size` bytes, 16 aligned bytes a load.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_words_16(const std::byte* bytes, std::int64_t size) {
  const auto* pairs = reinterpret_cast<const Words2*>(bytes);
  std::uint64_t hash = 0;
  for (std::int64_t i = 0; i < size / 16; ++i) {
    const Words2 pair = pairs[i];
    hash = splitmix64(splitmix64(hash ^ pair.first) ^ pair.second);
  }
  return hash;
}

/// The same for any size and alignment.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_words_any(const std::byte* bytes, std::int64_t size) {
  std::uint64_t hash = 0;
  std::int64_t i = 0;
  for (; i + 8 <= size; i += 8) hash = splitmix64(hash ^ load_bytes(bytes + i, 8));
  return i < size ? splitmix64(hash ^ load_bytes(bytes + i, size - i)) : hash;
}

KOKKOS_INLINE_FUNCTION std::uint64_t hash_words(const std::byte* bytes, std::int64_t size) {
  const bool aligned = ((reinterpret_cast<std::uintptr_t>(bytes) | size) & 15) == 0;
  return aligned ? hash_words_16(bytes, size) : hash_words_any(bytes, size);
}

/// Row of a slot in a source. A 64-bit division would cost a device as much as some hashing.
KOKKOS_INLINE_FUNCTION std::int64_t row_of(const KVSource& source, std::int64_t slot) {
  return slot <= 0xFFFFFFFF
             ? static_cast<std::uint32_t>(slot) / static_cast<std::uint32_t>(source.page_size)
             : slot / source.page_size;
}

/// Bytes of each token of a source that are hashed.
KOKKOS_INLINE_FUNCTION std::int64_t hashed_bytes(const KVSource& source, KVHashMode mode) {
  return mode == KVHashMode::partial && source.read_bytes > 16 ? 16 : source.read_bytes;
}

/// Where the bytes of a slot, whose row is `row`, lie in a source that has it.
KOKKOS_INLINE_FUNCTION const std::byte* slot_bytes(const KVSource& source, std::int64_t slot,
                                                   std::int64_t row) {
  return source.data + row * source.row_stride +
         (slot - row * source.page_size) * source.bytes_per_token;
}

/// Hash of the bytes of a slot, whose row is `row`, in a source that has it.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_row(const KVSource& source, KVHashMode mode,
                                              std::int64_t slot, std::int64_t row) {
  return hash_words(slot_bytes(source, slot, row), hashed_bytes(source, mode));
}

/// The same where the row is not known yet.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_source(const KVSource& source, KVHashMode mode,
                                                 std::int64_t slot) {
  return hash_row(source, mode, slot, row_of(source, slot));
}

}  // namespace detail

/// KV hash of slot `slot` >= 0 over `list`, as SGLang's pull request 26817 defines it: per source a
/// chain of splitmix64 over its 8-byte words (the last one zero-padded), the sources chained in
/// order. A source without the slot's row is left out and clears `in_range`. Reads the sources'
/// bytes, writes nothing.
KOKKOS_INLINE_FUNCTION KVHash kv_hash(const KVSourceList& list, KVHashMode mode,
                                      std::int64_t slot) {
  KVHash result;
  if (mode == KVHashMode::none) return result;
  for (std::int32_t i = 0; i < list.count; ++i) {
    const KVSource& source = list.sources[i];
    const std::int64_t row = detail::row_of(source, slot);
    if (row >= source.num_rows) {
      result.in_range = false;
      continue;
    }
    result.value = splitmix64(result.value ^ detail::hash_row(source, mode, slot, row));
  }
  return result;
}

}  // namespace kvcanary
