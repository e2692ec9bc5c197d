#include "oracle/slot_table.hpp"

#include <algorithm>

namespace oracle {
namespace {

constexpr Found invalid{Found::Kind::invalid}, gone{Found::Kind::gone};

/// The slot at `offset` in a page.
Found in_page(std::int64_t page, std::int64_t page_size, std::int64_t offset,
              const std::optional<std::vector<std::int64_t>>& full_to_swa) {
  constexpr std::int64_t max_pages = std::int64_t{1} << 32;
  if (page < 0) return gone;
  if (page >= max_pages) return invalid;
  const std::int64_t full = page * page_size + offset;
  if (!full_to_swa) return {Found::Kind::slot, full};

  if (full >= static_cast<std::int64_t>(full_to_swa->size())) return invalid;
  const std::int64_t swa = full_to_swa->at(full);
  if (swa < 0) return gone;
  return {Found::Kind::slot, swa};
}

}  // namespace

Found find(const SlotTable& table, std::int64_t row, std::int64_t position) {
  const std::int64_t column = position / table.page_size;
  if (row < 0 || row >= table.num_rows) return invalid;
  if (column < 0 || column >= table.num_columns) return invalid;
  return in_page(table.entries.at(row * table.row_stride + column), table.page_size,
                 position % table.page_size, table.full_to_swa);
}

Found find(const SlotLists& lists, std::int64_t request, std::int64_t position) {
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  const auto size = static_cast<std::int64_t>(lists.pages.size());
  const std::int64_t begin = std::clamp<std::int64_t>(lists.offsets.at(request), 0, size);
  const std::int64_t end = std::clamp<std::int64_t>(lists.offsets.at(request + 1), begin, size);
  const std::int64_t first = lists.first_positions ? lists.first_positions->at(request) : 0;
  if (first < 0 || first >= limit) return invalid;
  if (position < first) return gone;
  const std::int64_t entry = (position - first) / lists.page_size;
  if (entry >= end - begin) return invalid;
  return in_page(lists.pages.at(begin + entry), lists.page_size,
                 (position - first) % lists.page_size, lists.full_to_swa);
}

}  // namespace oracle
