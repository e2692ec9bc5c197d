#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <vector>

#include "perf/inputs/device_arrays.hpp"
#include "perf/inputs/kv_inputs.hpp"
#include "perf/inputs/shuffled.hpp"
#include "perf/write/write_case.hpp"

/// \file
/// The inputs of a write that belong to one pool, on the device.
namespace kvcanary::perf {

/// Entry i of all input sets, one set after the other.
struct FillEntries {
  std::int64_t *tokens, *positions, *slots;
  Record* ready_made;
  const std::int32_t* pages;  ///< of extend i / entries: pages_per_extend of them
  std::int64_t entries, prefix, pages_per_extend;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t extend = i / entries, position = prefix + i % entries;
    const std::int64_t page = position / page_size - prefix / page_size;
    tokens[i] = static_cast<std::int64_t>(splitmix64(static_cast<std::uint64_t>(i)) % 128000);
    positions[i] = position;
    slots[i] = pages[extend * pages_per_extend + page] * page_size + position % page_size;
    ready_made[i] = {tokens[i], position, i, 0};
  }
};

/// The record of request r's last token before its entries.
struct FillSeeds {
  Record* records;
  const std::int64_t* slots;
  std::int64_t position;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const { records[slots[r]] = {r, position, 0, 0}; }
};

template <class Space>
class PoolInputs {
 public:
  using Memory = typename Space::memory_space;

  /// \param first_tag of the pool's endpoints: theirs are this one and those that follow
  PoolInputs(const WriteCase& write_case, std::int64_t num_sets, int first_tag)
      : entries_(write_case.pool_entries()),
        plan_(make_plan(write_case, num_sets, first_tag)),
        kv_(write_case.kv, 1 + write_case.extend_pages(num_sets), page_size) {
    make_requests(write_case, num_sets, first_tag);
    make_endpoints(write_case, num_sets, first_tag);
    make_entries(write_case, num_sets, first_tag);
    if (write_case.check) check_positions_ = upload<Memory>(std::vector<std::int64_t>{1});
  }

  /// Shared by the sets: a kernel has always just written it, so in use it is in the cache too.
  const WritePlan<Memory>& plan() const { return plan_; }

  TokenBatch batch(int set) const {
    return {.tokens = span(tokens_, set),
            .positions = span(positions_, set),
            .slots = span(slots_, set),
            .check_positions = check_positions(),
            .max_entries_per_request = entries_ / plan_.capacity()};
  }

  /// What the plan is made of.
  RequestBatch requests() const {
    const auto count = static_cast<std::int64_t>(prefixes_.size());
    const auto of = [=](const Ints& ints) {
      return IntSpan(ints.data(), count, memory_of<Memory>());
    };
    const auto columns = static_cast<std::int64_t>(table_.size()) / (count + 1);
    return {.request_rows = of(plan_.request_rows),
            .prefix_lengths = of(prefixes_),
            .extend_lengths = of(extends_),
            .table = {table_.data(), count + 1, columns, columns, page_size, memory_of<Memory>()}};
  }

  std::span<const Endpoint> endpoints() const { return endpoints_; }

  const std::int64_t* slots(int set) const { return slots_.data() + set * entries_; }
  /// Records of the entries, for the scatter copy.
  const Record* ready_made(int set) const { return ready_made_.data() + set * entries_; }

 private:
  using Ints = Kokkos::View<std::int64_t*, Memory>;
  using Records = Kokkos::View<Record*, Memory>;

  IntSpan span(const Ints& all, int set) const {
    return {all.data() + set * entries_, entries_, memory_of<Memory>()};
  }

  /// The flag as an engine has it, in device memory, where the case has one.
  IntSpan check_positions() const {
    const auto count = static_cast<std::int64_t>(check_positions_.size());
    return count == 0 ? IntSpan{} : IntSpan{check_positions_.data(), count, memory_of<Memory>()};
  }

  static auto pages_of_prefixes(const WriteCase& write_case, std::int64_t num_sets, int first_tag) {
    return shuffled(1 + write_case.extend_pages(num_sets), write_case.prefix_pages(),
                    1000 + first_tag);
  }

