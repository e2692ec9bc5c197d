#include "src/arguments.hpp"

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "src/request_args.hpp"

namespace kvcanary::detail {
namespace {

constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
/// Requests of all jobs of a write: a league of teams, or a thread for each request and endpoint.
constexpr std::int64_t capacity_limit = int32_max / max_endpoints;
/// Of a verify_requests: shares of them are counted in 32 bits.
constexpr std::int64_t requests_limit = std::int64_t{1} << 23;
constexpr std::int64_t offset_limit = std::int64_t{1} << 40;

// ---- one argument ------------------------------------------------------------------------------

std::string address_text(const void* data) {
  char text[32];
  std::snprintf(text, sizeof text, "at address %p", data);
  return text;
}

/// What an argument must be: text, or a function that makes it when something is wrong.
template <class Wanted>
std::string text_of(const Wanted& wanted) {
  if constexpr (std::is_invocable_v<const Wanted&>) {
    return wanted();
  } else {
    return wanted;
  }
}

/// Where arguments are: "write: jobs[1].endpoints[2].". No text is put together before something is
/// wrong: for a decode step, that would take as long as its kernel.
class Arguments {
 public:
  Arguments(const char* operation, Memory unreachable)
      : operation_(operation), unreachable_(unreachable) {}

  /// Those of a job. A call with one job is written without one, as most calls are.
  Arguments of_job(std::size_t index, std::size_t num_jobs) const {
    Arguments result = *this;
    if (num_jobs > 1) result.job_ = static_cast<std::int64_t>(index);
    return result;
  }
  /// Those of an element of an array.
  Arguments of_element(const char* array, std::size_t index) const {
    Arguments result = *this;
    result.array_ = array;
    result.index_ = static_cast<std::int64_t>(index);
    return result;
  }
  /// Those of a member.
  Arguments of(const char* member) const {
    Arguments result = *this;
    result.member_ = member;
    return result;
  }

  template <class Wanted>
  void require(bool good, const char* argument, std::int64_t value, const Wanted& wanted) const {
    if (!good) [[unlikely]] {
      refuse(argument, std::to_string(value), text_of(wanted));
    }
  }
  template <class Wanted>
  void require(bool good, const char* argument, const char* value, const Wanted& wanted) const {
    if (!good) [[unlikely]] {
      refuse(argument, value, text_of(wanted));
    }
  }

  void require_range(const char* argument, std::int64_t value, std::int64_t low,
                     std::int64_t high) const {
    require(value >= low && value <= high, argument, value, [=] {
      return high == no_limit ? "at least " + std::to_string(low)
                              : "from " + std::to_string(low) + " to " + std::to_string(high);
    });
  }
  void require_at_least(const char* argument, std::int64_t value, std::int64_t low) const {
    require_range(argument, value, low, no_limit);
  }
  void require_at_most(const char* argument, std::int64_t value, std::int64_t high,
                       const char* reason = "") const {
    require(value <= high, argument, value,
            [=] { return "at most " + std::to_string(high) + reason; });
  }

  /// `data` of `size` elements or bytes, aligned, where the execution space can read it.
  void require_array(const char* argument, const void* data, std::int64_t size,
                     std::size_t alignment, Memory memory) const {
    if (size < 0) [[unlikely]] {
      refuse_size(argument, size, "at least 0");
    }
    require(size == 0 || data != nullptr, argument, "null",
            [=] { return "a pointer to " + std::to_string(size) + " elements"; });
    if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) [[unlikely]] {
      refuse(argument, address_text(data), "aligned to " + std::to_string(alignment) + " bytes");
    }
    require(unreachable_ == Memory::unknown || memory != unreachable_, argument,
            memory == Memory::host ? "in host memory" : "in device memory",
            "in memory that the execution space can read");
  }

  /// An array that the operation can't do without.
  void require_span(const char* argument, const IntSpan& span) const {
    require(span.given(), argument, "not given", "an array of int32 or int64");
    require_array(argument, span.data(), span.size(), alignment_of(span), span.memory());
  }
  /// The same, as long as another array.
  void require_span(const char* argument, const IntSpan& span, std::int64_t size,
                    const char* reference) const {
    require_span(argument, span);
    require_size(argument, span.size(), size, reference);
  }

