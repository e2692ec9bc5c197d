#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/kv_source.hpp>

#include "backends/shared_tuning.hpp"
#include "src/kv_source_args.hpp"

/// \file
/// The hash of a slot's KV bytes.
namespace kvcanary::detail {

/// A KV hash and whether every source had the slot's row.
struct KVHash {
  std::uint64_t value = 0;
  bool in_range = true;
};

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

/// Goes on with a hash, over `count` pairs of words.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_pairs(std::uint64_t hash, const Words2* pairs,
                                                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Words2 pair = pairs[i];
    hash = splitmix64(splitmix64(hash ^ pair.first) ^ pair.second);
  }
  return hash;
}

/// Chain of splitmix64 over the words of `size` bytes, 16 aligned bytes a load. While one block, a
/// cache line, is hashed, the loads of the next are on their way.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_words_16(const std::byte* bytes, std::int64_t size) {
  constexpr std::int64_t block = tuning::Shared::kv_pairs_at_once;
  const auto* pairs = reinterpret_cast<const Words2*>(bytes);
  const std::int64_t count = size / 16, blocks = count / block;
  std::uint64_t hash = 0;
  Words2 next[block] = {};
  if (blocks > 0) {
    for (std::int64_t k = 0; k < block; ++k) next[k] = pairs[k];
  }
  for (std::int64_t i = 0; i < blocks; ++i) {
    Words2 now[block];
    for (std::int64_t k = 0; k < block; ++k) now[k] = next[k];
    if (i + 1 < blocks) {
      for (std::int64_t k = 0; k < block; ++k) next[k] = pairs[(i + 1) * block + k];
    }
    hash = hash_pairs(hash, now, block);
  }
  return hash_pairs(hash, pairs + blocks * block, count - blocks * block);
}

/// The same for any size and alignment.
KOKKOS_INLINE_FUNCTION std::uint64_t hash_words_any(const std::byte* bytes, std::int64_t size) {
  std::uint64_t hash = 0;
  std::int64_t i = 0;
  for (; i + 8 <= size; i += 8) hash = splitmix64(hash ^ load_bytes(bytes + i, 8));
  return i < size ? splitmix64(hash ^ load_bytes(bytes + i, size - i)) : hash;
}

/// Row of a slot in a source.
KOKKOS_INLINE_FUNCTION std::int64_t row_of(const KVSourceArgs& source, std::int64_t slot) {
  return slot < Divisor::limit ? source.page_size.quotient(static_cast<std::int32_t>(slot))
                               : slot / source.page_size.divisor();
}

/// Bytes of a slot that are hashed of a source's `read_bytes`.
KOKKOS_INLINE_FUNCTION std::int32_t bytes_hashed(std::int32_t read_bytes, KVHashMode mode) {
  return mode == KVHashMode::partial && read_bytes > 16 ? 16 : read_bytes;
}

/// The first byte of a slot, whose row is `row`, in a source that has it.
KOKKOS_INLINE_FUNCTION const std::byte* bytes_of(const KVSourceArgs& source, std::int64_t slot,
                                                 std::int64_t row) {
  const auto in_row = static_cast<std::int32_t>(slot - row * source.page_size.divisor());
  return source.data + row * source.row_stride + std::int64_t{in_row} * source.bytes_per_token;
}

/// What is hashed of a slot in one source.
struct SourceBytes {
  const std::byte* data = nullptr;
  std::int32_t size = 0;
  bool is_aligned = false;  ///< whole pairs of words, one at least, 16 bytes aligned
  bool in_range = true;     ///< or else the source does not have the slot's row: no bytes
};
KOKKOS_INLINE_FUNCTION SourceBytes source_bytes(const KVSourceArgs& source, KVHashMode mode,
                                                std::int64_t slot) {
  const std::int64_t row = row_of(source, slot);
  if (row >= source.num_rows) return {nullptr, 0, false, false};
  const std::int32_t size = bytes_hashed(source.read_bytes, mode);
  return {bytes_of(source, slot, row), size, source.is_aligned && size % 16 == 0 && size > 0, true};
}

/// Hash of a slot's bytes in one source, not yet joined with those of other sources.
KOKKOS_INLINE_FUNCTION KVHash source_hash(const KVSourceArgs& source, KVHashMode mode,
                                          std::int64_t slot) {
  const SourceBytes bytes = source_bytes(source, mode, slot);
  if (!bytes.in_range) return {0, false};
  return {bytes.is_aligned ? hash_words_16(bytes.data, bytes.size)
                           : hash_words_any(bytes.data, bytes.size),
          true};
}

/// A slot's bytes in one source, the first 16 of which are on their way: for kernels that hash few
/// of them, and load much else before they do. Takes fewer registers, and is slower for many bytes.
class FewKVBytes {
 public:
  FewKVBytes() = default;
  KOKKOS_FUNCTION FewKVBytes(const KVSourceArgs& source, KVHashMode mode, std::int64_t slot)
      : bytes_(source_bytes(source, mode, slot)) {
    if (bytes_.is_aligned) first_ = *pairs();
  }

  KOKKOS_FUNCTION KVHash hash() const {
    if (!bytes_.is_aligned) return {hash_words_any(bytes_.data, bytes_.size), bytes_.in_range};
    return {hash_pairs(hash_pairs(0, &first_, 1), pairs() + 1, bytes_.size / 16 - 1), true};
  }

 private:
  KOKKOS_FUNCTION const Words2* pairs() const {
    return reinterpret_cast<const Words2*>(bytes_.data);
  }

  SourceBytes bytes_;
  Words2 first_ = {};
};

/// The hash of the sources so far, and of one more.
KOKKOS_INLINE_FUNCTION std::uint64_t join_sources(std::uint64_t joined, std::uint64_t hash) {
  return splitmix64(joined ^ hash);
}

/// The same where a source may not have the slot, and is then left out.
KOKKOS_INLINE_FUNCTION void join(KVHash& joined, const KVHash& of_source) {
  joined.in_range = joined.in_range && of_source.in_range;
  if (of_source.in_range) joined.value = join_sources(joined.value, of_source.value);
}

/// KV hash of slot `slot` >= 0 over `count` sources, as SGLang's pull request 26817 defines it: per
/// source a chain of splitmix64 over its 8-byte words (the last one zero-padded), the sources
/// chained in order. A source without the slot's row is left out and clears `in_range`. Reads the
/// sources' bytes, writes nothing.
KOKKOS_INLINE_FUNCTION KVHash kv_hash(const KVSourceArgs* sources, std::int32_t count,
                                      KVHashMode mode, std::int64_t slot) {
  KVHash result;
  if (mode == KVHashMode::none) return result;
  for (std::int32_t i = 0; i < count; ++i) join(result, source_hash(sources[i], mode, slot));
  return result;
}

}  // namespace kvcanary::detail
