#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tools/selftest_case.hpp"

/// \file
/// A case of the self-test on one execution space.
namespace kvcanary::tools {

template <class Space>
class SelftestRun {
 public:
  SelftestRun(const Space& space, const SelftestCase& c)
      : space_(space),
        case_(c),
        records_("records", static_cast<std::size_t>(c.num_slots)),
        one_pass_records_("records", static_cast<std::size_t>(c.num_slots)),
        kv_(upload(c.kv)),
        table_(upload(c.table)),
        token_table_(upload(c.token_table)),
        full_to_swa_(upload(c.full_to_swa)),
        rows_(upload(c.request_rows)) {
    const KVSource source{.data = kv_.data(),
                          .num_rows = c.num_slots,
                          .row_stride = c.kv_bytes,
                          .page_size = 1,
                          .bytes_per_token = c.kv_bytes,
                          .read_bytes = c.kv_bytes,
                          .memory = memory_of<MemorySpace>()};
    sources_ = KVSources<MemorySpace>(space_, {&source, 1});
    endpoint_ = {LaunchTag::head_k_full, {records_, {}, c.chain}, sources_.list(), c.kv_hash_mode};
    one_pass_endpoint_ = endpoint_;
    one_pass_endpoint_.buffer = {one_pass_records_, {}, c.chain};
  }

  SelftestOutput operator()() {
    std::vector<std::int64_t> lengths = case_.prefix_lengths;
    const std::vector<std::int64_t> none(lengths.size(), 0);
    // Garbage lengths can't be written; they matter in the step that is compared.
    for (std::int64_t& length : lengths) {
      if (length < 0 || length > case_.columns * case_.page_size) length = 0;
    }
    step(none, lengths);
    damage_records();
    log_.reset(space_);
    one_pass_log_.reset(space_);
    step(case_.prefix_lengths, case_.extend_lengths);
    return output();
  }

 private:
  using MemorySpace = typename Space::memory_space;
  template <class T>
  using Array = Kokkos::View<T*, MemorySpace>;

  template <class T>
  Array<T> upload(const std::vector<T>& host) const {
    Array<T> device("selftest", host.size());
    const auto from = host_view(host.data(), host.size());
    Kokkos::deep_copy(space_, device, from);
    space_.fence("selftest::upload");
    return device;
  }

  template <class T>
  std::vector<T> download(const Array<T>& device, std::size_t count) const {
    std::vector<T> host(count);
    const auto to = host_view(host.data(), count);
    Kokkos::deep_copy(space_, to,
                      Kokkos::subview(device, std::pair<std::size_t, std::size_t>(0, count)));
    space_.fence("selftest::download");
    return host;
  }

  /// Plans, verifies and writes one step, with tokens and slots from the tables; and does the same
  /// without plans, to records of its own.
  void step(const std::vector<std::int64_t>& prefixes, const std::vector<std::int64_t>& extends) {
    std::vector<std::int64_t> tokens, positions, slots;
    add_entries(prefixes, extends, tokens, positions, slots);
    const auto tokens_d = upload(tokens), positions_d = upload(positions), slots_d = upload(slots);
    const auto prefix_d = upload(prefixes), extend_d = upload(extends);

    const std::int64_t width = case_.columns * case_.page_size;
    const RequestBatch batch{
        .request_rows = rows_,
        .prefix_lengths = prefix_d,
        .extend_lengths = extend_d,
        .table =
            SlotTable(table_.data(), case_.rows, case_.columns, case_.columns, case_.page_size),
        .full_to_swa = case_.full_to_swa.empty() ? IntSpan() : IntSpan(full_to_swa_),
        .window = case_.window,
        .expected = {.tokens = token_table_,
                     .num_rows = case_.rows,
                     .num_columns = width,
                     .row_stride = width,
                     .valid_lengths = {}}};
    plan(space_, batch, write_plan_, verify_plan_);
    verify(space_, verify_plan_, {&endpoint_, 1}, log_, counters_);
    const TokenBatch added{.tokens = tokens_d, .positions = positions_d, .slots = slots_d};
    write(space_, write_plan_, added, {&endpoint_, 1}, log_, counters_);
    const std::span<const Endpoint> one_pass(&one_pass_endpoint_, 1);
    verify_requests(space_, batch, one_pass, one_pass_log_, one_pass_counters_);
    write_requests(space_, batch, added, one_pass, write_plan_.scratch, one_pass_log_,
                   one_pass_counters_);
    space_.fence("selftest::step");
  }

