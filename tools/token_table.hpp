#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "tools/device_array.hpp"

/// \file
/// The engine's token table where kernels can read it.
namespace kvcanary::tools {

/// Stores tokens at their places.
struct ScatterTokens {
  std::int32_t* table;
  const std::int64_t* indices;
  const std::int32_t* tokens;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { table[indices[i]] = tokens[i]; }
};

/// The table is far larger than what a step adds to it: a device gets the new tokens alone. A host
/// space reads the engine's own.
template <class Space>
class TokenTable {
 public:
  explicit TokenTable(const sim::Engine& engine)
      : engine_(engine), sent_(static_cast<std::size_t>(engine.table_rows()), {-1, 0}) {
    if constexpr (!on_host) table_ = decltype(table_)("token_table", engine.token_table().size());
  }

  /// Makes the rows of `batch` readable in the order of `space`; the others hold what they held.
  /// Returns [rows][width].
  const std::int32_t* upload(const Space& space, const sim::StepBatch& batch) {
    if constexpr (on_host) {
      return engine_.token_table().data();
    } else {
      collect(batch);
      const ScatterTokens scatter{table_.data(), indices_on_device_.upload(space, indices_),
                                  tokens_on_device_.upload(space, tokens_)};
      Kokkos::parallel_for("replay::token_table",
                           Kokkos::RangePolicy<Space>(space, 0, tokens_.size()), scatter);
      return table_.data();
    }
  }

 private:
  static constexpr bool on_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

  /// What the device does not have yet. A request's token at a position never changes.
  void collect(const sim::StepBatch& batch) {
    indices_.clear();
    tokens_.clear();
    const std::int64_t width = engine_.table_columns() * engine_.config().page_size;
    for (std::size_t r = 0; r < batch.request_rows.size(); ++r) {
      const auto row = static_cast<std::size_t>(batch.request_rows[r]);
      auto& [request, length] = sent_[row];
      if (request != batch.request_ids[r]) length = 0;
      request = batch.request_ids[r];
      for (; length < engine_.valid_lengths()[row]; ++length) {
        indices_.push_back(batch.request_rows[r] * width + length);
        tokens_.push_back(engine_.token_table()[static_cast<std::size_t>(indices_.back())]);
      }
    }
  }

  const sim::Engine& engine_;
  Kokkos::View<std::int32_t*, typename Space::memory_space> table_;
  std::vector<std::pair<std::int64_t, std::int64_t>> sent_;  // by row: request, tokens
  std::vector<std::int64_t> indices_;
  std::vector<std::int32_t> tokens_;
  DeviceArray<Space, std::int64_t> indices_on_device_;
  DeviceArray<Space, std::int32_t> tokens_on_device_;
};

}  // namespace kvcanary::tools
