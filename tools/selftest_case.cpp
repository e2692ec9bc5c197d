#include "tools/selftest_case.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "sim/rng.hpp"

namespace kvcanary::tools {
namespace {

using sim::Rng;

template <class T>
T& any_of(Rng& rng, std::vector<T>& values) {
  return values[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(values.size())))];
}

/// Numbers from `first` on, in random order.
std::vector<std::int32_t> permutation(Rng& rng, std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), static_cast<std::int32_t>(first));
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1],
              values[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(i)))]);
  };
  return values;
}

/// Every request has pages of its own; page 0 stays the padding page.
void fill_tables(Rng& rng, SelftestCase& c) {
  const std::vector<std::int32_t> pages = permutation(rng, 1, (c.rows - 1) * c.columns);
  c.table.assign(static_cast<std::size_t>(c.rows * c.columns), 0);
  std::copy(pages.begin(), pages.end(), c.table.begin() + c.columns);
  c.token_table.resize(c.table.size() * static_cast<std::size_t>(c.page_size));
  for (std::int32_t& token : c.token_table)
    token = static_cast<std::int32_t>(rng.between(0, 127'999));
}

void fill_requests(Rng& rng, SelftestCase& c) {
  const std::int64_t length = c.columns * c.page_size;
  for (std::int64_t row = 1; row < c.rows; ++row) {
    const std::int64_t prefix = rng.below(4) == 0 ? 0 : rng.between(0, length - 1);
    c.request_rows.push_back(row);
    c.prefix_lengths.push_back(prefix);
    c.extend_lengths.push_back(rng.below(2) == 0 ? 1 : rng.between(0, length - prefix));
  }
  c.request_rows.push_back(0);  // padding
  c.prefix_lengths.push_back(rng.between(0, 5));
  c.extend_lengths.push_back(1);
}

void fill_translation(Rng& rng, SelftestCase& c) {
  if (rng.below(2) == 0) return;
  c.window = rng.between(1, c.columns * c.page_size);
  const std::vector<std::int32_t> slots = permutation(rng, 1, c.num_slots - 1);
  c.full_to_swa.push_back(0);
  c.full_to_swa.insert(c.full_to_swa.end(), slots.begin(), slots.end());
}

}  // namespace

std::int64_t SelftestCase::slot(std::int64_t row, std::int64_t position) const {
  const std::int64_t page = table[static_cast<std::size_t>(row * columns + position / page_size)];
  const std::int64_t full = page * page_size + position % page_size;
  return full_to_swa.empty() ? full : full_to_swa[static_cast<std::size_t>(full)];
}

SelftestCase clean_case(std::uint64_t seed) {
  Rng rng(seed);
  constexpr std::int64_t page_sizes[] = {1, 3, 16, 64};
  SelftestCase c{};
  c.page_size = page_sizes[rng.below(4)];
  c.rows = rng.between(2, 9);
  c.columns = rng.between(1, 640 / c.page_size);
  c.num_slots = (1 + (c.rows - 1) * c.columns) * c.page_size;
  c.kv_bytes = rng.between(1, 48);
  c.kv_hash_mode = static_cast<KVHashMode>(rng.below(3));
  c.chain = static_cast<Chain>(rng.below(2));
  fill_tables(rng, c);
  fill_requests(rng, c);
  fill_translation(rng, c);
  c.kv.resize(static_cast<std::size_t>(c.num_slots * c.kv_bytes));
  for (std::byte& byte : c.kv) byte = static_cast<std::byte>(rng.below(256));
  return c;
}

SelftestCase hostile_case(std::uint64_t seed) {
  SelftestCase c = clean_case(seed);
  Rng rng(~seed);
  for (std::int64_t i = rng.below(8); i > 0; --i) {
    c.damage.push_back({rng.between(1, c.num_slots - 1), static_cast<int>(rng.below(4)),
                        std::int64_t{1} << rng.below(64)});
  }
  constexpr std::int64_t wild[] = {-1, -7, std::int64_t{1} << 40, std::int64_t{1} << 62, 100'000};
  const auto wild_value = [&] { return wild[rng.below(5)]; };
  for (std::int64_t i = rng.below(4); i > 0; --i) {
    any_of(rng, c.table) = static_cast<std::int32_t>(rng.between(-2, 2 * c.num_slots));
  }
  if (rng.below(3) == 0) any_of(rng, c.request_rows) = wild_value();
  if (rng.below(3) == 0) any_of(rng, c.prefix_lengths) = rng.between(-3, 2000);
  if (rng.below(3) == 0) any_of(rng, c.extend_lengths) = wild_value();
  if (!c.full_to_swa.empty()) any_of(rng, c.full_to_swa) = wild_value();
  return c;
}

bool are_equal(const std::vector<Record>& a, const std::vector<Record>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Record)) == 0;
}

std::string difference(const SelftestOutput& a, const SelftestOutput& b) {
  if (!are_equal(a.records, b.records)) return "records";
  if (a.offsets != b.offsets) return "write offsets";
  if (a.seed_slots != b.seed_slots) return "seed slots";
  if (a.entries != b.entries) return "verify entries";
  if (a.malformed != b.malformed) return "malformed";
  if (a.violations != b.violations) return "violations";
  if (a.counts != b.counts) return "counters";
  if (!are_equal(a.one_pass_records, b.one_pass_records)) return "records in one pass";
  if (a.one_pass_violations != b.one_pass_violations) return "violations in one pass";
  if (a.one_pass_counts != b.one_pass_counts) return "counters in one pass";
  return "";
}

}  // namespace kvcanary::tools
