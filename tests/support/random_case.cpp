#include "tests/support/random_case.hpp"

#include <algorithm>
#include <optional>

#include "oracle/slot_table.hpp"
#include "tests/support/random_endpoints.hpp"
#include "tests/support/rng.hpp"

namespace {

struct Sizes {
  std::int64_t min_requests, max_requests, max_length;
  std::vector<std::int64_t> page_sizes;
  std::vector<std::int64_t> endpoints;
};

Sizes sizes_of(CaseKind kind) {
  if (kind == CaseKind::many_short) return {50, 300, 6, {1, 2, 4}, {1, 2}};
  if (kind == CaseKind::few_long) return {1, 4, 3000, {1, 16, 64}, {1, 2}};
  return {1, 6, 48, {1, 1, 2, 3, 16, 64}, {1, 1, 1, 1, 2, 2, 3, 12}};
}

struct Request {
  std::int64_t row = 0;
  std::vector<std::int64_t> tokens = {};  ///< all that it will ever have
  std::int64_t done = 0;                  ///< tokens in the cache
  std::int64_t shared = 0;                ///< tokens whose pages are another request's
  std::size_t owner = 0;                  ///< of the shared pages

  std::int64_t length() const { return static_cast<std::int64_t>(tokens.size()); }
};

class Engine {
 public:
  Engine(CaseKind kind, std::uint64_t seed) : rng_(seed), kind_(kind), sizes_(sizes_of(kind)) {}

  Case run() {
    make_requests();
    make_table();
    make_translation();
    make_expected();
    Case result;
    result.layout = {static_cast<std::uint32_t>(rng_.bits()),
                     rng_.chance(50) ? 0 : rng_.between(1, 15)};
    result.endpoints = random_endpoints(rng_, rng_.pick(sizes_.endpoints), num_slots_);
    for (int s = 0; s < 3; ++s) result.steps.push_back(make_step());
    return result;
  }

 private:
  /// A request and how many tokens it adds in this step; none for a padded row.
  struct Turn {
    std::optional<std::size_t> request;
    std::int64_t extend = 0;
  };

  std::int64_t random_token() {
    return rng_.chance(95) ? rng_.between(0, 150000) : static_cast<std::int64_t>(rng_.bits());
  }

  void make_requests() {
    page_size_ = rng_.pick(sizes_.page_sizes);
    window_ = kind_ == CaseKind::window ? rng_.between(1, 24) : 0;
    const std::int64_t count = rng_.between(sizes_.min_requests, sizes_.max_requests);
    const std::vector<std::int64_t> rows = rng_.permutation(1, count + 2);
    for (std::int64_t r = 0; r < count; ++r) {
      Request request{.row = rows[r]};
      request.tokens.resize(rng_.between(1, sizes_.max_length));
      for (std::int64_t& token : request.tokens) token = random_token();
      if (r > 0 && window_ == 0 && rng_.chance(30)) share_prefix(request);
      requests_.push_back(request);
    }
  }

  /// Whole pages of an earlier request; at least one token stays the request's own.
  void share_prefix(Request& request) {
    request.owner = rng_.index(requests_);
    const Request& owner = requests_[request.owner];
    const std::int64_t common = std::min(owner.length(), request.length() - 1);
    request.shared = rng_.between(0, common / page_size_) * page_size_;
    std::copy_n(owner.tokens.begin(), request.shared, request.tokens.begin());
  }

  /// Page 0 holds the padding slot and is nobody's.
  void make_table() {
    std::int64_t num_pages = 1, max_length = 1;
    for (const Request& request : requests_) {
      num_pages += request.length() / page_size_ + 1;
      max_length = std::max(max_length, request.length());
    }
    num_slots_ = num_pages * page_size_;
    table_.page_size = page_size_;
    table_.num_rows = static_cast<std::int64_t>(requests_.size()) + 3;
    table_.num_columns = max_length / page_size_ + 1 + rng_.between(0, 2);
    table_.row_stride = table_.num_columns + rng_.between(0, 3);
    const auto unused = static_cast<std::int32_t>(rng_.between(-1, num_pages));
    table_.entries.assign(table_.num_rows * table_.row_stride, unused);

    const std::vector<std::int64_t> pages = rng_.permutation(1, num_pages - 1);
    std::size_t next_page = 0;
    for (const Request& request : requests_) {
      for (std::int64_t column = 0; column * page_size_ < request.length(); ++column) {
        const bool shared = column * page_size_ < request.shared;
        entry(request, column) = shared ? entry(requests_[request.owner], column)
                                        : static_cast<std::int32_t>(pages[next_page++]);
      }
    }
  }

  std::int32_t& entry(const Request& request, std::int64_t column) {
    return table_.entries[request.row * table_.row_stride + column];
  }

  /// Every slot of the full pool gets one of the sliding-window pool, never the padding slot.
  void make_translation() {
    if (window_ > 0 && rng_.chance(70)) table_.full_to_swa = rng_.permutation(1, num_slots_++);
  }