  /// The tokens that requests with usable rows and lengths add; a slot is named at most once.
  void add_entries(const std::vector<std::int64_t>& prefixes,
                   const std::vector<std::int64_t>& extends, std::vector<std::int64_t>& tokens,
                   std::vector<std::int64_t>& positions, std::vector<std::int64_t>& slots) const {
    const std::int64_t width = case_.columns * case_.page_size;
    std::vector<bool> used(static_cast<std::size_t>(case_.num_slots), false);
    const auto usable = [&](std::size_t r) {
      const std::int64_t row = case_.request_rows[r];
      return row > 0 && row < case_.rows && prefixes[r] >= 0 && prefixes[r] <= width &&
             extends[r] >= 0;
    };
    // A seed slot must not be written by another request, which damaged tables may ask for.
    for (std::size_t r = 0; r < prefixes.size(); ++r) {
      if (usable(r) && prefixes[r] > 0) usable_slot(case_.request_rows[r], prefixes[r] - 1, used);
    }
    for (std::size_t r = 0; r < prefixes.size(); ++r) {
      if (!usable(r)) continue;
      const std::int64_t row = case_.request_rows[r];
      for (std::int64_t p = prefixes[r]; p < prefixes[r] + extends[r] && p < width; ++p) {
        tokens.push_back(case_.token_table[static_cast<std::size_t>(row * width + p)]);
        positions.push_back(p);
        slots.push_back(usable_slot(row, p, used));
      }
    }
  }

  /// The slot that the tables name; -1, skip, when they are damaged there or name it a second time.
  std::int64_t usable_slot(std::int64_t row, std::int64_t position, std::vector<bool>& used) const {
    const std::int64_t page =
        case_.table[static_cast<std::size_t>(row * case_.columns + position / case_.page_size)];
    if (page < 0 || (page + 1) * case_.page_size > case_.num_slots) return -1;
    const std::int64_t slot = case_.slot(row, position);
    if (slot < 0 || slot >= case_.num_slots || used[static_cast<std::size_t>(slot)]) return -1;
    used[static_cast<std::size_t>(slot)] = true;
    return slot;
  }

  void damage_records() {
    if (case_.damage.empty()) return;
    std::vector<Record> host = download(records_, records_.extent(0));
    for (const SelftestCase::Damage& damage : case_.damage) {
      Record& record = host[static_cast<std::size_t>(damage.slot)];
      std::int64_t* const words[] = {&record.token, &record.position, &record.prev_hash,
                                     &record.kv_hash};
      *words[damage.word] ^= damage.flip;
    }
    Kokkos::deep_copy(space_, records_, upload(host));
    Kokkos::deep_copy(space_, one_pass_records_, records_);
    space_.fence("selftest::damage");
  }

  SelftestOutput output() const {
    SelftestOutput result;
    result.records = download(records_, records_.extent(0));
    result.records[0] = {};  // padding: whoever wrote last
    result.one_pass_records = download(one_pass_records_, one_pass_records_.extent(0));
    result.one_pass_records[0] = {};
    const VerifyPlanState state = verify_plan_.fetch_state(space_);
    result.entries = download(verify_plan_.entries, static_cast<std::size_t>(state.num_entries));
    result.malformed = state.malformed;
    result.offsets = download(write_plan_.offsets, case_.request_rows.size() + 1);
    result.seed_slots = download(write_plan_.seed_slots, case_.request_rows.size());
    result.violations = log_.fetch(space_).rows;
    std::sort(result.violations.begin(), result.violations.end());
    result.counts = counters_.fetch(space_);
    result.one_pass_violations = one_pass_log_.fetch(space_).rows;
    std::sort(result.one_pass_violations.begin(), result.one_pass_violations.end());
    result.one_pass_counts = one_pass_counters_.fetch(space_);
    return result;
  }

  Space space_;
  const SelftestCase& case_;
  Array<Record> records_, one_pass_records_;
  Array<std::byte> kv_;
  Array<std::int32_t> table_, token_table_;
  Array<std::int64_t> full_to_swa_, rows_;
  KVSources<MemorySpace> sources_;
  Endpoint endpoint_, one_pass_endpoint_;
  WritePlan<MemorySpace> write_plan_ = WritePlan<MemorySpace>::allocate(
      space_, static_cast<std::int64_t>(case_.request_rows.size()));
  VerifyPlan<MemorySpace> verify_plan_ = VerifyPlan<MemorySpace>::allocate(space_, 16'384);
  ViolationLog<MemorySpace> log_ = ViolationLog<MemorySpace>::allocate(space_, 65'536);
  LaunchCounters<MemorySpace> counters_ = LaunchCounters<MemorySpace>::allocate(space_);
  ViolationLog<MemorySpace> one_pass_log_ = ViolationLog<MemorySpace>::allocate(space_, 65'536);
  LaunchCounters<MemorySpace> one_pass_counters_ = LaunchCounters<MemorySpace>::allocate(space_);
};

}  // namespace kvcanary::tools
