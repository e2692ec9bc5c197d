#include "perf/step/step_case.hpp"

namespace kvcanary::perf {
namespace {

constexpr std::int64_t chunk = 8192;  ///< tokens that a step of prefill adds

std::string shape(std::int64_t requests, std::int64_t read, std::int64_t added) {
  return std::to_string(requests) + "x" + std::to_string(read) + "+" + std::to_string(added);
}

/// Keys and values on both sides.
StepCase case_of(std::int64_t requests, std::int64_t read, std::int64_t added) {
  return {{.requests = requests, .prefix = read + added, .endpoints = 4, .added = added}};
}

}  // namespace

std::string describe(const StepCase& of) {
  const VerifyCase& all = of.all;
  const bool is_mixed = all.first_added > 0;
  return (is_mixed ? shape(1, of.read_of(0), all.first_added) + "," : std::string()) +
         shape(all.requests - (is_mixed ? 1 : 0), all.prefix - all.added, all.added) +
         (all.checked == Checked::full ? "/full" : "/full_swa") +
         (all.chain == Chain::polynomial ? "/polynomial" : "");
}

std::int64_t bytes_moved(const StepCase& of) { return bytes_moved(of.all); }

std::int64_t bytes_held(const StepCase& of, std::int64_t num_sets) {
  constexpr std::int64_t token_bytes = 4 * sizeof(std::int64_t);  // token, position, two slots
  return bytes_held(of.all, num_sets) + num_sets * of.tokens() * token_bytes;
}

std::vector<StepCase> step_matrix() {
  std::vector<StepCase> cases;
  for (const std::int64_t requests : {1, 32, 128, 256, 1024}) {
    for (const std::int64_t read : {128, 1024, 4096, 32768}) {
      cases.push_back(case_of(requests, read, 1));
    }
  }
  for (const std::int64_t requests : {1, 4, 16}) {
    cases.push_back(case_of(requests, 4096, chunk / requests));
  }
  StepCase mixed = case_of(129, 4096, 1);
  mixed.all.first_prefix = 4096 + chunk;
  mixed.all.first_added = chunk;
  cases.push_back(mixed);

  std::vector<StepCase> all;
  for (const Chain chain : {Chain::splitmix, Chain::polynomial}) {
    for (const Checked checked : {Checked::full, Checked::full_and_swa}) {
      for (StepCase of : cases) {
        of.all.chain = chain;
        of.all.checked = checked;
        all.push_back(of);
      }
    }
  }
  return all;
}

}  // namespace kvcanary::perf