  /// Whether an array was given that may be left out. One that is null was meant to be given.
  bool check_optional(const char* argument, const IntSpan& span) const {
    if (!span.given()) return false;
    require(span.data() != nullptr, argument, "null",
            "a pointer to int32 or int64, or left out: IntSpan()");
    require_array(argument, span.data(), span.size(), alignment_of(span), span.memory());
    return true;
  }
  /// The same, as long as another array.
  void check_optional(const char* argument, const IntSpan& span, std::int64_t size,
                      const char* reference) const {
    if (check_optional(argument, span)) require_size(argument, span.size(), size, reference);
  }
  void check_optional_scalar(const char* argument, const IntSpan& span) const {
    if (check_optional(argument, span) && span.size() != 1) [[unlikely]] {
      refuse_size(argument, span.size(), "1, a device scalar");
    }
  }

  /// `reference` says what else has that size.
  void require_size(const char* argument, std::int64_t size, std::int64_t wanted,
                    const char* reference) const {
    if (size != wanted) [[unlikely]] {
      refuse_size(argument, size, std::to_string(wanted) + ", " + reference);
    }
  }

  [[noreturn]] void refuse(const std::string& argument, const std::string& value,
                           const std::string& wanted) const {
    throw std::invalid_argument(std::string(operation_) + ": " + path() + argument + " is " +
                                value + ", must be " + wanted);
  }

  /// "jobs[1].endpoints[2].": what all these arguments belong to.
  std::string path() const {
    std::string text;
    if (job_ >= 0) text += "jobs[" + std::to_string(job_) + "].";
    if (array_ != nullptr) text += std::string(array_) + "[" + std::to_string(index_) + "].";
    if (member_ != nullptr) text += std::string(member_) + ".";
    return text;
  }

 private:
  static std::size_t alignment_of(const IntSpan& span) {
    return span.type() == IntType::int32 ? sizeof(std::int32_t) : sizeof(std::int64_t);
  }

  [[noreturn]] void refuse_size(const char* argument, std::int64_t size,
                                const std::string& wanted) const {
    refuse(std::string(argument) + ".size", std::to_string(size), wanted);
  }

  const char* operation_;
  const char* array_ = nullptr;
  const char* member_ = nullptr;
  std::int64_t job_ = -1, index_ = -1;
  Memory unreachable_;
};

/// Elements that a `[rows][stride]` array needs when only `columns` of the last row exist; no_limit
/// when no array has as many.
std::int64_t extent_of(std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  if (rows == 0 || columns == 0) return 0;
  std::int64_t extent = 0;
  if (__builtin_mul_overflow(rows - 1, stride, &extent)) return no_limit;
  return __builtin_add_overflow(extent, columns, &extent) ? no_limit : extent;
}

// ---- plans, logs and counters ------------------------------------------------------------------

void check_write_plan(const Arguments& owner, const char* name, const WritePlanParts& plan) {
  owner.require(plan.capacity > 0, name, "empty", "made by WritePlan::allocate");
  const Arguments arguments = owner.of(name);
  arguments.require_at_most("capacity", plan.capacity, capacity_limit);
  arguments.require_size("offsets", plan.offsets, plan.capacity + 1, "the plan's capacity + 1");
  arguments.require_size("request_rows", plan.request_rows, plan.capacity, "the plan's capacity");
  arguments.require(plan.state != nullptr, "state", "not allocated", "a View in device memory");
}

void check_verify_plan(const Arguments& owner, const char* name, const VerifyPlanParts& plan) {
  owner.require(plan.capacity > 0, name, "empty", "made by VerifyPlan::allocate");
  owner.of(name).require(plan.state != nullptr, "state", "not allocated",
                         "a View in device memory");
}

/// The log and the counters must have been allocated.
void check_report(const Arguments& arguments, const ReportParts& report) {
  arguments.require(report.log_capacity > 0 && report.rows != nullptr && report.state != nullptr,
                    "log", "empty", "made by ViolationLog::allocate");
  arguments.require(report.counts != nullptr, "counters", "empty",
                    "made by LaunchCounters::allocate");
}

// ---- batches -----------------------------------------------------------------------------------

void check_table(const Arguments& arguments, const SlotTable& table) {
  arguments.require_at_least("table.num_rows", table.num_rows, 0);
  arguments.require_at_least("table.num_columns", table.num_columns, 0);
  arguments.require(table.row_stride >= table.num_columns, "table.row_stride", table.row_stride,
                    [&] { return "at least num_columns, " + std::to_string(table.num_columns); });
  arguments.require_range("table.page_size", table.page_size, 1, int32_max);
  arguments.require_array(
      "table.entries", table.entries,
      extent_of(table.num_rows, table.num_columns, table.row_stride),
      table.type == IntType::int32 ? sizeof(std::int32_t) : sizeof(std::int64_t), table.memory);
}

/// The requests of a batch: as many as there are rows, which lists can do without.
struct Requests {
  explicit Requests(const RequestBatch& batch)
      : count(num_given(batch)), have_rows(batch.request_rows.given() || !batch.lists.given()) {}

