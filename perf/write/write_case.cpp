#include "perf/write/write_case.hpp"

#include <kvcanary/record.hpp>

namespace kvcanary::perf {
namespace {

constexpr std::int64_t record_bytes = sizeof(Record);
constexpr std::int64_t entry_bytes = 3 * sizeof(std::int64_t);  // token, position, slot
constexpr std::int64_t plan_bytes = 3 * sizeof(std::int64_t);   // offset, seed slot, row

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::int64_t WriteCase::pages_per_extend() const {
  return (prefix + entries - 1) / page_size - prefix / page_size + 1;
}

std::int64_t WriteCase::extend_pages(std::int64_t num_sets) const {
  return num_sets * requests * pages_per_extend();
}

std::int64_t WriteCase::prefix_pages() const { return requests * ceil_div(prefix, page_size); }

std::int64_t WriteCase::pool_slots(std::int64_t num_sets) const {
  return (1 + extend_pages(num_sets) + prefix_pages()) * page_size;
}

std::string describe(const WriteCase& write_case) {
  return std::to_string(write_case.requests) + "x" + std::to_string(write_case.entries) +
         "/prefix:" + std::to_string(write_case.prefix) +
         "/endpoints:" + std::to_string(write_case.endpoints) + "/kv:" + to_string(write_case.kv) +
         "/" + to_string(write_case.mode) + "/" +
         (write_case.pools == Pools::full ? "full" : "full_swa") +
         (write_case.check ? "/check" : "") +
         (write_case.chain == Chain::polynomial ? "/polynomial" : "");
}

std::int64_t bytes_moved(const WriteCase& write_case) {
  const std::int64_t n = write_case.pool_entries(), r = write_case.requests;
  const std::int64_t seeds = write_case.prefix > 0 ? r * record_bytes : 0;
  const std::int64_t kv = n * kv_bytes_read(write_case.kv, write_case.mode);
  const std::int64_t endpoint = n * record_bytes + seeds + kv;
  return write_case.num_pools() *
         (n * entry_bytes + r * plan_bytes + write_case.endpoints * endpoint);
}

std::int64_t bytes_held(const WriteCase& write_case, std::int64_t num_sets) {
  const std::int64_t records =
      write_case.endpoints * write_case.pool_slots(num_sets) * record_bytes;
  const std::int64_t entries =
      num_sets * write_case.pool_entries() * (entry_bytes + record_bytes);  // record: scatter's
  const std::int64_t kv = (1 + write_case.extend_pages(num_sets)) * page_size *
                          write_case.kv.count * write_case.kv.bytes_per_token;
  return write_case.num_pools() * (records + entries + kv);
}

}  // namespace kvcanary::perf
