#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>

/// \file
/// The KV bytes of one pool, and the stand-in for the model that fills them.
namespace kvcanary::tools {

/// Writes the bytes of new tokens: a pseudo-random function of the token's whole history, as a
/// model's keys and values are.
struct FillKV {
  std::byte* bytes;
  std::int64_t bytes_per_token;
  std::uint64_t salt;  ///< tells K from V
  const std::uint64_t* histories;
  const std::int64_t* slots;
  std::int64_t num_slots;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (slots[i] < 0 || slots[i] >= num_slots) return;
    std::byte* to = bytes + slots[i] * bytes_per_token;
    std::uint64_t word = 0;
    for (std::int64_t b = 0; b < bytes_per_token; ++b) {
      if (b % 8 == 0) word = splitmix64(histories[i] + salt + static_cast<std::uint64_t>(b));
      to[b] = static_cast<std::byte>(word >> (8 * (b % 8)));
    }
  }
};

/// Flips the lowest bit of a byte.
struct FlipBit {
  std::byte* byte;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    *byte =
        static_cast<std::byte>(static_cast<unsigned>(*byte) ^ 1U);  // std::byte's ^ is host code
  }
};

/// Keys and values of every slot, `[num_slots][bytes_per_token]` each, in pages.
template <class Space>
class KVPool {
 public:
  KVPool(std::int64_t num_slots, std::int64_t page_size, std::int64_t bytes_per_token)
      : num_slots_(num_slots), bytes_per_token_(bytes_per_token) {
    for (int i = 0; i < 2; ++i) {
      bytes_[i] = Bytes("kv", static_cast<std::size_t>(num_slots * bytes_per_token));
      const KVSource source{.data = bytes_[i].data(),
                            .num_rows = num_slots / page_size,
                            .row_stride = page_size * bytes_per_token,
                            .page_size = page_size,
                            .bytes_per_token = bytes_per_token,
                            .read_bytes = bytes_per_token,
                            .memory = memory_of<typename Space::memory_space>()};
      sources_[i] = KVSources<typename Space::memory_space>(Space(), {&source, 1});
    }
  }

  KVSourceList keys() const { return sources_[0].list(); }
  KVSourceList values() const { return sources_[1].list(); }

  /// Fills keys and values of `count` tokens from their histories.
  void fill(const Space& space, const std::uint64_t* histories, const std::int64_t* slots,
            std::int64_t count) const {
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t salt = 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(i + 1);
      Kokkos::parallel_for(
          "replay::fill_kv", Policy(space, 0, count),
          FillKV{bytes_[i].data(), bytes_per_token_, salt, histories, slots, num_slots_});
    }
  }

  /// Flips the lowest bit of the first key byte of a slot.
  void flip_bit(const Space& space, std::int64_t slot) const {
    Kokkos::parallel_for("replay::flip_bit", Policy(space, 0, 1),
                         FlipBit{bytes_[0].data() + slot * bytes_per_token_});
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename Space::memory_space>;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

  std::int64_t num_slots_, bytes_per_token_;
  std::array<Bytes, 2> bytes_;  // K, V
  std::array<KVSources<typename Space::memory_space>, 2> sources_;
};

}  // namespace kvcanary::tools