  /// What says how many they are, as text.
  const char* array_size() const { return have_rows ? "request_rows.size" : "prefix_lengths.size"; }
  const char* reference() const {
    return have_rows ? "the size of request_rows" : "the size of prefix_lengths";
  }

  std::int64_t count;
  bool have_rows;
};

void check_lists(const Arguments& arguments, const RequestBatch& batch, const Requests& requests) {
  const SlotTable& table = batch.table;
  arguments.require(table.entries == nullptr && table.num_rows == 0 && table.num_columns == 0 &&
                        table.row_stride == 0 && table.page_size == 1,
                    "table", "given", "left out, as there are lists");
  const SlotLists& lists = batch.lists;
  arguments.require_span("lists.pages", lists.pages);
  arguments.require_span("lists.offsets", lists.offsets, requests.count + 1,
                         "one more than there are requests");
  arguments.check_optional("lists.first_positions", lists.first_positions, requests.count,
                           requests.reference());
  arguments.require_range("lists.page_size", lists.page_size, 1, int32_max);
}

void check_expected_tokens(const Arguments& arguments, const ExpectedTokens& expected,
                           const Requests& requests) {
  arguments.check_optional("expected.valid_lengths", expected.valid_lengths, requests.count,
                           requests.reference());
  if (!arguments.check_optional("expected.tokens", expected.tokens)) return;
  arguments.require_at_least("expected.num_rows", expected.num_rows, 0);
  arguments.require_at_least("expected.num_columns", expected.num_columns, 0);
  arguments.require(
      expected.row_stride >= expected.num_columns, "expected.row_stride", expected.row_stride,
      [&] { return "at least num_columns, " + std::to_string(expected.num_columns); });
  arguments.require_range("expected.token_offset", expected.token_offset, -offset_limit,
                          offset_limit);
  const std::int64_t needed =
      extent_of(expected.num_rows, expected.num_columns, expected.row_stride);
  arguments.require(expected.tokens.size() >= needed, "expected.tokens.size",
                    expected.tokens.size(),
                    [=] { return "at least " + std::to_string(needed) + ", for its rows"; });
}

/// \param needs_extend_lengths whether they may not be left out
void check_request_batch(const Arguments& arguments, const RequestBatch& batch,
                         bool needs_extend_lengths) {
  const Requests requests(batch);
  if (requests.have_rows) arguments.require_span("request_rows", batch.request_rows);
  arguments.require_span("prefix_lengths", batch.prefix_lengths, requests.count,
                         requests.reference());
  const auto end = static_cast<std::int64_t>(batch.verify_end);
  arguments.require(end <= static_cast<std::int64_t>(VerifyEnd::whole_step), "verify_end", end,
                    "0 (prefix), 1 (last_token) or 2 (whole_step)");
  // Where they are given, null is right for no requests, as it is where they are needed.
  if (needs_extend_lengths || batch.verify_end != VerifyEnd::prefix ||
      batch.extend_lengths.given()) {
    arguments.require_span("extend_lengths", batch.extend_lengths, requests.count,
                           requests.reference());
  }
  arguments.check_optional_scalar("num_requests", batch.num_requests);
  arguments.require_at_least("window", batch.window, 0);
  batch.lists.given() ? check_lists(arguments, batch, requests)
                      : check_table(arguments, batch.table);
  arguments.check_optional("full_to_swa", batch.full_to_swa);
  check_expected_tokens(arguments, batch.expected, requests);
}

void check_token_batch(const Arguments& arguments, const TokenBatch& batch) {
  const std::int64_t tokens = batch.tokens.size();
  arguments.require_span("tokens", batch.tokens);
  arguments.require_span("positions", batch.positions, tokens, "the size of tokens");
  arguments.require_span("slots", batch.slots, tokens, "the size of tokens");
  arguments.check_optional("expected_tokens", batch.expected_tokens, tokens, "the size of tokens");
  arguments.check_optional("expected_positions", batch.expected_positions, tokens,
                           "the size of tokens");
  arguments.check_optional_scalar("num_tokens", batch.num_tokens);
  arguments.check_optional_scalar("check_positions", batch.check_positions);
  arguments.require_at_least("max_entries_per_request", batch.max_entries_per_request, 0);
}

// ---- endpoints ---------------------------------------------------------------------------------

void check_padding(const Arguments& arguments, const PaddingSlots& padding,
                   std::int64_t num_slots) {
  arguments.require_range("buffer.padding.first", padding.first, 0, num_slots);
  arguments.require(padding.count >= 0 && padding.count <= num_slots - padding.first,
                    "buffer.padding.count", padding.count, [&] {
                      return "from 0 to " + std::to_string(num_slots - padding.first) +
                             ", the slots from padding.first on";
                    });
  const auto reads = static_cast<std::int64_t>(padding.reads);
  arguments.require(reads <= static_cast<std::int64_t>(PaddingReads::skip), "buffer.padding.reads",
                    reads, "0 (report) or 1 (skip)");
}

void check_buffer(const Arguments& arguments, const CanaryBuffer& buffer) {
  arguments.require(
      buffer.stride >= std::int64_t{sizeof(Record)} &&
          buffer.stride % std::int64_t{alignof(Record)} == 0 && buffer.stride <= int32_max,
      "buffer.stride", buffer.stride, "a multiple of 16 and at least 32 (bytes), below 2^31");
  arguments.require_at_least("buffer.num_slots", buffer.num_slots, 1);
  arguments.require(extent_of(buffer.num_slots, sizeof(Record), buffer.stride) < no_limit,
                    "buffer.num_slots", buffer.num_slots,
                    "of rows that together have less than 2^63 bytes");
  arguments.require_array("buffer.data", buffer.data, buffer.num_slots, alignof(Record),
                          buffer.memory);
  check_padding(arguments, buffer.padding, buffer.num_slots);
  const auto chain = static_cast<std::int64_t>(buffer.chain);
  arguments.require(chain <= static_cast<std::int64_t>(Chain::polynomial), "buffer.chain", chain,
                    "0 (splitmix) or 1 (polynomial)");
}

void check_sources(const Arguments& arguments, const Endpoint& endpoint) {
  const auto mode = static_cast<std::int64_t>(endpoint.kv_hash_mode);
  arguments.require(mode <= static_cast<std::int64_t>(KVHashMode::all), "kv_hash_mode", mode,
                    "0 (none), 1 (partial) or 2 (all)");
  arguments.require(endpoint.kv_hash_mode == KVHashMode::none || endpoint.sources.count != 0,
                    "kv_hash_mode", mode, "0 (none), as there are no sources");
  arguments.require_array("sources", endpoint.sources.sources, endpoint.sources.count,
                          alignof(void*), endpoint.sources.memory);
}

/// Whether a record of one buffer has a byte of one of the other's. Buffers may share their rows:
/// keys' records, say, in front of those of values. Of different strides that happens to nobody,
/// and only those that start at the same byte are found.
bool share_records(const CanaryBuffer& a, const CanaryBuffer& b) {
  const auto begin = reinterpret_cast<std::uintptr_t>(a.data);
  const auto other = reinterpret_cast<std::uintptr_t>(b.data);
  if (begin > other) return share_records(b, a);
  const std::uint64_t distance = other - begin;
  const auto stride = static_cast<std::uint64_t>(a.stride);
  const auto slots = static_cast<std::uint64_t>(a.num_slots);
  if (distance >= (slots - 1) * stride + sizeof(Record)) return false;
  if (a.stride != b.stride) return distance == 0;
  // The first record of b starts in this row of a, so far behind the row's own record.
  const std::uint64_t row = distance / stride, behind = distance % stride;
  return behind < sizeof(Record) || (behind + sizeof(Record) > stride && row + 1 < slots);
}

/// The endpoints of a call: each is right by itself, and no two have the same tag, or a record in
/// common.
class EndpointCheck {
 public:
  EndpointCheck(const Arguments& call, std::size_t num_jobs) : call_(call), num_jobs_(num_jobs) {}

