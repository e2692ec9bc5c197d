#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/page_pool.hpp"
#include "sim/prefix_tree.hpp"
#include "sim/swa_map.hpp"

namespace kvcanary::sim {

/// Pages for `tokens` tokens.
constexpr std::int64_t pages_for(std::int64_t tokens, std::int64_t page_size) {
  return (tokens + page_size - 1) / page_size;
}

/// What a request holds of the cache, one entry per page in order of position. The first `matched`
/// pages belong to the tree and are locked by the request, the others belong to the request.
struct PagePath {
  std::vector<std::int32_t> pages;
  std::vector<std::uint64_t> histories;  ///< history at the end of each full page
  std::int64_t matched = 0;
  std::int64_t swa_begin = 0;  ///< first page whose SWA page the request still needs

  std::int64_t size() const { return static_cast<std::int64_t>(pages.size()); }
  std::int32_t page(std::int64_t i) const { return pages[static_cast<std::size_t>(i)]; }
  /// Empties the path and keeps its memory.
  void clear();
};

/// The KV cache's bookkeeping: the full pool, the SWA pool if there is a window, and the prefix
/// tree whose unlocked pages are the reserve of both.
class PagedCache {
 public:
  /// Pages include the padding page of each pool. `window` 0: no SWA pool, `swa_pages` is ignored.
  PagedCache(std::int64_t pages, std::int64_t swa_pages, std::int64_t page_size,
             std::int64_t window);

  const PagePool& pool() const { return pool_; }
  /// Not meaningful without a window.
  const SwaMap& swa() const { return swa_; }
  const PrefixTree& tree() const { return tree_; }
  /// SWA slot of each full slot or -1; empty without a window.
  std::span<const std::int64_t> full_to_swa() const { return swa_.full_to_swa(); }
  /// Pages that a window overlaps when it ends with a page.
  std::int64_t window_pages() const { return pages_for(window_, page_size_); }

  /// Pages that are free or could be made so by eviction.
  std::int64_t available_pages() const { return pool_.free_pages() + tree_.evictable(); }
  std::int64_t available_swa_pages() const;

  /// Evicts until `pages` pages can be allocated; returns how many can, at most `pages`.
  std::int64_t reserve(std::int64_t pages);
  /// A page of the full pool, with an SWA page if there is a window. Both must have been reserved.
  std::int32_t allocate();
  /// Frees a page of a request (not one of the tree's) and its SWA page.
  void release(std::int32_t page);

  /// Fills `path` with the longest cached prefix of `tokens`, in whole pages, and locks it. With a
  /// window the prefix ends where all pages that overlap the last `window` tokens before its end
  /// have their SWA pages; those are locked too.
  void match(std::span<const std::int32_t> tokens, PagePath& path);
  /// Undoes a match: unlocks, and empties `path`.
  void unmatch(PagePath& path);
  /// Shares what a request has computed: its full pages of `tokens` go to the tree and stay locked.
  /// A page that the tree has already, with the same tokens after the same prefix, is freed and the
  /// tree's takes its place in `path`.
  void publish(PagePath& path, std::span<const std::int32_t> tokens);
  /// Lets go of the SWA pages that lie wholly before position `length - window`: no later token
  /// reads them. They are freed, or if shared left to the tree. Returns whether there were any.
  bool slide_window(PagePath& path, std::int64_t length);
  /// Ends a request: publishes `tokens`, all it has in the cache, frees a last page that is not
  /// full, unlocks and empties `path`.
  void retire(PagePath& path, std::span<const std::int32_t> tokens);

  std::int64_t evicted_pages() const { return evicted_pages_; }
  std::int64_t evicted_swa_pages() const { return evicted_swa_pages_; }

  /// A fault: offers a page in use to the next `allocate`.
  void free_early(std::int32_t page) { pool_.free_early(page); }

 private:
  using Tokens = std::span<const std::int32_t>;

  Tokens page_of(Tokens tokens, std::int64_t page) const;
  void lock(PagePath& path);
  void unlock(const PagePath& path);
  std::int32_t place(std::int32_t parent, std::int32_t page, std::uint64_t history, Tokens tokens);
  void drop_copy(std::int32_t copy, std::int32_t page);

  std::int64_t page_size_;
  std::int64_t window_;
  PagePool pool_;
  SwaMap swa_;
  PrefixTree tree_;
  std::int64_t evicted_pages_ = 0;
  std::int64_t evicted_swa_pages_ = 0;
};

}  // namespace kvcanary::sim
