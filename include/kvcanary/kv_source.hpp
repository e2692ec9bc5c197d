#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/memory.hpp>
#include <span>

/// \file
/// Where the real KV bytes of a slot lie.
namespace kvcanary {

/// How much of each source goes into the KV hash.
enum class KVHashMode : std::uint8_t {
  none,     ///< nothing is read, the hash is 0
  partial,  ///< the first 16 bytes of each source
  all       ///< `read_bytes` of each source
};

/// One array of KV bytes, `[num_rows][row_stride]`, a row holding the tokens of one page one after
/// the other. The bytes of slot s start at row `s / page_size`, column `(s % page_size) *
/// bytes_per_token`. Any alignment is accepted; sources whose base, strides and read_bytes are
/// multiples of 16 are read 16 bytes at a time.
struct KVSource {
  const std::byte* data = nullptr;   ///< the first byte of row 0
  std::int64_t num_rows = 0;         ///< pages; a slot of a later page is out of range
  std::int64_t row_stride = 0;       ///< bytes from row to row, >= page_size * bytes_per_token
  std::int64_t page_size = 1;        ///< tokens a row
  std::int64_t bytes_per_token = 0;  ///< bytes from token to token within a row
  std::int64_t read_bytes = 0;  ///< bytes hashed of each token in mode `all`, <= bytes_per_token
  Memory memory = Memory::unknown;  ///< where `data` lies
};

/// The sources of one endpoint as operations take them: a view of a KVSources, which must outlive
/// it.
struct KVSourceList {
  const void* sources = nullptr;  ///< descriptions in the form that kernels read
  std::int32_t count = 0;
  std::int32_t max_read_bytes = 0;  ///< of any source
  std::int64_t num_slots = 0;       ///< slots, from 0, whose bytes every source has
  Memory memory = Memory::unknown;  ///< where `sources` lies
};

/// Owns the descriptions of the sources of one endpoint in memory that kernels can read; any number
/// of them. Make it once at set-up: it allocates and copies. The KV bytes stay the caller's.
template <class MemorySpace>
class KVSources {
 public:
  KVSources() = default;

  /// On the device of `space`; fences it.
  /// \throws std::invalid_argument naming the source and field that is wrong
  template <class ExecSpace>
  KVSources(const ExecSpace& space, std::span<const KVSource> sources);

  KVSourceList list() const& { return list_; }
  KVSourceList list() const&& = delete;  ///< it would outlive what it points to

 private:
  Kokkos::View<std::byte*, MemorySpace> descriptions_;
  KVSourceList list_;
};

}  // namespace kvcanary
