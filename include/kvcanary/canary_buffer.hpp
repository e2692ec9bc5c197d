#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/chain_hash.hpp>
#include <kvcanary/memory.hpp>
#include <kvcanary/padding.hpp>
#include <kvcanary/record.hpp>

/// \file
/// The bytes that hold the records of one KV pool.
namespace kvcanary {

/// Non-owning view of bytes `[num_slots][stride]`; the record of a slot starts its row. A stride
/// over 32 lets the canary live inside the rows of a larger buffer, next to the KV bytes
/// themselves.
struct CanaryBuffer {
  std::byte* data = nullptr;   ///< aligned to 16 bytes
  std::int64_t num_slots = 0;  ///< records, >= 1
  std::int64_t stride = 0;     ///< bytes from record to record: >= 32, a multiple of 16, below 2^31
  Memory memory = Memory::unknown;  ///< where `data` lies
  PaddingSlots padding = {};        ///< the pool's
  Chain chain = Chain::splitmix;    ///< how all records of the buffer are linked

  CanaryBuffer() = default;
  CanaryBuffer(std::byte* data, std::int64_t num_slots, std::int64_t stride = sizeof(Record),
               Memory memory = Memory::unknown, PaddingSlots padding = {},
               Chain chain = Chain::splitmix)
      : data(data),
        num_slots(num_slots),
        stride(stride),
        memory(memory),
        padding(padding),
        chain(chain) {}

  /// One record a slot, as far apart as the View has them.
  template <class... Properties>
  CanaryBuffer(  // NOLINT(google-explicit-constructor)
      const Kokkos::View<Record*, Properties...>& records, PaddingSlots padding = {},
      Chain chain = Chain::splitmix)
      : CanaryBuffer(reinterpret_cast<std::byte*>(records.data()),
                     static_cast<std::int64_t>(records.extent(0)),
                     static_cast<std::int64_t>(records.stride(0) * sizeof(Record)),
                     memory_of<typename Kokkos::View<Record*, Properties...>::memory_space>(),
                     padding, chain) {}
};

}  // namespace kvcanary
