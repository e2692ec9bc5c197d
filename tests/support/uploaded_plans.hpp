#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
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
        state_(std::vector{kvcanary::WritePlanState{from.num_requests, from.malformed}}),
        plan_(decltype(plan_)::allocate(Space(), 1)) {  // for its scratch
    const std::size_t capacity = from.seed_slots.size();
    plan_.offsets = Array(offsets_.data(), capacity + 1);
    plan_.seed_slots = Array(seed_slots_.data(), capacity);
    plan_.request_rows = Array(request_rows_.data(), capacity);
    plan_.state = decltype(plan_.state)(state_.data());
  }

  const kvcanary::WritePlan<typename Space::memory_space>& plan() const { return plan_; }

  oracle::WritePlan fetch() const {
    const kvcanary::WritePlanState state = state_.fetch()[0];
    return {offsets_.fetch(), seed_slots_.fetch(), request_rows_.fetch(), state.num_requests,
            state.malformed};
  }

 private:
  using Array = Kokkos::View<std::int64_t*, typename Space::memory_space>;

  GuardedArray<std::int64_t, Space> offsets_, seed_slots_, request_rows_;
  GuardedArray<kvcanary::WritePlanState, Space> state_;
  kvcanary::WritePlan<typename Space::memory_space> plan_;
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