  /// All of one job; those of all jobs are at most max_endpoints.
  void add(std::size_t job, std::span<const Endpoint> endpoints) {
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      const Item item{&endpoints[i], static_cast<std::int32_t>(job), static_cast<std::int32_t>(i)};
      const Arguments arguments = arguments_of(item);
      check(arguments, endpoints[i]);
      for (std::size_t k = 0; k < count_; ++k) require_apart(arguments, endpoints[i], items_[k]);
      items_[count_++] = item;
    }
  }

 private:
  struct Item {
    const Endpoint* endpoint;
    std::int32_t job, index;
  };

  Arguments arguments_of(const Item& item) const {
    return call_.of_job(static_cast<std::size_t>(item.job), num_jobs_)
        .of_element("endpoints", static_cast<std::size_t>(item.index));
  }

  /// "jobs[1].endpoints[2]"
  std::string name_of(const Item& item) const {
    std::string name = arguments_of(item).path();
    name.pop_back();
    return name;
  }

  static void check(const Arguments& arguments, const Endpoint& endpoint) {
    arguments.require_range("tag", static_cast<std::int64_t>(endpoint.tag), 0, max_launch_tags - 1);
    check_buffer(arguments, endpoint.buffer);
    check_sources(arguments, endpoint);
  }

  void require_apart(const Arguments& arguments, const Endpoint& endpoint,
                     const Item& other) const {
    const auto tag = static_cast<std::int64_t>(endpoint.tag);
    arguments.require(endpoint.tag != other.endpoint->tag, "tag", tag,
                      [&] { return "another one than that of " + name_of(other); });
    if (share_records(endpoint.buffer, other.endpoint->buffer)) [[unlikely]] {
      arguments.refuse("buffer.data", address_text(endpoint.buffer.data),
                       "that of records which are not those of " + name_of(other) + " too");
    }
  }

