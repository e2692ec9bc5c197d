#include "oracle/slot_table.hpp"

namespace oracle {

Found find(const SlotTable& table, std::int64_t row, std::int64_t position) {
  constexpr Found invalid{Found::Kind::invalid}, gone{Found::Kind::gone};
  const std::int64_t column = position / table.page_size;
  if (row < 0 || row >= table.num_rows) return invalid;
  if (column < 0 || column >= table.num_columns) return invalid;
  const std::int64_t page = table.entries.at(row * table.row_stride + column);
  if (page < 0) return gone;

  const std::int64_t full = page * table.page_size + position % table.page_size;
  if (!table.full_to_swa) return {Found::Kind::slot, full};

  const std::vector<std::int64_t>& full_to_swa = *table.full_to_swa;
  if (full >= static_cast<std::int64_t>(full_to_swa.size())) return invalid;
  const std::int64_t swa = full_to_swa[full];
  if (swa < 0) return gone;
  return {Found::Kind::slot, swa};
}

}  // namespace oracle
