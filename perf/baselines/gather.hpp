#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <kvcanary/kvcanary.hpp>

#include "backends/execution_spaces.hpp"
#include "perf/harness/launch_timer.hpp"
#include "perf/verify/verify_inputs.hpp"
#include "src/launch.hpp"
#include "src/prefetch.hpp"

/// \file
/// The ideal verify: everything is read, nothing is checked.
namespace kvcanary::perf {

/// Reads the table entry (and the translation) of every position and the record that it leads to in
/// every buffer, as two 16-byte halves, and nothing else: it knows the lengths, and the rows of the
/// table. A worker has a unit: up to `unit_size` neighbouring positions of one request, 1 on a
/// device.
struct Gather {
  struct alignas(16) Half {
    std::uint64_t first, second;
  };

  /// Positions that are checked of one request.
  struct Range {
    std::uint32_t begin, end;
    KOKKOS_FUNCTION std::uint32_t num_units(std::uint32_t unit_size) const {
      return (end - begin + unit_size - 1) / unit_size;
    }
  };

  /// One pool's part of the launch, as in VerifyJob.
  struct Job {
    const Half* records[max_endpoints];
    int num_endpoints;
    const std::int64_t* full_to_swa;
    Range of_first, of_others;
    std::uint32_t num_units;
  };

  Job jobs[VerifyCase::max_pools];  // no more: a kernel waits for its arguments
  const std::int32_t* table;        ///< from the row of the first request
  std::int64_t row_stride;
  std::uint32_t page_shift, unit_size;
  std::uint64_t* result;

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    auto i = static_cast<std::uint32_t>(worker);
    const bool second = i >= jobs[0].num_units;
    if (second) i -= jobs[0].num_units;
    const Job& job = jobs[second ? 1 : 0];
    const std::uint32_t of_first = job.of_first.num_units(unit_size);
    if (i < of_first) {
      gather(job, 0, job.of_first, i);
    } else {
      const std::uint32_t of_others = job.of_others.num_units(unit_size);
      gather(job, 1 + (i - of_first) / of_others, job.of_others, (i - of_first) % of_others);
    }
  }

 private:
  /// Positions that a host core fetches ahead: alone it would wait for each page.
  static constexpr std::uint32_t ahead = 64;

  KOKKOS_FUNCTION std::int64_t slot_at(const Job& job, const std::int32_t* row,
                                       std::uint32_t position) const {
    const std::uint32_t in_page = position & ((1U << page_shift) - 1);
    const std::int64_t slot = (std::int64_t{row[position >> page_shift]} << page_shift) + in_page;
    return job.full_to_swa == nullptr ? slot : job.full_to_swa[slot];
  }

  /// The records of `count` neighbouring slots.
  KOKKOS_FUNCTION static std::uint64_t fold(const Job& job, std::int64_t slot,
                                            std::uint32_t count) {
    std::uint64_t folded = 0;
    for (int e = 0; e < job.num_endpoints; ++e) {
      const Half* records = job.records[e] + 2 * slot;
      for (std::uint32_t i = 0; i < count; ++i) {
        const Half low = records[2 * i], high = records[2 * i + 1];
        folded ^= low.first ^ low.second ^ high.first ^ high.second;
      }
    }
    return folded;
  }

  static void fetch(const Job& job, std::int64_t slot, std::uint32_t count) {
    constexpr std::uint32_t in_a_line = 2;
    for (int e = 0; e < job.num_endpoints; ++e) {
      const Half* records = job.records[e] + 2 * slot;
      for (std::uint32_t i = 0; i < count; i += in_a_line) detail::prefetch_read(records + 2 * i);
    }
  }

  /// Page by page; translated slots need not be neighbours.
  std::uint64_t fold_pages(const Job& job, const std::int32_t* row, std::uint32_t begin,
                           std::uint32_t end) const {
    std::uint64_t folded = 0;
    for (std::uint32_t position = begin, count = 0; position < end; position += count) {
      const std::uint32_t next_page = ((position >> page_shift) + 1) << page_shift;
      count = job.full_to_swa == nullptr ? std::min(end, next_page) - position : 1;
      if (position + ahead < end) fetch(job, slot_at(job, row, position + ahead), count);
      folded ^= fold(job, slot_at(job, row, position), count);
    }
    return folded;
  }

  KOKKOS_FUNCTION void gather(const Job& job, std::uint32_t request, const Range& range,
                              std::uint32_t index) const {
    const std::int32_t* row = table + request * row_stride;
    const std::uint32_t begin = range.begin + index * unit_size;
    std::uint64_t folded = 0;
    KOKKOS_IF_ON_DEVICE((folded = fold(job, slot_at(job, row, begin), 1);))
    KOKKOS_IF_ON_HOST(
        (folded = fold_pages(job, row, begin, std::min(begin + unit_size, range.end));))
    // Which no compiler knows not to happen: what was read must have been read.
    constexpr std::uint64_t impossible = 0x123456789ABCDEF0;
    if (folded == impossible) *result = folded;
  }
};

template <class Space>
Gather make_gather(const VerifyInputs<Space>& inputs, int set, std::uint64_t* result) {
  const VerifyCase& of = inputs.verify_case();
  const SlotTable table = inputs.table().table();
  // A device has a thread for each position, a host core takes neighbours.
  Gather gather{.jobs = {},
                .table = static_cast<const std::int32_t*>(table.entries) +
                         (1 + set * of.requests) * table.row_stride,
                .row_stride = table.row_stride,
                .page_shift = static_cast<std::uint32_t>(
                    std::countr_zero(static_cast<std::uint64_t>(of.page))),
                .unit_size = is_host_space<Space> ? 1024U : 1U,
                .result = result};
  for (int i = 0; i < of.num_pools(); ++i) {
    const CheckedPool pool = of.pool(i);
    const auto range = [&](std::int64_t prefix) -> Gather::Range {
      return {static_cast<std::uint32_t>(prefix - VerifyCase::checked_of(prefix, pool)),
              static_cast<std::uint32_t>(prefix)};
    };
    Gather::Job& job = gather.jobs[i];
    job.full_to_swa = pool.is_swa ? inputs.table().full_to_swa() : nullptr;
    job.of_first = range(of.prefix_of(0));
    job.of_others = range(of.prefix);
    job.num_units =
        job.of_first.num_units(gather.unit_size) +
        static_cast<std::uint32_t>(of.requests - 1) * job.of_others.num_units(gather.unit_size);
    for (const Endpoint& endpoint : inputs.jobs(set)[static_cast<std::size_t>(i)].endpoints) {
      job.records[job.num_endpoints++] =
          reinterpret_cast<const Gather::Half*>(endpoint.buffer.data);
    }
  }
  return gather;
}

template <class Space>
Launch<Space> gather_launch(const VerifyInputs<Space>& inputs) {
  const Kokkos::View<std::uint64_t, typename Space::memory_space> result("perf::gather");
  return [&inputs, result](const Space& space, int set) {
    const Gather gather = make_gather(inputs, set, result.data());
    const std::int64_t units = std::int64_t{gather.jobs[0].num_units} + gather.jobs[1].num_units;
    detail::launch_workers("perf::gather", space, units, gather);
  };
}

}  // namespace kvcanary::perf
