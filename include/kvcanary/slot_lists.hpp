#pragma once

#include <cstdint>
#include <kvcanary/int_span.hpp>

/// \file
/// Where the tokens of a batch lie in the pool, as flat arrays.
namespace kvcanary {

/// The pages of all requests, one after the other, and where each request's begin: FlashInfer's and
/// SGLang's `kv_indices` and `kv_indptr`, Transformers' `read_index` with `cu_seq_lens`. The list
/// of request r of the batch is `pages[offsets[r]], ..., pages[offsets[r + 1] - 1]`; its i-th entry
/// holds the positions from `first_positions[r] + i * page_size` on, a page of them. All arrays may
/// be int32 or int64.
struct SlotLists {
  IntSpan pages;    ///< slots where the page size is 1; negative: no page
  IntSpan offsets;  ///< one more than the batch has requests, not descending
  /// Optional, by request: the position that its list begins with, where that is not 0. For lists
  /// of sliding windows, which hold the last positions alone; those before are gone.
  IntSpan first_positions = {};
  std::int64_t page_size = 1;  ///< tokens a page, 1 to 2^31 - 1

  /// Whether a batch has lists, and not a table.
  bool given() const { return pages.given() || offsets.given() || first_positions.given(); }
};

}  // namespace kvcanary
