#include "perf/verify/verify_case.hpp"

#include <kvcanary/record.hpp>
#include <kvcanary/verify_plan.hpp>
#include <kvcanary/violation.hpp>

namespace kvcanary::perf {
namespace {

constexpr std::int64_t record_bytes = sizeof(Record);
constexpr std::int64_t table_bytes = sizeof(std::int32_t);
constexpr std::int64_t expected_bytes = sizeof(std::int32_t);
constexpr std::int64_t translation_bytes = sizeof(std::int64_t);
constexpr std::int64_t entry_bytes = 4 * sizeof(std::int64_t);  // token, position, two slots

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

const char* to_string(Checked checked) {
  switch (checked) {
    case Checked::full:
      return "full";
    case Checked::swa:
      return "swa";
    case Checked::full_and_swa:
      return "full_swa";
  }
  return "";
}

}  // namespace

CheckedPool VerifyCase::pool(int i) const {
  if (i == 0 && checked != Checked::swa) {
    return {.first_tag = static_cast<int>(LaunchTag::head_k_full)};
  }
  return {
      .is_swa = true, .first_tag = static_cast<int>(LaunchTag::head_k_swa), .window = swa_window};
}

std::int64_t VerifyCase::positions() const { return positions(CheckedPool{}); }

std::int64_t VerifyCase::positions(const CheckedPool& pool) const {
  return checked_of(prefix_of(0), pool) + (requests - 1) * checked_of(prefix, pool);
}

std::int64_t VerifyCase::pages() const {
  return ceil_div(prefix_of(0), page) + (requests - 1) * ceil_div(prefix, page);
}

std::int64_t VerifyCase::pool_slots(std::int64_t num_sets) const {
  return (1 + num_sets * pages()) * page;
}

std::string describe(const VerifyCase& of) {
  const std::string shape = of.first_prefix > 0
                                ? "ragged"
                                : std::to_string(of.requests) + "x" + std::to_string(of.prefix);
  return shape + "/page:" + std::to_string(of.page) + "/endpoints:" + std::to_string(of.endpoints) +
         "/kv:" + to_string(of.kv) + "/" + to_string(of.mode) + "/" + to_string(of.checked) +
         (of.expected ? "/expected" : "") +
         (of.room > 0 ? "/room:" + std::to_string(of.room) : "") + (of.lists ? "/lists" : "") +
         (of.chain == Chain::polynomial ? "/polynomial" : "");
}

std::int64_t bytes_moved(const VerifyCase& of) {
  std::int64_t bytes = 0;
  for (int i = 0; i < of.num_pools(); ++i) {
    const CheckedPool pool = of.pool(i);
    const std::int64_t slot = table_bytes + (pool.is_swa ? translation_bytes : 0) +
                              (of.expected ? expected_bytes : 0) +
                              of.endpoints * (record_bytes + kv_bytes_read(of.kv, of.mode));
    bytes += of.positions(pool) * slot;
  }
  return bytes;
}

std::int64_t slots_checked(const VerifyCase& of) {
  std::int64_t slots = 0;
  for (int i = 0; i < of.num_pools(); ++i) slots += of.endpoints * of.positions(of.pool(i));
  return slots;
}

std::int64_t bytes_held(const VerifyCase& of, std::int64_t num_sets) {
  const std::int64_t token_bytes =
      record_bytes * of.endpoints + of.kv.count * of.kv.bytes_per_token;
  const std::int64_t rows = 1 + num_sets * of.requests;
  const std::int64_t row_bytes =
      of.columns() * table_bytes + (of.expected ? of.longest() * expected_bytes : 0);
  std::int64_t bytes = rows * row_bytes + of.positions() * entry_bytes;
  for (int i = 0; i < of.num_pools(); ++i) {
    const std::int64_t translation = of.pool(i).is_swa ? translation_bytes : 0;
    bytes += of.pool_slots(num_sets) * (token_bytes + translation);
    bytes += of.positions(of.pool(i)) * static_cast<std::int64_t>(sizeof(VerifyEntry));
  }
  return bytes;
}

}  // namespace kvcanary::perf
