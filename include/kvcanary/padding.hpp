#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

/// \file
/// The slots of a pool that are nobody's.
namespace kvcanary {

/// What it means when the slot table or a list names a padding slot for a token of a request's
/// prefix.
enum class PaddingReads : std::uint8_t {
  report,  ///< the engine is wrong: fail_bit::padding_read
  skip     ///< its tables say so that there is no slot: nothing is checked (SGLang's hold 0 there)
};

/// Slots `[first, first + count)`, which padded entries of a batch may write, and which hold
/// nobody's token. {0, 1} in SGLang; {0, page_size}, the null block, in vLLM; the last blocks of
/// the pool in Transformers; a count of 0 where every slot is real.
struct PaddingSlots {
  std::int64_t first = 0;  ///< >= 0
  std::int64_t count = 1;  ///< >= 0; they all lie in the buffer
  PaddingReads reads = PaddingReads::report;

  /// Whether `slot`, any number, is one of them.
  KOKKOS_INLINE_FUNCTION constexpr bool contains(std::int64_t slot) const {
    return static_cast<std::uint64_t>(slot) - static_cast<std::uint64_t>(first) <
           static_cast<std::uint64_t>(count);
  }
};

}  // namespace kvcanary
