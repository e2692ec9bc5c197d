#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "tests/support/decode_workload.hpp"

/// \file
/// A decode loop on an execution space: inputs change in place, the launches stay the same.

/// What a loop has left behind.
struct DecodeResult {
  std::vector<std::int64_t> records;            ///< words of all records of all buffers
  std::vector<kvcanary::Violation> violations;  ///< sorted
  kvcanary::TagCountsTable counts{};
  kvcanary::Count overflows = 0;
};

template <class Space>
class DecodeLoop {
 public:
  explicit DecodeLoop(const Space& space) : space_(space) {
    std::vector<std::int64_t> to_swa;
    for (std::int64_t s = 0; s < DecodeStep::num_slots; ++s) {
      to_swa.push_back(DecodeStep::to_swa(s));
    }
    copy(full_to_swa_, to_swa);
    space_.fence("DecodeLoop");
  }

  /// Replaces the inputs, in the order of the space.
  void load(const DecodeStep& step) {
    copy(rows_, step.request_rows);
    copy(prefixes_, step.prefix_lengths);
    copy(extends_, step.extend_lengths);
    copy(num_requests_, step.num_requests);
    copy(table_, step.table);
    copy(token_table_, step.token_table);
    copy(tokens_, step.tokens);
    copy(expected_tokens_, step.expected_tokens);
    copy(positions_, step.positions);
    copy(slots_, step.slots);
    copy(swa_slots_, step.swa_slots);
    copy(valid_lengths_, step.valid_lengths);
    copy(num_tokens_, step.num_tokens);
    copy(check_positions_, step.check_positions);
  }

  /// Plans and verifies, by the plan and without it, and writes: both pools in one launch as a
  /// decode step does, and two buffers without the hint; then all of it without a plan. Fences
  /// nothing.
  void enqueue() const {
    const kvcanary::RequestBatch full = requests();
    kvcanary::RequestBatch swa = full;
    swa.full_to_swa = full_to_swa_;
    swa.window = 200;
    const std::span<const kvcanary::Endpoint> all = endpoints_;
    kvcanary::plan(space_, full, write_plan_, verify_plan_);
    kvcanary::plan(space_, swa, swa_plan_);
    kvcanary::verify(space_, verify_plan_, all.first(4), log_, counters_);
    const std::array verify_jobs{kvcanary::VerifyJob{full, all.first(4)},
                                 kvcanary::VerifyJob{swa, all.last(1)}};
    kvcanary::verify_requests(space_, verify_jobs, log_, counters_);
    const std::array write_jobs{
        kvcanary::WriteJob<Memory>{write_plan_, tokens(slots_, 1), all.first(2)},
        kvcanary::WriteJob<Memory>{swa_plan_, tokens(swa_slots_, 1), all.last(1)}};
    kvcanary::write(space_, write_jobs, log_, counters_);
    kvcanary::write(space_, write_plan_, tokens(slots_, 0), all.subspan(2, 2), log_, counters_);
    // The same once more, without plans.
    for (const std::int64_t most : {1, 0}) {
      const std::array jobs{kvcanary::StepJob{full, tokens(slots_, most), all.first(4)},
                            kvcanary::StepJob{swa, tokens(swa_slots_, most), all.last(1)}};
      kvcanary::write_requests(space_, jobs, swa_plan_.scratch, log_, counters_);
    }
    // And as steps, each of one launch.
    for (const auto side : {kvcanary::StepSide::head, kvcanary::StepSide::tail}) {
      const std::array jobs{kvcanary::StepJob{full, tokens(slots_, 1), all.first(1)},
                            kvcanary::StepJob{swa, tokens(swa_slots_, 1), all.last(1)}};
      kvcanary::step(space_, side, jobs, swa_plan_.scratch, log_, counters_);
      kvcanary::step(space_, side, full, tokens(slots_, 1), all.subspan(3, 1), swa_plan_.scratch,
                     log_, counters_);
    }
  }

  void reset() const {
    for (const auto& records : records_) Kokkos::deep_copy(space_, records, kvcanary::Record{});
    log_.reset(space_);
    counters_.reset(space_);
  }