  static WritePlan<Memory> make_plan(const WriteCase& write_case, std::int64_t num_sets,
                                     int first_tag) {
    const std::int64_t requests = write_case.requests;
    const std::int64_t pages = write_case.prefix_pages() / requests;
    const auto prefix_pages = pages_of_prefixes(write_case, num_sets, first_tag);
    std::vector<std::int64_t> offsets{0}, seeds, rows;
    for (std::int64_t r = 0; r < requests; ++r) {
      offsets.push_back((r + 1) * write_case.entries);
      rows.push_back(r + 1);
      seeds.push_back(pages == 0 ? no_slot
                                 : prefix_pages[static_cast<std::size_t>((r + 1) * pages - 1)] *
                                           page_size +
                                       (write_case.prefix - 1) % page_size);
    }
    auto plan = WritePlan<Memory>::allocate(Space(), requests);
    plan.offsets = upload<Memory>(offsets);
    plan.seed_slots = upload<Memory>(seeds);
    plan.request_rows = upload<Memory>(rows);
    Kokkos::deep_copy(plan.state, WritePlanState{.num_requests = requests});
    return plan;
  }

  /// Row 0 of the table, which is that of padded requests, stays empty.
  void make_requests(const WriteCase& write_case, std::int64_t num_sets, int first_tag) {
    const std::int64_t requests = write_case.requests;
    const std::int64_t pages = write_case.prefix_pages() / requests;
    const auto prefix_pages = pages_of_prefixes(write_case, num_sets, first_tag);
    std::vector<std::int32_t> table(static_cast<std::size_t>(std::max<std::int64_t>(1, pages)));
    for (const auto page : prefix_pages) table.push_back(static_cast<std::int32_t>(page));
    table.resize(static_cast<std::size_t>((requests + 1) * std::max<std::int64_t>(1, pages)));
    table_ = upload<Memory>(table);
    prefixes_ = upload<Memory>(
        std::vector<std::int64_t>(static_cast<std::size_t>(requests), write_case.prefix));
    extends_ = upload<Memory>(
        std::vector<std::int64_t>(static_cast<std::size_t>(requests), write_case.entries));
  }

  void make_endpoints(const WriteCase& write_case, std::int64_t num_sets, int first_tag) {
    for (int i = 0; i < write_case.endpoints; ++i) {
      records_.emplace_back("perf::records", write_case.pool_slots(num_sets));
      if (write_case.prefix > 0) {
        fill<Space>(
            "perf::fill_seeds", write_case.requests,
            FillSeeds{records_.back().data(), plan_.seed_slots.data(), write_case.prefix - 1});
      }
      endpoints_.push_back({.tag = static_cast<LaunchTag>(first_tag + i),
                            .buffer = {records_.back(), PaddingSlots{}, write_case.chain},
                            .sources = kv_.list(),
                            .kv_hash_mode = write_case.mode});
    }
  }

  void make_entries(const WriteCase& write_case, std::int64_t num_sets, int first_tag) {
    const std::int64_t count = num_sets * entries_;
    const auto pages =
        upload<Memory>(shuffled(1, write_case.extend_pages(num_sets), 2000 + first_tag));
    tokens_ = uninitialized<Ints>("perf::tokens", count);
    positions_ = uninitialized<Ints>("perf::positions", count);
    slots_ = uninitialized<Ints>("perf::slots", count);
    ready_made_ = uninitialized<Records>("perf::ready_made", count);
    fill<Space>("perf::fill_entries", count,
                FillEntries{tokens_.data(), positions_.data(), slots_.data(), ready_made_.data(),
                            pages.data(), write_case.entries, write_case.prefix,
                            write_case.pages_per_extend()});
  }

  std::int64_t entries_;  // of one set
  WritePlan<Memory> plan_;
  KVInputs<Space> kv_;
  std::vector<Records> records_;
  std::vector<Endpoint> endpoints_;
  Ints prefixes_, extends_;
  Kokkos::View<std::int32_t*, Memory> table_;
  Ints tokens_, positions_, slots_;  // of all sets
  Records ready_made_;
  Ints check_positions_;  // one flag, or none
};

}  // namespace kvcanary::perf
