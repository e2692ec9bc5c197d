#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tools/backends.hpp"
#include "tools/commands.hpp"
#include "tools/report.hpp"
#include "tools/runtime.hpp"
#include "tools/selftest_case.hpp"
#include "tools/selftest_run.hpp"

/// \file
/// `kvcanary selftest`: is this build right on this hardware?
namespace kvcanary::tools {
namespace {

struct SelftestOptions {
  std::int64_t cases = 200;
  std::uint64_t seed = 1;
  RuntimeOptions runtime;

  /// No --backend means all.
  bool wants(const std::string& backend) const {
    return runtime.backend.empty() || runtime.backend == backend;
  }
};

/// Prints a line a check and remembers failures.
class Checks {
 public:
  /// `failure` is empty when the check passed.
  void report(const std::string& what, const std::string& where, const std::string& failure) {
    fmt::print("{:<36} {:<20} {}\n", what, where, failure.empty() ? "pass" : "FAIL: " + failure);
    failed_ = failed_ || !failure.empty();
  }
  bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

/// Calls `check(seed)`, which returns what is wrong, for every case; returns the first failure.
template <class Check>
std::string for_each_case(const SelftestOptions& options, const Check& check) {
  for (std::int64_t i = 0; i < options.cases; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const std::string failure = check(seed);
    if (!failure.empty()) return fmt::format("{} (--seed {} --cases 1)", failure, seed);
  }
  return "";
}

/// The prev_hash of tokens 101 7592 2088 102 at positions 0..3, and the hash after them.
struct KnownAnswers {
  Chain chain;
  std::uint64_t prev_hash[4], next;
};
/// The first says that the project's records are bit-compatible with SGLang's.
constexpr KnownAnswers known_answers[] = {
    {Chain::splitmix,
     {0xDE7FAE23A9A1B716, 0x542FE5061275A6AB, 0xE03FB0B1A7A7FF8A, 0x71D597355A083809},
     0x73EAD031B94D7777},
    {Chain::polynomial,
     {0xDE7FAE23A9A1B716, 0x277DCF9B030EB33D, 0x62FBEEF7FCA8FC69, 0x22620529EB79437B},
     0xA7983831BAB272C5}};

template <class Space>
std::string check_known_answers(const Space& space, const KnownAnswers& known) {
  using Records = Kokkos::View<Record*, typename Space::memory_space>;
  using Memory = typename Space::memory_space;
  const Records records("records", 5);
  const auto plan = WritePlan<Memory>::allocate(space, 1);
  Kokkos::View<std::int64_t*, Memory> tokens("tokens", 4), positions("positions", 4),
      slots("slots", 4);
  const auto set = [](const auto& view, std::vector<std::int64_t> values) {
    const auto from = host_view(values.data(), values.size());
    Kokkos::deep_copy(view, from);
  };
  set(plan.offsets, {0, 4});
  set(plan.seed_slots, {no_slot});
  Kokkos::deep_copy(plan.state, WritePlanState{.num_requests = 1});
  set(tokens, {101, 7592, 2088, 102});
  set(positions, {0, 1, 2, 3});
  set(slots, {4, 2, 1, 3});
  const Endpoint endpoint{LaunchTag::head_k_full, {records, {}, known.chain}};
  write(space, plan, {.tokens = tokens, .positions = positions, .slots = slots}, {&endpoint, 1},
        ViolationLog<Memory>::allocate(space, 8), LaunchCounters<Memory>::allocate(space));
  space.fence("selftest::known_answers");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, records);
  const int order[] = {4, 2, 1, 3};
  for (int i = 0; i < 4; ++i) {
    const auto hash = static_cast<std::uint64_t>(host(order[i]).prev_hash);
    if (hash != known.prev_hash[i]) {
      return fmt::format("prev_hash of token {} is {:016X}, must be {:016X}", i, hash,
                         known.prev_hash[i]);
    }
  }
  return next_hash(host(3), known.chain) == known.next ? ""
                                                       : "the hash after the last token is wrong";
}

template <class Space>
std::string check_clean(const Space& space, std::uint64_t seed) {
  const SelftestOutput output = SelftestRun(space, clean_case(seed))();
  for (const auto& violations : {output.violations, output.one_pass_violations}) {
    if (!violations.empty()) return "false alarm: " + to_line(violations.front());
  }
  if (!are_equal(output.records, output.one_pass_records)) {
    return "write_requests stores other records than plan and write";
  }
  return "";
}

/// One bit of one field of one verified record, and exactly the violations that must follow.
template <class Space>
std::string check_damage(const Space& space, std::uint64_t seed) {
  SelftestCase c = clean_case(seed);
  const std::vector<VerifyEntry> entries = SelftestRun(space, c)().entries;
  if (entries.empty()) return "";
  const std::int64_t slot = entries[seed % entries.size()].slot;
  const int word = static_cast<int>(seed / 7 % 4);
  c.damage = {{slot, word, std::int64_t{1} << (seed / 3 % 63)}};
  constexpr std::int64_t own_bits[] = {fail_bit::verify_token, fail_bit::position,
                                       fail_bit::chain_hash, fail_bit::kv_hash};
  std::vector<std::pair<std::int64_t, std::int64_t>> expected, found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::int64_t bits = entries[i].slot == slot ? own_bits[word] : 0;
    if (entries[i].predecessor == slot && word != 3) bits |= fail_bit::chain_hash;
    if (bits != 0) expected.emplace_back(static_cast<std::int64_t>(i), bits);
  }
  for (const Violation& violation : SelftestRun(space, c)().violations) {
    found.emplace_back(violation.entry, violation.fail_bits);
  }
  std::sort(found.begin(), found.end());
  if (found == expected) return "";
  return fmt::format("flipped field {} of slot {}: {} violations, must be {}", word, slot,
                     found.size(), expected.size());
}

std::string compare(const SelftestOutput& a, const SelftestOutput& b) {
  const std::string part = difference(a, b);
  return part.empty() ? "" : part + " differ";
}

/// The reference space against another instance: another space, or the same one on one thread.
template <class Reference, class Space>
std::string check_equal(const Reference& reference, const Space& space, std::uint64_t seed) {
  for (const SelftestCase& c : {clean_case(seed), hostile_case(seed)}) {
    const std::string failure = compare(SelftestRun(reference, c)(), SelftestRun(space, c)());
    if (!failure.empty()) return failure;
  }
  return "";
}

template <class Reference, class... Others>
void check_all_equal(TypeList<Reference, Others...>, const SelftestOptions& options,
                     Checks& checks) {
  const Reference reference;
  const std::string name = backend_name<Reference>();
  for_each_space(TypeList<Others...>{}, [&]<class Space> {
    if (!options.wants(backend_name<Space>())) return;
    checks.report("same bytes, damaged input included", name + " = " + backend_name<Space>(),
                  for_each_case(options, [&](std::uint64_t seed) {
                    return check_equal(reference, Space(), seed);
                  }));
  });
  if (options.wants(name) && reference.concurrency() > 1) {
    const auto parts =
        Kokkos::Experimental::partition_space(reference, 1, reference.concurrency() - 1);
    checks.report("same bytes, damaged input included", name + " = one thread",
                  for_each_case(options, [&](std::uint64_t seed) {
                    return check_equal(reference, parts[0], seed);
                  }));
  }
}

int selftest(const SelftestOptions& options) {
  const Runtime runtime(options.runtime);
  Checks checks;
  fmt::print("{} generated cases from seed {}\n\n", options.cases, options.seed);
  for_each_space(ExecutionSpaces{}, [&]<class Space> {
    const Space space;
    const std::string name = backend_name<Space>();
    if (!options.wants(name)) return;
    for (const KnownAnswers& known : known_answers) {
      checks.report("known answers, " + to_string(known.chain), name,
                    check_known_answers(space, known));
    }
    checks.report("no false alarm", name, for_each_case(options, [&](std::uint64_t seed) {
                    return check_clean(space, seed);
                  }));
    checks.report("damaged records found", name, for_each_case(options, [&](std::uint64_t seed) {
                    return check_damage(space, seed);
                  }));
  });
  check_all_equal(ExecutionSpaces{}, options, checks);
  fmt::print("\n{}\n", checks.failed() ? "FAILED: do not trust this build" : "all passed");
  return checks.failed() ? exit_violations : exit_clean;
}

}  // namespace

void add_selftest_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App& command = *app.add_subcommand("selftest",
                                          "Checks this build: known answers, damaged records, and "
                                          "every execution space against the others");
  command.add_option("--cases", options->cases, "generated inputs of each check")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "of the first case")->capture_default_str();
  command
      .add_option(
          "--backend", options->runtime.backend,
          "checks this one, and compares it with " + backend_names().front() + " (default: all)")
      ->check(CLI::IsMember(backend_names()));
  add_threads_option(command, options->runtime);
  command.callback([options, &exit_code] { exit_code = selftest(*options); });
}

}  // namespace kvcanary::tools