  DecodeResult result() const {
    DecodeResult result;
    for (const auto& records : records_) {
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, records);
      const auto* words = reinterpret_cast<const std::int64_t*>(host.data());
      result.records.insert(result.records.end(), words, words + 4 * host.extent(0));
    }
    result.violations = log_.fetch(space_).rows;
    std::sort(result.violations.begin(), result.violations.end());
    result.counts = counters_.fetch(space_);
    result.overflows = verify_plan_.fetch_state(space_).overflows;
    return result;
  }

 private:
  using Memory = typename Space::memory_space;
  template <class T>
  using Array = Kokkos::View<T*, Memory>;
  static constexpr std::int64_t kv_bytes = 48;

  template <class T>
  void copy(const Array<T>& to, const std::vector<T>& from) const {
    Kokkos::deep_copy(space_, to, kvcanary::host_view(from.data(), from.size()));
  }

  kvcanary::RequestBatch requests() const {
    constexpr std::int64_t columns = DecodeStep::columns, width = DecodeStep::width;
    return {.request_rows = rows_,
            .prefix_lengths = prefixes_,
            .extend_lengths = extends_,
            .num_requests = num_requests_,
            .table = {table_.data(), DecodeStep::rows, columns, columns, DecodeStep::page_size},
            .full_to_swa = {},
            .expected = {.tokens = token_table_,
                         .num_rows = DecodeStep::rows,
                         .num_columns = width,
                         .row_stride = width,
                         .valid_lengths = valid_lengths_}};
  }

  kvcanary::TokenBatch tokens(const Array<std::int64_t>& slots,
                              std::int64_t max_entries_per_request) const {
    return {.tokens = tokens_,
            .positions = positions_,
            .slots = slots,
            .expected_tokens = expected_tokens_,
            .expected_positions = {},
            .num_tokens = num_tokens_,
            .check_positions = check_positions_,
            .max_entries_per_request = max_entries_per_request};
  }

  kvcanary::KVSources<Memory> make_sources() const {
    std::vector<std::byte> bytes(kv_.extent(0));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 % 251);
    copy(kv_, bytes);
    space_.fence("DecodeLoop");
    const kvcanary::KVSource source{.data = kv_.data(),
                                    .num_rows = DecodeStep::num_slots,
                                    .row_stride = kv_bytes,
                                    .page_size = 1,
                                    .bytes_per_token = kv_bytes,
                                    .read_bytes = kv_bytes,
                                    .memory = kvcanary::memory_of<Memory>()};
    return kvcanary::KVSources<Memory>(space_, {&source, 1});
  }

  /// Four buffers beside the full pool, two of each chain, one beside that of the sliding window.
  std::vector<kvcanary::Endpoint> make_endpoints() const {
    constexpr auto all = kvcanary::KVHashMode::all;
    constexpr auto polynomial = kvcanary::Chain::polynomial;
    return {{kvcanary::LaunchTag::head_k_full, records_[0], sources_.list(), all},
            {kvcanary::LaunchTag::head_v_full, {records_[1], {}, polynomial}, sources_.list(), all},
            {kvcanary::custom_tag(7), records_[2]},
            {kvcanary::custom_tag(8), {records_[3], {}, polynomial}},
            {kvcanary::LaunchTag::head_k_swa, records_[4], sources_.list(), all}};
  }

  Space space_;
  Array<std::int32_t> rows_{"rows", DecodeStep::max_requests},
      prefixes_{"prefixes", DecodeStep::max_requests},
      extends_{"extends", DecodeStep::max_requests},
      valid_lengths_{"valid_lengths", DecodeStep::max_requests},
      table_{"table", DecodeStep::rows* DecodeStep::columns},
      token_table_{"token_table", DecodeStep::rows* DecodeStep::width},
      tokens_{"tokens", DecodeStep::max_tokens},
      expected_tokens_{"expected_tokens", DecodeStep::max_tokens},
      positions_{"positions", DecodeStep::max_tokens}, num_tokens_{"num_tokens", 1},
      check_positions_{"check_positions", 1};
  Array<std::int64_t> slots_{"slots", DecodeStep::max_tokens},
      swa_slots_{"swa_slots", DecodeStep::max_tokens}, num_requests_{"num_requests", 1},
      full_to_swa_{"full_to_swa", DecodeStep::num_slots};
  Array<std::byte> kv_{"kv", static_cast<std::size_t>(DecodeStep::num_slots* kv_bytes)};
  std::array<Array<kvcanary::Record>, 5> records_{
      Array<kvcanary::Record>("k", DecodeStep::num_slots),
      Array<kvcanary::Record>("v", DecodeStep::num_slots),
      Array<kvcanary::Record>("unhinted", DecodeStep::num_slots),
      Array<kvcanary::Record>("unhinted_polynomial", DecodeStep::num_slots),
      Array<kvcanary::Record>("swa", DecodeStep::num_slots)};
  kvcanary::KVSources<Memory> sources_ = make_sources();
  std::vector<kvcanary::Endpoint> endpoints_ = make_endpoints();
  kvcanary::WritePlan<Memory> write_plan_ =
      kvcanary::WritePlan<Memory>::allocate(space_, DecodeStep::max_requests);
  kvcanary::WritePlan<Memory> swa_plan_ =
      kvcanary::WritePlan<Memory>::allocate(space_, DecodeStep::max_requests);
  // A little too small for the fullest steps, so that some overflow.
  kvcanary::VerifyPlan<Memory> verify_plan_ =
      kvcanary::VerifyPlan<Memory>::allocate(space_, 8 * DecodeStep::width);
  kvcanary::ViolationLog<Memory> log_ = kvcanary::ViolationLog<Memory>::allocate(space_, 1 << 18);
  kvcanary::LaunchCounters<Memory> counters_ = kvcanary::LaunchCounters<Memory>::allocate(space_);
};
