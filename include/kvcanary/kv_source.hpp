#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <kvcanary/divisor.hpp>
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

namespace detail {

/// A KVSource as kernels see it.
struct KVSourceArgs {
  const std::byte* data;
  std::int64_t num_rows, row_stride;
  Divisor page_size;
  std::int32_t bytes_per_token, read_bytes;
  bool is_aligned;  ///< each token's bytes start at a multiple of 16
};

KVSourceArgs to_args(const KVSource& source);

}  // namespace detail

/// Sources of one endpoint as kernels see them: an array in the memory of the execution space. Made
/// by KVSources.
struct KVSourceList {
  const detail::KVSourceArgs* sources = nullptr;
  std::int32_t count = 0;
  std::int32_t max_read_bytes = 0;  ///< of any source
  std::int64_t num_slots = 0;       ///< slots, from 0, whose bytes every source has
};

/// Owns the descriptions of the sources of one endpoint in memory that kernels can read; any number
/// of them. Make it once at set-up: it allocates and copies. The KV bytes stay the caller's.
template <class MemorySpace>
class KVSources {
 public:
  KVSources() = default;

  /// \throws std::invalid_argument naming the source and field that is wrong
  explicit KVSources(std::span<const KVSource> sources);

  KVSourceList list() const {
    return {sources_.data(), static_cast<std::int32_t>(sources_.extent(0)), max_read_bytes_,
            num_slots_};
  }

 private:
  Kokkos::View<detail::KVSourceArgs*, MemorySpace> sources_;
  std::int32_t max_read_bytes_ = 0;
  std::int64_t num_slots_ = 0;
};

namespace detail {
/// Throws std::invalid_argument when a source is malformed, or lies where `space_name` can't read
/// it.
void check_sources(std::span<const KVSource> sources, Memory unreachable);

/// Slots, from 0, whose bytes every source has.
std::int64_t num_slots(std::span<const KVSource> sources);
}  // namespace detail

template <class MemorySpace>
KVSources<MemorySpace>::KVSources(std::span<const KVSource> sources)
    : sources_("kvcanary::kv_sources", sources.size()) {
  const bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  detail::check_sources(sources, host ? Memory::device : Memory::host);
  num_slots_ = detail::num_slots(sources);
  const auto args = Kokkos::create_mirror_view(sources_);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    args(i) = detail::to_args(sources[i]);
    max_read_bytes_ = std::max(max_read_bytes_, args(i).read_bytes);
  }
  Kokkos::deep_copy(sources_, args);
}

}  // namespace kvcanary
