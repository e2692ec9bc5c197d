#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// A canary buffer and what it guards, as plain host data.
namespace oracle {

/// How records are linked.
enum class Chain { splitmix, polynomial };

enum class KVMode { none, partial, all };

/// KV bytes `[num_rows][row_stride]`.
struct KVSource {
  std::vector<std::byte> bytes = {};
  std::int64_t num_rows = 0;
  std::int64_t row_stride = 0;
  std::int64_t page_size = 1;
  std::int64_t bytes_per_token = 0;
  std::int64_t read_bytes = 0;
};

/// Slots `[first, first + count)`, which hold nobody's token.
struct Padding {
  std::int64_t first = 0;
  std::int64_t count = 1;
  bool skip_reads = false;  ///< a table that names one for a token says that there is no slot

  bool contains(std::int64_t slot) const { return slot >= first && slot - first < count; }
};

struct Endpoint {
  int tag = 0;
  std::vector<std::byte> canary = {};  ///< [num_slots][stride]
  std::int64_t num_slots = 0;
  std::int64_t stride = 32;
  Padding padding = {};
  Chain chain = Chain::splitmix;
  std::vector<KVSource> sources = {};
  KVMode mode = KVMode::none;

  bool has(std::int64_t slot) const { return slot >= 0 && slot < num_slots; }
};

}  // namespace oracle