  void make_expected() {
    if (rng_.chance(40)) return;
    expected_ = oracle::ExpectedTokens{};
    expected_->token_offset = rng_.pick<std::int64_t>({0, 0, 1, -1});
    expected_->num_rows = table_.num_rows - rng_.between(0, 2);
    expected_->num_columns = rng_.between(1, sizes_.max_length + 2);
    expected_->row_stride = expected_->num_columns + rng_.between(0, 2);
    expected_->tokens.assign(expected_->num_rows * expected_->row_stride, -1);
    for (const Request& request : requests_) fill_expected(request);
    if (rng_.chance(50)) return;
    expected_->valid_lengths.emplace();
    for (std::int64_t n = rng_.between(1, expected_->num_rows); n > 0; --n) {
      expected_->valid_lengths->push_back(rng_.between(0, expected_->num_columns + 1));
    }
  }

  void fill_expected(const Request& request) {
    if (request.row >= expected_->num_rows) return;
    for (std::int64_t p = 0; p < request.length(); ++p) {
      const std::int64_t column = p + expected_->token_offset;
      if (column < 0 || column >= expected_->num_columns) continue;
      expected_->tokens[request.row * expected_->row_stride + column] = request.tokens[p];
    }
  }

  /// Tokens that a request can add now; nothing when it waits for the owner of its prefix.
  std::optional<std::int64_t> extend_now(Request& request) {
    if (request.done < request.shared) {
      if (requests_[request.owner].done < request.shared) return std::nullopt;
      request.done = request.shared;
    }
    const std::int64_t rest = request.length() - request.done;
    if (rest == 0 || rng_.chance(10)) return 0;
    return rng_.chance(40) ? 1 : rng_.between(1, rest);
  }

  Step make_step() {
    std::vector<Turn> turns;
    for (std::size_t q = 0; q < requests_.size(); ++q) {
      if (const auto extend = extend_now(requests_[q])) turns.push_back({q, *extend});
    }
    for (std::int64_t n = rng_.chance(50) ? 0 : rng_.between(1, 3); n > 0; --n) turns.push_back({});
    rng_.shuffle(turns);
    evict();

    Step step;
    step.batch.table = table_;
    step.batch.window = window_;
    step.batch.expected = expected_;
    for (const Turn& turn : turns) add_turn(step, turn);
    add_padding(step);
    add_expectations(step.write);
    set_capacities(step);
    for (const Turn& turn : turns) {
      if (turn.request) requests_[*turn.request].done += turn.extend;
    }
    return step;
  }

  /// Tokens that have left the window may lose their slots.
  void evict() {
    if (!table_.full_to_swa) return;
    oracle::SlotTable full = table_;
    full.full_to_swa.reset();
    for (const Request& request : requests_) {
      for (std::int64_t p = 0; p < request.done - window_; ++p) {
        const std::int64_t slot = oracle::resolve(full, request.row, p).slot;
        if (rng_.chance(60)) (*table_.full_to_swa)[slot] = -1;
      }
    }
  }

  void add_turn(Step& step, const Turn& turn) {
    const bool real = turn.request.has_value();
    const Request request = real ? requests_[*turn.request] : Request{};
    step.batch.request_rows.push_back(request.row);
    step.batch.prefix_lengths.push_back(real ? request.done : rng_.between(-5, 50));
    step.batch.extend_lengths.push_back(real ? turn.extend : rng_.between(-5, 50));
    for (std::int64_t p = request.done; p < request.done + turn.extend; ++p) {
      step.write.tokens.push_back(request.tokens[p]);
      step.write.positions.push_back(p);
      step.write.slots.push_back(oracle::resolve(table_, request.row, p).slot);
    }
  }

  /// Requests past num_requests and entries past the last request, as in a captured graph.
  void add_padding(Step& step) {
    if (rng_.chance(60)) {
      step.batch.num_requests = static_cast<std::int64_t>(step.batch.request_rows.size());
      for (std::int64_t n = rng_.between(0, 3); n > 0; --n) {
        step.batch.request_rows.push_back(rng_.between(-2, 4));
        step.batch.prefix_lengths.push_back(rng_.between(-2, 4));
        step.batch.extend_lengths.push_back(rng_.between(-2, 4));
      }
    }
    for (std::int64_t n = rng_.chance(50) ? 0 : rng_.between(1, 3); n > 0; --n) {
      step.write.tokens.push_back(random_token());
      step.write.positions.push_back(0);
      step.write.slots.push_back(rng_.between(-1, 1));
    }
  }

  void add_expectations(oracle::WriteBatch& batch) {
    if (rng_.chance(40)) batch.expected_tokens = batch.tokens;
    if (rng_.chance(40)) batch.expected_positions = batch.positions;
    if (rng_.chance(60)) batch.check_positions = rng_.between(0, 1);
  }

  void set_capacities(Step& step) {
    std::int64_t entries = 0;
    for (std::size_t r = 0; r < step.batch.request_rows.size(); ++r) {
      entries += std::max<std::int64_t>(0, step.batch.prefix_lengths[r]);
    }
    step.max_entries = std::max<std::int64_t>(1, entries + rng_.between(0, 3));
    step.max_requests = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(step.batch.request_rows.size()) + rng_.between(0, 3));
  }

  Rng rng_;
  CaseKind kind_;
  Sizes sizes_;
  std::int64_t page_size_ = 1;
  std::int64_t window_ = 0;
  std::int64_t num_slots_ = 0;  ///< of the pool that holds the canaries
  std::vector<Request> requests_;
  oracle::SlotTable table_;
  std::optional<oracle::ExpectedTokens> expected_;
};

}  // namespace

Case random_case(CaseKind kind, std::uint64_t seed) { return Engine(kind, seed).run(); }
