// How one step is put together: who runs, with how many tokens, in which slots.

#include <algorithm>
#include <stdexcept>

#include "sim/engine.hpp"

namespace kvcanary::sim {

bool Engine::next_step(StepBatch& batch) {
  complete_step();
  batch.clear();
  batch.step = stats_.steps;
  if (running_.empty() && waiting_.empty()) return false;
  const std::int64_t preemptions = stats_.preemptions;
  schedule_decodes(batch);
  // After a preemption memory is short: admitting somebody would only take it away again.
  if (stats_.preemptions == preemptions || running_.empty()) schedule_prefills(batch);
  if (batch.num_requests() == 0) throw std::logic_error("Engine::next_step: no request can run");
  ++stats_.steps;
  stats_.evicted_pages = cache_.evicted_pages();
  stats_.evicted_swa_pages = cache_.evicted_swa_pages();
  stats_.peak_pages = std::max(stats_.peak_pages, cache_.pool().used_pages());
  stats_.peak_swa_pages = std::max(stats_.peak_swa_pages, cache_.swa().pool().used_pages());
  return true;
}

/// One token for every request that has one left to compute. Victims of a preemption are admitted
/// later than the request that needs the page, so they are not in the batch yet.
void Engine::schedule_decodes(StepBatch& batch) {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const std::int32_t row = running_[i];
    if (unwritten(row) == 1 && make_room(row)) extend(row, 1, batch);
  }
}

/// Makes sure that the request can add a token, if need be at the cost of requests admitted later.
/// Returns false if it had to give up its own place.
bool Engine::make_room(std::int32_t row) {
  while (room(running(row), 1) == 0) {
    const bool last = running_.back() == row;
    preempt_last();
    if (last) return false;
  }
  return true;
}

/// Prompts, first come first served, until the budget is spent or memory is short. As nobody is
/// admitted before all others have their prompts in the batch, only the request admitted last can
/// be in the middle of its prompt.
void Engine::schedule_prefills(StepBatch& batch) {
  std::int64_t budget = config_.chunk_size;
  if (!running_.empty() && unwritten(running_.back()) > 1) {
    if (!prefill(running_.back(), budget, batch)) return;
  }
  while (budget > 0 && admit_next()) {
    if (!prefill(running_.back(), budget, batch)) return;
  }
}

/// Adds the next chunk of a prompt. Returns whether that is all of the prompt.
bool Engine::prefill(std::int32_t row, std::int64_t& budget, StepBatch& batch) {
  const std::int64_t left = unwritten(row);
  const std::int64_t count = room(running(row), std::min(left, budget));
  if (count > 0) extend(row, count, batch);
  budget -= count;
  return count == left;
}

/// Whether a request with this matched prefix and this many known tokens should be admitted. A page
/// is left to each running request, or the admission might be undone at their next page boundary.
bool Engine::has_room(const PagePath& path, std::int64_t known) const {
  const std::int64_t needed = pages_for(known, config_.page_size) - path.matched;
  const std::int64_t others = std::ssize(running_);
  if (needed + others > cache_.available_pages()) return false;
  if (config_.window == 0) return true;
  // Of the SWA pool it needs a window and a page for the next token at a time.
  const std::int64_t window_pages = cache_.window_pages();
  const std::int64_t needed_swa = window_pages + 1 - std::min(path.matched, window_pages);
  return std::min(needed, needed_swa) + others <= cache_.available_swa_pages();
}

/// How many tokens, at most `wanted`, the request can add after evicting what can be evicted.
std::int64_t Engine::room(const Running& request, std::int64_t wanted) {
  const std::int64_t pages = request.path.size();
  const std::int64_t needed = pages_for(request.computed + wanted, config_.page_size) - pages;
  const std::int64_t reserved = needed > 0 ? cache_.reserve(needed) : 0;
  return std::min(wanted, (pages + reserved) * config_.page_size - request.computed);
}

/// Adds `count` tokens of a request to the batch; the pages have been reserved.
void Engine::extend(std::int32_t row, std::int64_t count, StepBatch& batch) {
  Running& r = running(row);
  while (r.path.size() * config_.page_size < r.computed + count) {
    const std::int32_t page = cache_.allocate();
    table_.row_pages(row)[r.path.pages.size()] = page;
    r.path.pages.push_back(page);
  }
  batch.request_rows.push_back(row);
  batch.request_ids.push_back(r.id);
  batch.prefix_lengths.push_back(r.computed);
  batch.extend_lengths.push_back(count);
  append_tokens(row, count, batch);
  count_extend(r, count);
  r.extending = count;
}

void Engine::append_tokens(std::int32_t row, std::int64_t count, StepBatch& batch) {
  Running& r = running(row);
  const std::span<const std::int32_t> tokens = table_.row_tokens(row);
  const std::int64_t page_size = config_.page_size;
  for (std::int64_t position = r.computed; position < r.computed + count; ++position) {
    const std::int32_t token = tokens[static_cast<std::size_t>(position)];
    const std::int64_t slot = r.path.page(position / page_size) * page_size + position % page_size;
    r.history = next_history(r.history, token, position);
    if ((position + 1) % page_size == 0) r.path.histories.push_back(r.history);
    batch.tokens.push_back(token);
    batch.positions.push_back(position);
    batch.slots.push_back(slot);
    batch.histories.push_back(r.history);
    if (config_.window > 0) batch.swa_slots.push_back(cache_.swa().translate(slot));
  }
}

void Engine::count_extend(const Running& request, std::int64_t count) {
  Progress& p = progress(request.id);
  const std::int64_t end = request.computed + count;
  stats_.tokens_written += count;
  stats_.recomputed_tokens +=
      std::max<std::int64_t>(0, std::min(end, p.obtained) - request.computed);
  p.obtained = std::max(p.obtained, end);
  stats_.slots_read_full += request.computed;
  if (config_.window > 0) stats_.slots_read_swa += std::min(request.computed, config_.window);
}

}  // namespace kvcanary::sim
