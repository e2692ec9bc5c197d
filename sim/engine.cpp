#include "sim/engine.hpp"

#include <algorithm>
#include <utility>

namespace kvcanary::sim {

Engine::Engine(const EngineConfig& config, std::vector<Request> requests)
    : requests_(std::move(requests)),
      config_(checked(config, requests_)),
      token_source_(config_.seed),
      progress_(requests_.size()),
      by_row_(static_cast<std::size_t>(config_.max_running + 1)),
      table_(config_.max_running + 1, config_.table_columns, config_.page_size),
      cache_(config_.pool_slots / config_.page_size, config_.swa_pool_slots / config_.page_size,
             config_.page_size, config_.window) {
  for (std::int64_t id = 0; id < std::ssize(requests_); ++id) {
    progress(id).known = request(id).input_length;
    waiting_.push_back(id);
  }
  for (std::int64_t row = config_.max_running; row >= 1; --row) {
    free_rows_.push_back(static_cast<std::int32_t>(row));
  }
}

std::int64_t Engine::unwritten(std::int32_t row) {
  return table_.valid_length(row) - running(row).computed;
}

// --- Admission ----------------------------------------------------------------------------------

/// Admits the first request in line, if there is a row and room for its prompt.
bool Engine::admit_next() {
  if (waiting_.empty() || free_rows_.empty()) return false;
  if (head_blocked_ && !running_.empty()) return false;
  const std::int64_t id = waiting_.front();
  const std::int32_t row = free_rows_.back();
  const std::int64_t known = progress(id).known;
  load_tokens(row, id);
  // At least one token is left to compute: its output is what the request waits for.
  PagePath& path = running(row).path;
  cache_.match(table_.row_tokens(row).first(static_cast<std::size_t>(known - 1)), path);
  if (!has_room(path, known)) {
    cache_.unmatch(path);
    head_blocked_ = true;
    return false;
  }
  waiting_.pop_front();
  free_rows_.pop_back();
  running_.push_back(row);
  running(row).id = id;
  start(row);
  return true;
}

/// Fills the row with what the request is to read and compute: prompt and output so far.
void Engine::load_tokens(std::int32_t row, std::int64_t id) {
  const std::span<std::int32_t> tokens = table_.row_tokens(row);
  const std::int64_t input_length = request(id).input_length;
  for (std::int64_t position = 0; position < progress(id).known; ++position) {
    tokens[static_cast<std::size_t>(position)] = position < input_length
                                                     ? token_source_.input(request(id), position)
                                                     : token_source_.output(id, position);
  }
}

/// Begins with the prefix that was matched.
void Engine::start(std::int32_t row) {
  Running& r = running(row);
  Progress& p = progress(r.id);
  r.computed = r.path.matched * config_.page_size;
  r.extending = 0;
  r.history = r.path.matched > 0 ? r.path.histories.back() : empty_history;
  std::ranges::copy(r.path.pages, table_.row_pages(row).begin());
  table_.set_valid_length(row, p.known);
  stats_.prefix_hit_tokens += std::max<std::int64_t>(0, r.computed - p.obtained);
  p.obtained = std::max(p.obtained, r.computed);
  stats_.peak_running = std::max<std::int64_t>(stats_.peak_running, std::ssize(running_));
}

// --- Progress and end ---------------------------------------------------------------------------

/// The step in flight is over: its tokens' KV is in the cache, outputs have been sampled.
void Engine::complete_step() {
  for (const std::int32_t row : running_) advance(row);
  std::erase_if(running_, [this](std::int32_t row) {
    const bool done = running(row).computed == kv_length(request(running(row).id));
    if (done) finish(row);
    return done;
  });
}

void Engine::advance(std::int32_t row) {
  Running& r = running(row);
  if (r.extending == 0) return;
  const bool in_prompt = r.computed < request(r.id).input_length;
  r.computed += r.extending;
  r.extending = 0;
  if (in_prompt) publish_prompt(row);
  if (cache_.slide_window(r.path, r.computed)) head_blocked_ = false;
  // The last output token is not fed back, so it does not become known.
  if (unwritten(row) == 0 && r.computed < kv_length(request(r.id))) {
    table_.push_token(row, token_source_.output(r.id, r.computed));
    progress(r.id).known = table_.valid_length(row);
  }
}

/// Prompts are shared as soon as they are computed, outputs when the request ends. The request may
/// get other pages with the same tokens in exchange for its own.
void Engine::publish_prompt(std::int32_t row) {
  Running& r = running(row);
  const std::int64_t begin = r.path.matched;
  cache_.publish(r.path, table_.row_tokens(row).first(static_cast<std::size_t>(r.computed)));
  const std::span<const std::int32_t> pages(r.path.pages);
  std::ranges::copy(pages.subspan(static_cast<std::size_t>(begin)),
                    table_.row_pages(row).begin() + begin);
}

void Engine::finish(std::int32_t row) {
  ++stats_.requests_finished;
  release(row);
}

/// Takes the request admitted last off its row. What it has computed goes to the tree, where it may
/// find it again when it is readmitted, ahead of all others.
void Engine::preempt_last() {
  const std::int32_t row = running_.back();
  running_.pop_back();
  waiting_.push_front(running(row).id);
  ++stats_.preemptions;
  release(row);
}

void Engine::release(std::int32_t row) {
  Running& r = running(row);
  cache_.retire(r.path, table_.row_tokens(row).first(static_cast<std::size_t>(r.computed)));
  r.id = -1;
  table_.clear_row(row);
  free_rows_.push_back(row);
  head_blocked_ = false;
}

// --- Faults -------------------------------------------------------------------------------------

void Engine::corrupt_table_entry(std::int32_t row, std::int64_t column, std::int32_t page) {
  table_.row_pages(row)[static_cast<std::size_t>(column)] = page;
}

}  // namespace kvcanary::sim
