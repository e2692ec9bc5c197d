#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kvcanary/kvcanary.hpp>
#include <vector>

#include "tests/support/case.hpp"
#include "tests/support/guarded_bytes.hpp"

/// \file
/// Plans in the memory of an execution space, between guards.

template <class Space>
class UploadedWritePlan {
 public:
  explicit UploadedWritePlan(const oracle::WritePlan& from)
      : offsets_(from.offsets),
        seed_slots_(from.seed_slots),
        request_rows_(from.request_rows),
        scratch_(std::vector<std::byte>(scratch_bytes())),
        state_(std::vector{kvcanary::WritePlanState{from.num_requests, from.malformed}}) {
    const std::size_t capacity = from.seed_slots.size();
    plan_.offsets = Array(offsets_.data(), capacity + 1);
    plan_.seed_slots = Array(seed_slots_.data(), capacity);
    plan_.request_rows = Array(request_rows_.data(), capacity);
    plan_.scratch.bytes = decltype(plan_.scratch.bytes)(scratch_.data(), scratch_bytes());
    plan_.state = decltype(plan_.state)(state_.data());
  }

  const kvcanary::WritePlan<typename Space::memory_space>& plan() const { return plan_; }

  oracle::WritePlan fetch() const {
    scratch_.fetch();
    const kvcanary::WritePlanState state = state_.fetch()[0];
    return {offsets_.fetch(), seed_slots_.fetch(), request_rows_.fetch(), state.num_requests,
            state.malformed};
  }

 private:
  using Memory = typename Space::memory_space;
  using Array = Kokkos::View<std::int64_t*, Memory>;

  /// As many as `allocate` gives a plan.
  static std::size_t scratch_bytes() {
    static const std::size_t bytes =
        kvcanary::WritePlan<Memory>::allocate(Space(), 1).scratch.bytes.extent(0);
    return bytes;
  }

  GuardedArray<std::int64_t, Space> offsets_, seed_slots_, request_rows_;
  GuardedArray<std::byte, Space> scratch_;
  GuardedArray<kvcanary::WritePlanState, Space> state_;
  kvcanary::WritePlan<Memory> plan_;
};

template <class Space>
class UploadedVerifyPlan {
 public:
  explicit UploadedVerifyPlan(const oracle::VerifyPlan& from)
      : entries_(library_entries(from)),
        state_(std::vector{kvcanary::VerifyPlanState{from.enabled, from.num_entries,
                                                     from.required_entries, from.malformed,
                                                     from.overflows}}) {
    plan_.entries = decltype(plan_.entries)(entries_.data(), from.entries.size());
    plan_.state = decltype(plan_.state)(state_.data());
  }

  const kvcanary::VerifyPlan<typename Space::memory_space>& plan() const { return plan_; }

  oracle::VerifyPlan fetch() const {
    const kvcanary::VerifyPlanState state = state_.fetch()[0];
    oracle::VerifyPlan to{{},
                          state.enabled,
                          state.num_entries,
                          state.required_entries,
                          state.malformed,
                          state.overflows};
    for (const kvcanary::VerifyEntry& entry : entries_.fetch()) {
      to.entries.push_back(
          {entry.slot, entry.position, entry.predecessor, entry.expected_token, entry.request_row});
    }
    return to;
  }

 private:
  static std::vector<kvcanary::VerifyEntry> library_entries(const oracle::VerifyPlan& from) {
    std::vector<kvcanary::VerifyEntry> entries;
    for (const oracle::VerifyEntry& entry : from.entries) {
      entries.push_back(
          {entry.slot, entry.position, entry.predecessor, entry.expected_token, entry.request_row});
    }
    return entries;
  }

  GuardedArray<kvcanary::VerifyEntry, Space> entries_;
  GuardedArray<kvcanary::VerifyPlanState, Space> state_;
  kvcanary::VerifyPlan<typename Space::memory_space> plan_;
};