  const Arguments& call_;
  std::size_t num_jobs_;
  std::array<Item, max_endpoints> items_;  // the first count_ of them
  std::size_t count_ = 0;
};

/// Teams of a device tell each other in scratch where polynomial chains stand.
void check_scratch(const Arguments& arguments, std::int64_t given, std::int64_t needed,
                   std::span<const Endpoint> endpoints, const char* reference) {
  if (given >= needed) return;
  for (const Endpoint& endpoint : endpoints) {
    if (endpoint.buffer.chain == Chain::splitmix) continue;
    arguments.require_size("scratch", given, needed, reference);
  }
}

/// How many jobs a call has, and how many endpoints each and all have.
template <class Job>
void check_counts(const Arguments& call, std::size_t num_jobs, std::span<const Job> jobs) {
  call.require_range("jobs.size", static_cast<std::int64_t>(num_jobs), 1, max_endpoints);
  std::int64_t all = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const auto endpoints = static_cast<std::int64_t>(jobs[j].endpoints.size());
    call.of_job(j, num_jobs).require_range("endpoints.size", endpoints, 1, max_endpoints);
    all += endpoints;
  }
  call.require_at_most("endpoints.size of all jobs", all, max_endpoints);
}

/// The jobs of a step's operation, which takes so many requests.
void check_step_jobs(const Arguments& call, std::span<const StepJob> jobs, std::int64_t limit) {
  check_counts(call, jobs.size(), jobs);
  EndpointCheck endpoints(call, jobs.size());
  std::int64_t all = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const StepJob& job = jobs[j];
    const Arguments arguments = call.of_job(j, jobs.size());
    const Requests requests(job.requests);
    check_request_batch(arguments.of("requests"), job.requests, true);
    arguments.of("requests").require_at_most(requests.array_size(), requests.count, limit);
    check_token_batch(arguments.of("tokens"), job.tokens);
    endpoints.add(j, job.endpoints);
    all += requests.count;
  }
  call.require_at_most("request_rows.size of all jobs", all, limit);
}

}  // namespace

// ---- operations --------------------------------------------------------------------------------

void check_plan_parts(const RequestBatch& batch, const WritePlanParts& write_plan,
                      const VerifyPlanParts* verify_plan, Memory unreachable) {
  const Arguments call("plan", unreachable);
  check_request_batch(call.of("batch"), batch, true);
  check_write_plan(call, "write_plan", write_plan);
  const Requests requests(batch);
  call.of("batch").require_at_most(requests.array_size(), requests.count, write_plan.capacity,
                                   ", the capacity of write_plan");
  if (verify_plan != nullptr) check_verify_plan(call, "verify_plan", *verify_plan);
}

