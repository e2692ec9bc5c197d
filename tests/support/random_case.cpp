#include "tests/support/random_case.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "oracle/slot_table.hpp"
#include "tests/support/random_endpoints.hpp"
#include "tests/support/random_lists.hpp"
#include "tests/support/random_pool.hpp"
#include "tests/support/rng.hpp"

namespace {

using oracle::VerifyEnd;

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
    make_expected();
    Case result;
    result.layout = {static_cast<std::uint32_t>(rng_.bits()),
                     rng_.chance(50) ? 0 : rng_.between(1, 15), rng_.chance(50)};
    result.endpoints = random_endpoints(rng_, rng_.pick(sizes_.endpoints), pool_);
    for (int s = 0; s < 3; ++s) result.steps.push_back(make_step());
    return result;
  }

 private:
  /// What a row of a batch is, and how many tokens it adds in this step.
  struct Turn {
    enum class Kind { request, padded, dummy } kind = Kind::padded;
    std::size_t request = 0;
    std::int64_t extend = 0;
  };

  std::int64_t random_token() {
    return rng_.chance(95) ? rng_.between(0, 150000) : static_cast<std::int64_t>(rng_.bits());
  }

  // ---- requests, and where their tokens lie ----------------------------------------------------

  void make_requests() {
    page_size_ = rng_.pick(sizes_.page_sizes);
    window_ = kind_ == CaseKind::window ? rng_.between(1, 24) : 0;
    verify_end_ = rng_.pick<VerifyEnd>({VerifyEnd::prefix, VerifyEnd::prefix, VerifyEnd::prefix,
                                        VerifyEnd::last_token, VerifyEnd::whole_step});
    const std::int64_t count = rng_.between(sizes_.min_requests, sizes_.max_requests);
    std::vector<std::int64_t> rows = make_rows(count);
    dummy_row_ = rows.back();
    for (std::int64_t r = 0; r < count; ++r) {
      Request request{.row = rows[r]};
      request.tokens.resize(rng_.between(1, sizes_.max_length));
      for (std::int64_t& token : request.tokens) token = random_token();
      if (r > 0 && window_ == 0 && rng_.chance(30)) share_prefix(request);
      requests_.push_back(request);
    }
  }

  /// Rows that are not the padding row, in random order and some more than are needed.
  std::vector<std::int64_t> make_rows(std::int64_t count) {
    table_.num_rows = count + 3;
    if (rng_.chance(75)) {
      padding_row_ = rng_.pick<std::int64_t>({0, 0, -1, rng_.between(1, table_.num_rows - 1)});
    }
    std::vector<std::int64_t> rows = rng_.permutation(0, table_.num_rows);
    if (padding_row_) std::erase(rows, *padding_row_);
    return rows;
  }

  /// Whole pages of an earlier request; at least one token stays the request's own.
  void share_prefix(Request& request) {
    request.owner = rng_.index(requests_);
    const Request& owner = requests_[request.owner];
    const std::int64_t common = std::min(owner.length(), request.length() - 1);
    request.shared = rng_.between(0, common / page_size_) * page_size_;
    std::copy_n(owner.tokens.begin(), request.shared, request.tokens.begin());
  }

  void make_table() {
    std::int64_t num_pages = 1, max_length = 1;  // one page for dummies
    for (const Request& request : requests_) {
      num_pages += request.length() / page_size_ + 1;
      max_length = std::max(max_length, request.length());
    }
    table_.page_size = page_size_;
    table_.num_columns = max_length / page_size_ + 1 + rng_.between(0, 2);
    table_.row_stride = table_.num_columns + rng_.between(0, 3);
    const std::int64_t unused = rng_.between(-1, num_pages);
    table_.entries.assign(table_.num_rows * table_.row_stride, unused);
    const bool translated = window_ > 0 && rng_.chance(60);
    std::vector<std::int64_t> pages =
        translated ? make_translation(num_pages) : make_pool_of_pages(num_pages);
    for (const Request& request : requests_) give_pages(request, pages);
    make_dummy_row(pages);
    decide_what_is_gone();
  }

  std::vector<std::int64_t> make_pool_of_pages(std::int64_t num_pages) {
    pool_ = random_pool(rng_, num_pages, page_size_, page_size_);
    return pool_.units;
  }

  /// Every slot of the full pool gets one of the sliding-window pool, never a padding slot.
  std::vector<std::int64_t> make_translation(std::int64_t num_pages) {
    const std::int64_t slots = num_pages * page_size_;
    pool_ = random_pool(rng_, slots, 1, page_size_);
    table_.full_to_swa.emplace(pool_.units.begin(), pool_.units.begin() + slots);
    return rng_.permutation(0, num_pages);
  }

  void give_pages(const Request& request, std::vector<std::int64_t>& pages) {
    for (std::int64_t column = 0; column * page_size_ < request.length(); ++column) {
      if (column * page_size_ < request.shared) {
        entry(request.row, column) = entry(requests_[request.owner].row, column);
      } else {
        entry(request.row, column) = pages.back();
        pages.pop_back();
      }
    }
  }

  std::int64_t& entry(std::int64_t row, std::int64_t column) {
    return table_.entries[row * table_.row_stride + column];
  }

  /// Dummies are requests that an engine makes up to fill a batch: all that they have are padding
  /// slots.
  void make_dummy_row(const std::vector<std::int64_t>& pages) {
    std::optional<std::int64_t> page = pool_.null_unit();
    if (table_.full_to_swa) {
      page.reset();
      if (pool_.has_padding()) page = pages.back();
      for (std::int64_t i = 0; page && i < page_size_; ++i) {
        (*table_.full_to_swa)[*page * page_size_ + i] = pool_.padding_slot(rng_);
      }
    }
    dummies_are_read_ = page.has_value() && pool_.padding.skip_reads;
    for (std::int64_t column = 0; page && column < table_.num_columns; ++column) {
      entry(dummy_row_, column) = *page;
    }
  }

  // ---- tokens that have left the window --------------------------------------------------------

  /// A table whose padding slots say that there is no slot may be verified past the window.
  void decide_what_is_gone() {
    verified_window_ = window_;
    const bool padding = table_.full_to_swa ? pool_.has_padding() : pool_.null_unit().has_value();
    gone_is_padding_ = padding && rng_.chance(50);
    if (window_ > 0 && gone_is_padding_ && pool_.padding.skip_reads && rng_.chance(60)) {
      verified_window_ = rng_.chance(50) ? 0 : window_ + rng_.between(1, 30);
    }
  }

  /// Takes the slot of a position in [begin, end) from the table or the translation, and says
  /// whether it could: a page goes when all of it lies there.
  bool forget(const Request& request, std::int64_t position, std::int64_t begin, std::int64_t end) {
    const std::int64_t column = position / page_size_;
    const std::int64_t negative = rng_.chance(80) ? -1 : rng_.between(-1000, -2);
    if (table_.full_to_swa) {
      oracle::SlotTable full = table_;
      full.full_to_swa.reset();
      std::int64_t& slot = (*table_.full_to_swa)[oracle::find(full, request.row, position).slot];
      slot = gone_is_padding_ ? pool_.padding_slot(rng_) : negative;
      return true;
    }
    if (column * page_size_ < begin || (column + 1) * page_size_ > end) return false;
    entry(request.row, column) = gone_is_padding_ ? *pool_.null_unit() : negative;
    return true;
  }

  /// Tokens that have left the window may lose their slots; the seed stays.
  void evict(const Request& request, std::int64_t extend) {
    if (window_ == 0) return;
    const std::int64_t end = request.done + (verify_end_ == VerifyEnd::last_token ? extend : 0);
    const std::int64_t limit = std::min(end - window_, request.done - 1);
    for (std::int64_t p = 0; p < limit; ++p) {
      if (is_there(request, p) && rng_.chance(60)) forget(request, p, 0, limit);
    }
  }

  bool is_there(const Request& request, std::int64_t position) const {
    const oracle::Found found = oracle::find(table_, request.row, position);
    return found.kind == oracle::Found::Kind::slot && !pool_.padding.contains(found.slot);
  }

  // ---- steps -----------------------------------------------------------------------------------

  void make_expected() {
    if (rng_.chance(40)) return;
    expected_ = oracle::ExpectedTokens{};
    expected_->token_offset = rng_.pick<std::int64_t>({0, 0, 1, -1});
    expected_->num_rows = table_.num_rows - rng_.between(0, 2);
    expected_->num_columns = rng_.between(1, sizes_.max_length + 2);
    expected_->row_stride = expected_->num_columns + rng_.between(0, 2);
    expected_->tokens.assign(expected_->num_rows * expected_->row_stride, -1);
    for (const Request& request : requests_) fill_expected(request);
    has_valid_lengths_ = rng_.chance(50);
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

  std::vector<Turn> make_turns() {
    std::vector<Turn> turns;
    for (std::size_t q = 0; q < requests_.size(); ++q) {
      if (const auto extend = extend_now(requests_[q])) {
        turns.push_back({Turn::Kind::request, q, *extend});
      }
    }
    if (padding_row_ && rng_.chance(50)) turns.resize(turns.size() + rng_.between(1, 3));
    if (pool_.has_padding() && rng_.chance(30)) {
      for (std::int64_t n = rng_.between(1, 3); n > 0; --n) {
        turns.push_back({Turn::Kind::dummy, 0, rng_.between(0, 2)});
      }
    }
    rng_.shuffle(turns);
    return turns;
  }

  Step make_step() {
    const std::vector<Turn> turns = make_turns();
    Step step;
    skips_entries_ = false;
    for (const Turn& turn : turns) add_turn(step, turn);
    step.batch.table = table_;
    step.batch.window = verified_window_;
    step.batch.verify_end = verify_end_;
    step.batch.padding_row = padding_row_;
    if (rng_.chance(50)) {
      step.tokens.num_tokens = static_cast<std::int64_t>(step.tokens.tokens.size());
    }
    add_padding(step);
    add_expectations(step);
    set_capacities(step);
    if (rng_.chance(50)) turn_into_lists(rng_, step.batch);
    for (const Turn& turn : turns) {
      if (turn.kind == Turn::Kind::request) requests_[turn.request].done += turn.extend;
    }
    return step;
  }

  void add_turn(Step& step, const Turn& turn) {
    switch (turn.kind) {
      case Turn::Kind::request:
        evict(requests_[turn.request], turn.extend);
        add_row(step, requests_[turn.request].row, requests_[turn.request].done, turn.extend);
        add_tokens(step.tokens, requests_[turn.request], turn.extend);
        break;
      case Turn::Kind::padded:
        add_row(step, *padding_row_, rng_.between(-5, 50), rng_.between(-5, 50));
        break;
      case Turn::Kind::dummy:
        add_dummy(step, turn.extend);
        break;
    }
  }

  static void add_row(Step& step, std::int64_t row, std::int64_t prefix, std::int64_t extend) {
    step.batch.request_rows.push_back(row);
    step.batch.prefix_lengths.push_back(prefix);
    step.batch.extend_lengths.push_back(extend);
  }

  static void add_token(oracle::TokenBatch& batch, std::int64_t token, std::int64_t position,
                        std::int64_t slot) {
    batch.tokens.push_back(token);
    batch.positions.push_back(position);
    batch.slots.push_back(slot);
  }

  /// Of a request that adds more than the window holds, the first tokens may never get a slot, but
  /// where all that is added is verified.
  void add_tokens(oracle::TokenBatch& batch, const Request& request, std::int64_t extend) {
    const std::int64_t end = request.done + extend;
    const bool drops = window_ > 0 && verify_end_ != VerifyEnd::whole_step && rng_.chance(50);
    for (std::int64_t p = request.done; p < end; ++p) {
      const std::int64_t limit = end - window_;
      std::int64_t slot = oracle::find(table_, request.row, p).slot;
      if (drops && p < limit &&
          (!is_there(request, p) || forget(request, p, request.done, limit))) {
        const bool skip = !pool_.has_padding() || rng_.chance(50);
        slot = skip ? -1 : pool_.padding_slot(rng_);
        skips_entries_ |= skip;
      }
      add_token(batch, request.tokens[p], p, slot);
    }
  }

  /// What a dummy reads is verified, so it has nothing to read where that would be reported.
  void add_dummy(Step& step, std::int64_t extend) {
    if (verify_end_ != VerifyEnd::prefix && !dummies_are_read_) return;
    const std::int64_t positions = table_.num_columns * page_size_;
    extend = std::min(extend, positions);
    const std::int64_t prefix = dummies_are_read_ ? rng_.between(0, positions - extend) : 0;
    add_row(step, dummy_row_, prefix, extend);
    for (std::int64_t i = 0; i < extend; ++i) {
      add_token(step.tokens, random_token(), rng_.between(0, 50), pool_.padding_slot(rng_));
    }
  }

  /// Requests past num_requests and entries past the last request, as in a captured graph.
  void add_padding(Step& step) {
    if (rng_.chance(60)) {
      step.batch.num_requests = static_cast<std::int64_t>(step.batch.request_rows.size());
      for (std::int64_t n = rng_.between(0, 3); n > 0; --n) {
        add_row(step, rng_.between(-2, 4), rng_.between(-2, 4), rng_.between(-2, 4));
      }
    }
    for (std::int64_t n = rng_.chance(50) ? 0 : rng_.between(1, 3); n > 0; --n) {
      add_token(step.tokens, random_token(), 0, rng_.between(-1, 1));
    }
  }

  void add_expectations(Step& step) {
    oracle::TokenBatch& batch = step.tokens;
    if (rng_.chance(40)) batch.expected_tokens = batch.tokens;
    if (rng_.chance(40)) batch.expected_positions = batch.positions;
    if (rng_.chance(60)) batch.check_positions = skips_entries_ ? 0 : rng_.between(0, 1);
    step.batch.expected = expected_;
    if (!has_valid_lengths_) return;
    std::vector<std::int64_t>& lengths = step.batch.expected->valid_lengths.emplace();
    for (std::size_t r = 0; r < step.batch.request_rows.size(); ++r) {
      lengths.push_back(rng_.between(-1, expected_->num_columns + 1));
    }
  }

  void set_capacities(Step& step) {
    std::int64_t entries = 0;
    for (std::size_t r = 0; r < step.batch.request_rows.size(); ++r) {
      entries += std::max<std::int64_t>(0, step.batch.prefix_lengths[r]);
      entries += std::max<std::int64_t>(0, step.batch.extend_lengths[r]);
    }
    step.max_entries = std::max<std::int64_t>(1, entries + rng_.between(0, 3));
    step.max_requests = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(step.batch.request_rows.size()) + rng_.between(0, 3));
  }

  Rng rng_;
  CaseKind kind_;
  Sizes sizes_;
  std::int64_t page_size_ = 1;
  std::int64_t window_ = 0;                   ///< tokens that keep their slots; 0: all
  std::int64_t verified_window_ = 0;          ///< tokens that are verified; 0: all
  VerifyEnd verify_end_ = VerifyEnd::prefix;  ///< others are verified after the write
  std::optional<std::int64_t> padding_row_;
  RandomPool pool_;  ///< that holds the canaries
  oracle::SlotTable table_;
  bool gone_is_padding_ = false;   ///< or else a negative number
  bool dummies_are_read_ = false;  ///< their prefix may be verified
  std::int64_t dummy_row_ = 0;
  std::vector<Request> requests_;
  std::optional<oracle::ExpectedTokens> expected_;
  bool has_valid_lengths_ = false;
  bool skips_entries_ = false;  ///< of real requests, in this step: positions don't follow
};

}  // namespace

Case random_case(CaseKind kind, std::uint64_t seed) { return Engine(kind, seed).run(); }

std::vector<Case> random_pools(std::uint64_t seed) {
  constexpr std::int64_t most = 12;
  Rng rng(seed);
  std::int64_t left = rng.pick<std::int64_t>({1, 2, 2, 3, 3, 4, 7, most});
  std::vector<int> tags = random_tags(rng, most);
  std::vector<Case> pools;
  for (; left > 0; --left) {
    const CaseKind kind = rng.chance(5)    ? CaseKind::many_short
                          : rng.chance(50) ? CaseKind::mixed
                                           : CaseKind::window;
    Case pool = random_case(kind, rng.bits());
    // The pools that follow need one each.
    const std::size_t room = tags.size() - static_cast<std::size_t>(left) + 1;
    if (pool.endpoints.size() > room) pool.endpoints.resize(room);
    for (oracle::Endpoint& endpoint : pool.endpoints) {
      endpoint.tag = tags.back();
      tags.pop_back();
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}
