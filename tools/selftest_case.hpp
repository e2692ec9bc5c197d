#pragma once

#include <cstddef>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <string>
#include <vector>

/// \file
/// Generated inputs of the self-test, and what an execution space makes of them.
namespace kvcanary::tools {

/// A batch whose prefixes are in the cache: first every prefix is written, then `damage` is done to
/// the records, then the step is planned, verified and written.
struct SelftestCase {
  std::int64_t page_size, num_slots, window;
  std::vector<std::int32_t> table;  ///< [rows][columns]
  std::int64_t rows, columns;
  std::vector<std::int64_t> full_to_swa;  ///< empty: no translation
  std::vector<std::int32_t> token_table;  ///< [rows][columns * page_size]
  std::vector<std::int64_t> request_rows, prefix_lengths, extend_lengths;
  std::vector<std::byte> kv;  ///< [num_slots][kv_bytes]
  std::int64_t kv_bytes;
  KVHashMode kv_hash_mode;
  Chain chain;

  struct Damage {
    std::int64_t slot;
    int word;  ///< of the record, 0 to 3
    std::int64_t flip;
  };
  std::vector<Damage> damage;

  /// Slot of a position by the table and the translation, which must be in range.
  std::int64_t slot(std::int64_t row, std::int64_t position) const;
};

/// A well-formed case with nothing damaged.
SelftestCase clean_case(std::uint64_t seed);
/// A clean case with damaged records, indices and lengths.
SelftestCase hostile_case(std::uint64_t seed);

/// All that an execution space computes from a case.
struct SelftestOutput {
  std::vector<Record> records;
  std::vector<VerifyEntry> entries;
  std::vector<std::int64_t> offsets, seed_slots;
  std::int64_t malformed = 0;
  std::vector<Violation> violations;  ///< sorted
  TagCountsTable counts{};
  // Of verify_requests and write_requests.
  std::vector<Record> one_pass_records;
  std::vector<Violation> one_pass_violations;  ///< sorted
  TagCountsTable one_pass_counts{};

  bool operator==(const SelftestOutput&) const = default;
};

/// Byte for byte.
bool are_equal(const std::vector<Record>& a, const std::vector<Record>& b);

/// Name of the first part in which two outputs differ; empty when they are equal.
std::string difference(const SelftestOutput& a, const SelftestOutput& b);

}  // namespace kvcanary::tools
