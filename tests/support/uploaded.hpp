#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <kvcanary/kvcanary.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/case.hpp"
#include "tests/support/guarded_bytes.hpp"

/// \file
/// The parts of a case in the memory of an execution space, as arguments of the library's
/// operations.

/// An array of int32 or int64 that operations only read.
template <class Space>
class UploadedInts {
 public:
  UploadedInts(const std::vector<std::int64_t>& values, bool narrow) : values_(values) {
    if (narrow && std::ranges::all_of(values, fits_int32)) {
      narrow_.emplace(std::vector<std::int32_t>(values.begin(), values.end()));
    } else {
      wide_.emplace(values);
    }
  }

  kvcanary::IntSpan span() const {
    const auto size = static_cast<std::int64_t>(values_.size());
    constexpr auto memory = kvcanary::memory_of<typename Space::memory_space>();
    return narrow_ ? kvcanary::IntSpan(narrow_->data(), size, memory)
                   : kvcanary::IntSpan(wide_->data(), size, memory);
  }

  void expect_unchanged() const {
    if (narrow_) {
      EXPECT_TRUE(std::ranges::equal(narrow_->fetch(), values_));
    } else {
      EXPECT_EQ(wide_->fetch(), values_);
    }
  }

 private:
  static bool fits_int32(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

  std::vector<std::int64_t> values_;
  std::optional<GuardedArray<std::int32_t, Space>> narrow_;
  std::optional<GuardedArray<std::int64_t, Space>> wide_;
};

/// Several of them, some of which may not be given.
template <class Space>
class UploadedArrays {
 public:
  explicit UploadedArrays(const Layout& layout) : layout_(layout) {}

  kvcanary::IntSpan add(const std::vector<std::int64_t>& values) {
    const int index = static_cast<int>(arrays_.size());
    return arrays_.emplace_back(values, layout_.is_narrow(index)).span();
  }
  kvcanary::IntSpan add_pages(const std::vector<std::int64_t>& values) {
    return arrays_.emplace_back(values, !layout_.wide_pages).span();
  }
  kvcanary::IntSpan add(const std::optional<std::vector<std::int64_t>>& values) {
    return values ? add(*values) : kvcanary::IntSpan();
  }
  kvcanary::IntSpan add(const std::optional<std::int64_t>& scalar) {
    return scalar ? add(std::vector{*scalar}) : kvcanary::IntSpan();
  }

  void expect_unchanged() const {
    for (const UploadedInts<Space>& array : arrays_) array.expect_unchanged();
  }

 private:
  Layout layout_;
  std::vector<UploadedInts<Space>> arrays_;
};

template <class Space>
class UploadedRequestBatch {
 public:
  UploadedRequestBatch(const Layout& layout, const oracle::RequestBatch& from) : arrays_(layout) {
    if (from.rows_given) batch_.request_rows = arrays_.add(from.request_rows);
    batch_.prefix_lengths = arrays_.add(from.prefix_lengths);
    batch_.extend_lengths = arrays_.add(from.extend_lengths);
    batch_.num_requests = arrays_.add(from.num_requests);
    from.lists ? add_lists(*from.lists) : add_table(from.table);
    batch_.window = from.window;
    switch (from.verify_end) {
      case oracle::VerifyEnd::prefix:
        batch_.verify_end = kvcanary::VerifyEnd::prefix;
        break;
      case oracle::VerifyEnd::last_token:
        batch_.verify_end = kvcanary::VerifyEnd::last_token;
        break;
      case oracle::VerifyEnd::whole_step:
        batch_.verify_end = kvcanary::VerifyEnd::whole_step;
        break;
    }
    batch_.padding_row = from.padding_row;
    if (from.expected) add_expected(*from.expected);
  }

  const kvcanary::RequestBatch& batch() const { return batch_; }

  void expect_unchanged() const { arrays_.expect_unchanged(); }

 private:
  void add_table(const oracle::SlotTable& from) {
    const kvcanary::IntSpan entries = arrays_.add_pages(from.entries);
    const auto of = [&](const auto* data) {
      return kvcanary::SlotTable(data, from.num_rows, from.num_columns, from.row_stride,
                                 from.page_size, entries.memory());
    };
    batch_.table = entries.type() == kvcanary::IntType::int32
                       ? of(static_cast<const std::int32_t*>(entries.data()))
                       : of(static_cast<const std::int64_t*>(entries.data()));
    batch_.full_to_swa = arrays_.add(from.full_to_swa);
  }

