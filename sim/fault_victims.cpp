#include "sim/fault_victims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "sim/tokens.hpp"

namespace kvcanary::sim {
namespace {

/// One request of a batch, with what a fault needs to know about it.
struct Victim {
  std::int32_t row;
  std::int64_t id;
  std::int64_t prefix;
  std::int64_t extend;
  std::int64_t first_token;  ///< index of its first added token in the batch
};

/// Half-open range of positions or columns.
struct Range {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t size() const { return end - begin; }
};

/// The batch and engine under attack.
class Attack {
 public:
  Attack(FaultKind kind, Engine& engine, StepBatch& batch, Rng& rng)
      : kind_(kind), engine_(engine), batch_(batch), rng_(rng) {
    std::int64_t first_token = 0;
    for (std::size_t i = 0; i < batch.request_rows.size(); ++i) {
      requests_.push_back({batch.request_rows[i], batch.request_ids[i], batch.prefix_lengths[i],
                           batch.extend_lengths[i], first_token});
      first_token += batch.extend_lengths[i];
    }
  }

  std::optional<FaultRecord> kv_bit() {
    const std::vector<Victim> readers = select([](const Victim& v) { return v.prefix > 0; });
    if (readers.empty()) return std::nullopt;
    const Victim v = pick(readers);
    const bool swa = engine_.config().window > 0 && rng_.below(2) == 0;
    const Range positions = swa ? window(v) : Range{0, v.prefix};
    FaultRecord done = record(v, draw(positions));
    if (swa) {
      done.pool = Pool::swa;
      done.slot = engine_.full_to_swa()[static_cast<std::size_t>(done.slot)];
    }
    done.text = fmt::format("step {}: one KV bit of slot {} ({} pool) flipped: position {} of {}",
                            done.step, done.slot, swa ? "SWA" : "full", done.position, who(v));
    return done;
  }

  std::optional<FaultRecord> table_entry() {
    const std::vector<Victim> readers = select([](const Victim& v) { return v.prefix > 0; });
    if (readers.empty()) return std::nullopt;
    const Victim v = pick(readers);
    const std::int64_t column = draw(columns(v));
    const std::optional<std::int32_t> other = other_page(v, column, readers);
    if (!other) return std::nullopt;
    FaultRecord done = record(v, column * page_size());
    done.text = fmt::format(
        "step {}: slot-table entry of row {}, column {} (from position {} of {}) set to page {} "
        "instead of {}",
        done.step, v.row, column, done.position, who(v), *other, page(v.row, column));
    engine_.corrupt_table_entry(v.row, column, *other);
    return done;
  }

  std::optional<FaultRecord> early_free() {
    // If nobody else takes the page, the victim itself does at its next page boundary, and reads it
    // thereafter.
    const std::vector<Victim> lasting =
        select([this](const Victim& v) { return v.prefix > 0 && decodes_left(v) > page_size(); });
    if (lasting.empty()) return std::nullopt;
    const Victim v = *std::max_element(
        lasting.begin(), lasting.end(),
        [this](const Victim& a, const Victim& b) { return decodes_left(a) < decodes_left(b); });
    const std::int64_t column = draw(columns(v));
    FaultRecord done = record(v, column * page_size());
    done.text = fmt::format("step {}: page {} freed although {} still reads it (from position {})",
                            done.step, page(v.row, column), who(v), done.position);
    engine_.free_page_early(page(v.row, column));
    return done;
  }

  std::optional<FaultRecord> token() {
    const Victim v = pick(requests_);
    const std::int64_t index = v.first_token + rng_.below(v.extend);
    std::int32_t& token = batch_.tokens[static_cast<std::size_t>(index)];
    const std::int32_t wrong =
        static_cast<std::int32_t>((token + 1 + rng_.below(vocabulary_size - 1)) % vocabulary_size);
    FaultRecord done = record(v, v.prefix + index - v.first_token);
    done.text = fmt::format("step {}: token {} written instead of {} to slot {}: position {} of {}",
                            done.step, wrong, token, done.slot, done.position, who(v));
    token = wrong;
    return done;
  }

  std::optional<FaultRecord> position() {
    std::vector<Victim> victims =
        select([](const Victim& v) { return v.prefix > 0 && v.extend == 1; });
    if (victims.empty()) victims = requests_;
    const Victim v = pick(victims);
    const std::int64_t index = v.first_token + rng_.below(v.extend);
    std::int64_t& position = batch_.positions[static_cast<std::size_t>(index)];
    const std::int64_t wrong = position + (position == 0 || rng_.below(2) == 0 ? 1 : -1);
    FaultRecord done = record(v, position);
    done.text = fmt::format("step {}: position {} written instead of {} to slot {} for {}",
                            done.step, wrong, position, done.slot, who(v));
    position = wrong;
    return done;
  }

