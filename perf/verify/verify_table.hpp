#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <utility>
#include <vector>

#include "perf/inputs/device_arrays.hpp"
#include "perf/inputs/shuffled.hpp"
#include "perf/verify/verify_case.hpp"

/// \file
/// Where the tokens of a case lie: the batches of all sets of inputs, on the device.
namespace kvcanary::perf {

/// The token that request row `row` holds at a position.
KOKKOS_INLINE_FUNCTION std::int32_t token_of(std::int64_t row, std::int64_t position) {
  const auto seed = static_cast<std::uint64_t>(row << 32 | position);
  return static_cast<std::int32_t>(splitmix64(seed) % 128000);
}

struct FillExpected {
  std::int32_t* tokens;
  std::int64_t columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    tokens[i] = token_of(i / columns, i % columns);
  }
};

/// One table for all sets, with rows and pages of its own for each, handed out in random order. In
/// the sliding-window pool, the slots inside the windows have pages of its own, the rest is
/// evicted.
template <class Space>
class VerifyTable {
 public:
  using Memory = typename Space::memory_space;

  VerifyTable(const VerifyCase& of, int num_sets) : case_(of), num_sets_(num_sets) {
    make_lengths();
    make_table();
    if (of.lists) make_lists();
    if (of.expected) make_expected();
  }

  /// What set `set` reads of a pool, each request adding a token.
  RequestBatch batch(int set, const CheckedPool& pool) const {
    RequestBatch batch{.request_rows = of_set(rows_, set),
                       .prefix_lengths = prefixes_,
                       .extend_lengths = ones_,
                       .window = pool.window};
    if (case_.lists) {
      batch.lists = lists(set);
    } else {
      batch.table = table();
    }
    if (pool.is_swa) batch.full_to_swa = full_to_swa_;
    if (case_.expected) batch.expected = expected();
    return batch;
  }

  /// The step that added all of set `set` to the cache.
  RequestBatch first_batch(int set) const {
    return {.request_rows = of_set(rows_, set),
            .prefix_lengths = zeros_,
            .extend_lengths = prefixes_,
            .table = table()};
  }

  SlotTable table() const { return {table_, case_.page}; }
  const std::int64_t* full_to_swa() const { return full_to_swa_.data(); }

 private:
  using Ints = Kokkos::View<std::int64_t*, Memory>;
  using Table = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;

  SlotLists lists(int set) const {
    return {.pages = {list_pages_.data() + set * case_.pages(), case_.pages(), memory_of<Memory>()},
            .offsets = list_offsets_,
            .page_size = case_.page};
  }

  IntSpan of_set(const Ints& all, int set) const {
    return {all.data() + set * case_.requests, case_.requests, memory_of<Memory>()};
  }

  std::int64_t num_rows() const { return 1 + num_sets_ * case_.requests; }

  ExpectedTokens expected() const {
    return {.tokens = expected_,
            .num_rows = num_rows(),
            .num_columns = case_.longest(),
            .row_stride = case_.longest(),
            .valid_lengths = {}};
  }

  void make_lengths() {
    const auto requests = static_cast<std::size_t>(case_.requests);
    std::vector<std::int64_t> rows, prefixes;
    for (std::int64_t row = 1; row < num_rows(); ++row) rows.push_back(row);
    for (std::int64_t r = 0; r < case_.requests; ++r) prefixes.push_back(case_.prefix_of(r));
    rows_ = upload<Memory>(rows);
    prefixes_ = upload<Memory>(prefixes);
    zeros_ = upload<Memory>(std::vector<std::int64_t>(requests, 0));
    ones_ = upload<Memory>(std::vector<std::int64_t>(requests, 1));
  }

  void make_table() {
    const std::int64_t columns = case_.columns();
    const auto pages = shuffled(1, num_sets_ * case_.pages(), 3000);
    const auto swa_pages = shuffled(1, num_sets_ * case_.pages(), 4000);
    std::vector<std::int32_t> entries(static_cast<std::size_t>(num_rows() * columns), -1);
    std::vector<std::int64_t> to_swa;
    if (case_.checked != Checked::full) {
      to_swa.assign(static_cast<std::size_t>(case_.pool_slots(num_sets_)), -1);
    }
    std::size_t next = 0;
    for (std::int64_t row = 1; row < num_rows(); ++row) {
      const std::int64_t request = (row - 1) % case_.requests;
      const std::int64_t prefix = case_.prefix_of(request);
      const std::int64_t kept = swa_window + case_.added_of(request);
      for (std::int64_t first = 0; first < prefix; first += case_.page, ++next) {
        entries[static_cast<std::size_t>(row * columns + first / case_.page)] = pages[next];
        if (!to_swa.empty()) map_page(to_swa, pages[next], swa_pages[next], first, prefix, kept);
      }
    }
    table_ = uninitialized<Table>("perf::table", num_rows(), columns);
    const auto flat = upload<Memory>(entries);
    Kokkos::deep_copy(Kokkos::View<std::int32_t*, Memory>(table_.data(), entries.size()), flat);
    full_to_swa_ = upload<Memory>(to_swa);
  }

  /// The same pages as the table's, those of each set by themselves.
  void make_lists() {
    const auto pages = shuffled(1, num_sets_ * case_.pages(), 3000);
    std::vector<std::int32_t> offsets{0};
    for (std::int64_t r = 0; r < case_.requests; ++r) {
      const std::int64_t of_request = (case_.prefix_of(r) + case_.page - 1) / case_.page;
      offsets.push_back(offsets.back() + static_cast<std::int32_t>(of_request));
    }
    list_pages_ = upload<Memory>(std::vector<std::int32_t>(pages.begin(), pages.end()));
    list_offsets_ = upload<Memory>(offsets);
  }

  /// \param first position of the page's first slot \param kept positions that are not evicted
  void map_page(std::vector<std::int64_t>& to_swa, std::int64_t page, std::int64_t swa_page,
                std::int64_t first, std::int64_t prefix, std::int64_t kept) const {
    const std::int64_t end = std::min(first + case_.page, prefix);
    for (std::int64_t p = std::max(first, prefix - kept); p < end; ++p) {
      to_swa[static_cast<std::size_t>(page * case_.page + p - first)] =
          swa_page * case_.page + p - first;
    }
  }

  void make_expected() {
    const std::int64_t count = num_rows() * case_.longest();
    expected_ = uninitialized<Kokkos::View<std::int32_t*, Memory>>("perf::expected", count);
    fill<Space>("perf::fill_expected", count, FillExpected{expected_.data(), case_.longest()});
  }

  VerifyCase case_;
  int num_sets_;
  Ints rows_, prefixes_, zeros_, ones_, full_to_swa_;
  Table table_;
  Kokkos::View<std::int32_t*, Memory> list_pages_, list_offsets_, expected_;
};

}  // namespace kvcanary::perf