  void add_lists(const oracle::SlotLists& from) {
    batch_.lists = {arrays_.add_pages(from.pages), arrays_.add(from.offsets),
                    arrays_.add(from.first_positions), from.page_size};
    batch_.full_to_swa = arrays_.add(from.full_to_swa);
  }

  void add_expected(const oracle::ExpectedTokens& from) {
    batch_.expected = {
        arrays_.add(from.tokens),        from.num_rows,    from.num_columns, from.row_stride,
        arrays_.add(from.valid_lengths), from.token_offset};
  }

  UploadedArrays<Space> arrays_;
  kvcanary::RequestBatch batch_;
};

template <class Space>
class UploadedTokenBatch {
 public:
  UploadedTokenBatch(const Layout& layout, const oracle::TokenBatch& from) : arrays_(layout) {
    batch_.tokens = arrays_.add(from.tokens);
    batch_.positions = arrays_.add(from.positions);
    batch_.slots = arrays_.add(from.slots);
    batch_.expected_tokens = arrays_.add(from.expected_tokens);
    batch_.expected_positions = arrays_.add(from.expected_positions);
    batch_.num_tokens = arrays_.add(from.num_tokens);
    batch_.check_positions = arrays_.add(from.check_positions);
  }

  const kvcanary::TokenBatch& batch() const { return batch_; }
  void expect_unchanged() const { arrays_.expect_unchanged(); }

 private:
  UploadedArrays<Space> arrays_;
  kvcanary::TokenBatch batch_;
};

/// Canary buffers and KV bytes of several endpoints.
template <class Space>
class UploadedEndpoints {
 public:
  UploadedEndpoints(const Layout& layout, const std::vector<oracle::Endpoint>& from) {
    for (const oracle::Endpoint& endpoint : from) add(layout, endpoint);
  }

  const std::vector<kvcanary::Endpoint>& endpoints() const { return endpoints_; }

  /// Takes the canary bytes back; the KV bytes must be as they were.
  void fetch(std::vector<oracle::Endpoint>& to) const {
    auto kv = kv_.begin();
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i].canary = canaries_[i].fetch();
      for (const oracle::KVSource& source : to[i].sources) {
        EXPECT_TRUE((kv++)->fetch() == source.bytes) << "KV bytes changed, endpoint " << i;
      }
    }
  }

 private:
  using Memory = typename Space::memory_space;

  void add(const Layout& layout, const oracle::Endpoint& from) {
    canaries_.emplace_back(from.canary);
    const kvcanary::PaddingSlots padding{
        from.padding.first, from.padding.count,
        from.padding.skip_reads ? kvcanary::PaddingReads::skip : kvcanary::PaddingReads::report};
    endpoints_.push_back(
        {static_cast<kvcanary::LaunchTag>(from.tag),
         {canaries_.back().data(), from.num_slots, from.stride, kvcanary::memory_of<Memory>(),
          padding, static_cast<kvcanary::Chain>(from.chain)},
         add_sources(layout, from),
         static_cast<kvcanary::KVHashMode>(from.mode)});
  }

  kvcanary::KVSourceList add_sources(const Layout& layout, const oracle::Endpoint& from) {
    if (from.sources.empty()) return {};
    std::vector<kvcanary::KVSource> sources;
    for (const oracle::KVSource& source : from.sources) {
      kv_.emplace_back(source.bytes, layout.kv_misalignment);
      sources.push_back({kv_.back().data(), source.num_rows, source.row_stride, source.page_size,
                         source.bytes_per_token, source.read_bytes, kvcanary::memory_of<Memory>()});
    }
    return sources_.emplace_back(Space(), sources).list();
  }

  std::vector<GuardedArray<std::byte, Space>> canaries_;
  std::vector<GuardedArray<std::byte, Space>> kv_;
  std::vector<kvcanary::KVSources<Memory>> sources_;
  std::vector<kvcanary::Endpoint> endpoints_;
};
