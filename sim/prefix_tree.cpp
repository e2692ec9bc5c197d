#include "sim/prefix_tree.hpp"

#include <algorithm>
#include <bit>

#include "sim/rng.hpp"

namespace kvcanary::sim {

PrefixTree::PrefixTree(std::int64_t num_pages, std::int64_t page_size)
    : page_size_(page_size),
      nodes_(static_cast<std::size_t>(num_pages)),
      tokens_(static_cast<std::size_t>(num_pages * page_size)),
      buckets_(std::bit_ceil(static_cast<std::size_t>(num_pages)), none),
      lru_(num_pages),
      swa_lru_(num_pages) {}

std::span<const std::int32_t> PrefixTree::tokens(std::int32_t page) const {
  const auto size = static_cast<std::size_t>(page_size_);
  return std::span(tokens_).subspan(static_cast<std::size_t>(page) * size, size);
}

std::span<std::int32_t> PrefixTree::page_tokens(std::int32_t page) {
  const auto size = static_cast<std::size_t>(page_size_);
  return std::span(tokens_).subspan(static_cast<std::size_t>(page) * size, size);
}

std::int32_t& PrefixTree::bucket(std::uint64_t history) {
  return buckets_[history & (buckets_.size() - 1)];
}

std::int32_t PrefixTree::find_child(std::int32_t parent, std::uint64_t history,
                                    std::span<const std::int32_t> tokens) const {
  std::int32_t page = buckets_[history & (buckets_.size() - 1)];
  for (; page != none; page = node(page).next_in_bucket) {
    // Histories could collide, so they only preselect.
    if (node(page).history == history && node(page).parent == parent &&
        std::ranges::equal(this->tokens(page), tokens)) {
      return page;
    }
  }
  return none;
}

void PrefixTree::insert_child(std::int32_t parent, std::int32_t page, std::uint64_t history,
                              std::span<const std::int32_t> tokens) {
  Node added;
  added.history = history;
  added.parent = parent;
  added.depth = parent == none ? 0 : node(parent).depth + 1;
  added.next_in_bucket = bucket(history);
  node(page) = added;
  bucket(history) = page;
  std::ranges::copy(tokens, page_tokens(page).begin());
  ++size_;
}

void PrefixTree::lock(std::int32_t page) {
  for (; page != none; page = node(page).parent) {
    if (node(page).locks++ == 0) lru_.remove(page);
  }
}

void PrefixTree::unlock(std::int32_t page) {
  for (; page != none; page = node(page).parent) {
    if (--node(page).locks == 0) lru_.touch(page);
  }
}

std::int32_t PrefixTree::evict() {
  if (lru_.empty()) return none;
  const std::int32_t page = lru_.front();
  remove(page);
  return page;
}

void PrefixTree::remove(std::int32_t page) {
  lru_.remove(page);
  swa_lru_.remove(page);
  unlink(page);
  node(page) = {};
  --size_;
}

/// Takes the page out of its hash chain.
void PrefixTree::unlink(std::int32_t page) {
  std::int32_t* link = &bucket(node(page).history);
  while (*link != page) link = &node(*link).next_in_bucket;
  *link = node(page).next_in_bucket;
}

void PrefixTree::attach_swa(std::int32_t page) {
  node(page).has_swa = true;
  if (node(page).swa_locks == 0) swa_lru_.touch(page);
}

void PrefixTree::lock_swa(std::int32_t page) {
  if (node(page).swa_locks++ == 0) swa_lru_.remove(page);
}

void PrefixTree::unlock_swa(std::int32_t page) {
  if (--node(page).swa_locks == 0 && node(page).has_swa) swa_lru_.touch(page);
}

std::int32_t PrefixTree::evict_swa() {
  if (swa_lru_.empty()) return none;
  const std::int32_t page = swa_lru_.front();
  swa_lru_.remove(page);
  node(page).has_swa = false;
  return page;
}

}  // namespace kvcanary::sim
