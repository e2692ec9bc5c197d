#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "backends/host/tuning.hpp"
#include "src/verify/verify_args.hpp"
#include "src/verify/verify_entry.hpp"

/// \file
/// verify on a host: workers for each endpoint take chunks of the plan's entries.
namespace kvcanary::detail {

class VerifyOnHost {
 public:
  VerifyOnHost(const VerifyArgs<>& args, std::int64_t workers_of_endpoint)
      : args_(args), workers_(workers_of_endpoint) {}

  std::int64_t num_workers() const { return workers_ * args_.endpoints.count; }

  void operator()(std::int64_t index) const {
    const int e = static_cast<int>(index / workers_);
    const std::int64_t worker = index % workers_;
    const VerifyArgs<>::Plan plan = args_.plan();
    if (worker == 0) args_.report(plan, e);
    constexpr std::int64_t size = tuning::Host::Workers::chunk_size;
    for (std::int64_t begin = worker * size; begin < plan.num_entries; begin += workers_ * size) {
      const std::int64_t end = std::min(begin + size, plan.num_entries);
      for (std::int64_t i = begin; i < end; ++i) {
        const VerifyEntry entry = args_.entries[i];
        verify_entry(args_.endpoints.items[e], entry, i, args_.sink);
      }
    }
  }

 private:
  VerifyArgs<> args_;
  std::int64_t workers_;
};

}  // namespace kvcanary::detail