 private:
  template <class Predicate>
  std::vector<Victim> select(Predicate predicate) const {
    std::vector<Victim> selected;
    std::ranges::copy_if(requests_, std::back_inserter(selected), predicate);
    return selected;
  }

  Victim pick(const std::vector<Victim>& victims) {
    return victims[static_cast<std::size_t>(rng_.below(std::ssize(victims)))];
  }
  std::int64_t draw(Range range) { return range.begin + rng_.below(range.size()); }

  std::int64_t page_size() const { return engine_.config().page_size; }

  /// Positions that the victim reads in every pool.
  Range window(const Victim& v) const {
    const std::int64_t window = engine_.config().window;
    return {window > 0 ? std::max<std::int64_t>(0, v.prefix - window) : 0, v.prefix};
  }
  /// Slot-table columns of those.
  Range columns(const Victim& v) const {
    return {window(v).begin / page_size(), pages_for(v.prefix, page_size())};
  }
  std::int32_t page(std::int32_t row, std::int64_t column) const {
    return engine_.slot_table()[static_cast<std::size_t>(row * engine_.table_columns() + column)];
  }
  /// Output tokens that the victim has yet to write after this step.
  std::int64_t decodes_left(const Victim& v) const {
    const Request& request = engine_.requests()[static_cast<std::size_t>(v.id)];
    return kv_length(request) - std::max(request.input_length, v.prefix + v.extend);
  }

  /// A page that does not hold what the victim has in `column`: another request's if possible, else
  /// another one of its own.
  std::optional<std::int32_t> other_page(const Victim& v, std::int64_t column,
                                         const std::vector<Victim>& readers) {
    std::vector<std::int32_t> others;
    std::vector<std::int32_t> own;
    for (const Victim& reader : readers) {
      for (std::int64_t c = columns(reader).begin; c < columns(reader).end; ++c) {
        if (!differs(v, column, reader, c)) continue;
        (reader.row == v.row ? own : others).push_back(page(reader.row, c));
      }
    }
    const std::vector<std::int32_t>& pages = others.empty() ? own : others;
    if (pages.empty()) return std::nullopt;
    return pages[static_cast<std::size_t>(rng_.below(std::ssize(pages)))];
  }

  /// Whether two columns hold different KV: other positions, or another history.
  bool differs(const Victim& a, std::int64_t column_a, const Victim& b,
               std::int64_t column_b) const {
    if (page(a.row, column_a) == page(b.row, column_b)) return false;
    if (column_a != column_b) return true;
    const std::int64_t end = std::min((column_a + 1) * page_size(), std::min(a.prefix, b.prefix));
    const auto tokens_a = tokens(a, end), tokens_b = tokens(b, end);
    return !std::equal(tokens_a.begin(), tokens_a.end(), tokens_b.begin());
  }
  std::span<const std::int32_t> tokens(const Victim& v, std::int64_t length) const {
    const std::int64_t width = engine_.table_columns() * page_size();
    return engine_.token_table().subspan(static_cast<std::size_t>(v.row * width),
                                         static_cast<std::size_t>(length));
  }

  FaultRecord record(const Victim& v, std::int64_t position) const {
    FaultRecord r;
    r.kind = kind_;
    r.step = batch_.step;
    r.request_id = v.id;
    r.row = v.row;
    r.position = position;
    r.slot = page(v.row, position / page_size()) * page_size() + position % page_size();
    return r;
  }
  static std::string who(const Victim& v) {
    return fmt::format("request {} (row {})", v.id, v.row);
  }

  FaultKind kind_;
  Engine& engine_;
  StepBatch& batch_;
  Rng& rng_;
  std::vector<Victim> requests_;
};

}  // namespace

std::optional<FaultRecord> inject(FaultKind kind, Engine& engine, StepBatch& batch, Rng& rng) {
  Attack attack(kind, engine, batch, rng);
  switch (kind) {
    case FaultKind::kv_bit:
      return attack.kv_bit();
    case FaultKind::table_entry:
      return attack.table_entry();
    case FaultKind::early_free:
      return attack.early_free();
    case FaultKind::token:
      return attack.token();
    case FaultKind::position:
      return attack.position();
  }
  return std::nullopt;
}

}  // namespace kvcanary::sim