void check_write_parts(std::size_t num_jobs, std::span<const WriteJobParts> jobs,
                       const ReportParts& report, Memory unreachable, std::int64_t scratch) {
  const Arguments call("write", unreachable);
  check_counts(call, num_jobs, jobs);
  EndpointCheck endpoints(call, num_jobs);
  std::int64_t requests = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Arguments arguments = call.of_job(j, num_jobs);
    check_write_plan(arguments, "plan", jobs[j].plan);
    check_token_batch(arguments.of("batch"), *jobs[j].batch);
    endpoints.add(j, jobs[j].endpoints);
    check_scratch(arguments.of("plan"), jobs[j].plan.scratch, scratch, jobs[j].endpoints,
                  "as WritePlan::allocate makes it on this device: buffer.chain of an endpoint is "
                  "polynomial");
    requests += jobs[j].plan.capacity;
  }
  call.require_at_most("plan.capacity of all jobs", requests, capacity_limit);
  check_report(call, report);
}

void check_verify_parts(const VerifyPlanParts& plan, std::span<const Endpoint> endpoints,
                        const ReportParts& report, Memory unreachable) {
  const Arguments call("verify", unreachable);
  check_verify_plan(call, "plan", plan);
  call.require_range("endpoints.size", static_cast<std::int64_t>(endpoints.size()), 1,
                     max_endpoints);
  EndpointCheck(call, 1).add(0, endpoints);
  check_report(call, report);
}

void check_verify_requests_parts(std::span<const VerifyJob> jobs, const ReportParts& report,
                                 Memory unreachable) {
  const Arguments call("verify_requests", unreachable);
  check_counts(call, jobs.size(), jobs);
  EndpointCheck endpoints(call, jobs.size());
  std::int64_t all = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Arguments batch = call.of_job(j, jobs.size()).of("batch");
    const Requests requests(jobs[j].batch);
    check_request_batch(batch, jobs[j].batch, false);
    batch.require_at_most(requests.array_size(), requests.count, requests_limit);
    endpoints.add(j, jobs[j].endpoints);
    all += requests.count;
  }
  call.require_at_most("request_rows.size of all jobs", all, requests_limit);
  check_report(call, report);
}

void check_write_requests_parts(std::span<const StepJob> jobs, const ReportParts& report,
                                Memory unreachable, std::int64_t given, std::int64_t needed) {
  const Arguments call("write_requests", unreachable);
  check_step_jobs(call, jobs, capacity_limit);
  for (const StepJob& job : jobs) {
    check_scratch(call, given, needed, job.endpoints,
                  "as WriteScratch::allocate makes it on this device: buffer.chain of an endpoint "
                  "is polynomial");
  }
  check_report(call, report);
}

void check_step_parts(StepSide side, std::span<const StepJob> jobs, const ReportParts& report,
                      Memory unreachable, std::int64_t given, std::int64_t needed) {
  const Arguments call("step", unreachable);
  const auto number = static_cast<std::int64_t>(side);
  call.require(number <= static_cast<std::int64_t>(StepSide::tail), "side", number,
               "0 (head) or 1 (tail)");
  check_step_jobs(call, jobs, requests_limit);
  if (given < needed) {
    call.require_size("scratch", given, needed,
                      "as WriteScratch::allocate makes it on this device");
  }
  check_report(call, report);
}

void check_kv_sources(std::span<const KVSource> sources, Memory unreachable) {
  const Arguments call("KVSources", unreachable);
  call.require_at_most("sources.size", static_cast<std::int64_t>(sources.size()), int32_max);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const KVSource& source = sources[i];
    const Arguments arguments = call.of_element("sources", i);
    arguments.require_at_least("num_rows", source.num_rows, 0);
    arguments.require_range("page_size", source.page_size, 1, int32_max);
    arguments.require_range("bytes_per_token", source.bytes_per_token, 0, int32_max);
    arguments.require_range("read_bytes", source.read_bytes, 0, source.bytes_per_token);
    arguments.require_at_least("row_stride", source.row_stride,
                               source.page_size * source.bytes_per_token);
    arguments.require_array("data", source.data, source.num_rows, 1, source.memory);
  }
}

void check_capacity(const char* type, const char* argument, std::int64_t value) {
  Arguments(type, Memory::unknown).require_at_least(argument, value, 1);
}

void check_assign(std::int64_t given, std::int64_t capacity) {
  Arguments("VerifyPlan::assign", Memory::unknown)
      .require_at_most("host_entries.size", given, capacity, ", the plan's capacity");
}

}  // namespace kvcanary::detail
