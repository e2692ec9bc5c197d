#include "sim/paged_cache.hpp"

#include <algorithm>

#include "sim/tokens.hpp"

namespace kvcanary::sim {

void PagePath::clear() {
  pages.clear();
  histories.clear();
  matched = 0;
  swa_begin = 0;
}

PagedCache::PagedCache(std::int64_t pages, std::int64_t swa_pages, std::int64_t page_size,
                       std::int64_t window)
    : page_size_(page_size),
      window_(window),
      pool_(pages),
      swa_(window > 0 ? pages : 0, window > 0 ? swa_pages : 1, page_size),
      tree_(pages, page_size) {}

std::int64_t PagedCache::available_swa_pages() const {
  return swa_.pool().free_pages() + tree_.evictable_swa();
}

std::int64_t PagedCache::reserve(std::int64_t pages) {
  pages = std::min(pages, available_pages());
  if (window_ > 0) pages = std::min(pages, available_swa_pages());
  while (pool_.free_pages() < pages) {
    const std::int32_t page = tree_.evict();
    if (page == PrefixTree::none) break;
    ++evicted_pages_;
    release(page);
  }
  while (window_ > 0 && swa_.pool().free_pages() < pages) {
    const std::int32_t page = tree_.evict_swa();
    if (page == PrefixTree::none) break;
    ++evicted_swa_pages_;
    swa_.unmap(page);
  }
  if (window_ > 0) pages = std::min(pages, swa_.pool().free_pages());
  return std::min(pages, pool_.free_pages());
}

std::int32_t PagedCache::allocate() {
  const std::int32_t page = pool_.allocate();
  if (window_ > 0) swa_.map(page);
  return page;
}

void PagedCache::release(std::int32_t page) {
  if (window_ > 0) swa_.unmap(page);
  pool_.release(page);
}

PagedCache::Tokens PagedCache::page_of(Tokens tokens, std::int64_t page) const {
  return tokens.subspan(static_cast<std::size_t>(page * page_size_),
                        static_cast<std::size_t>(page_size_));
}

void PagedCache::match(Tokens tokens, PagePath& path) {
  path.clear();
  const std::int64_t full_pages = static_cast<std::int64_t>(tokens.size()) / page_size_;
  std::uint64_t history = empty_history;
  std::int32_t page = PrefixTree::none;
  std::int64_t swa_run = 0;  // pages with SWA page in a row, up to this one
  for (std::int64_t i = 0; i < full_pages; ++i) {
    std::int64_t position = i * page_size_;
    const Tokens page_tokens = page_of(tokens, i);
    for (const std::int32_t token : page_tokens) history = next_history(history, token, position++);
    page = tree_.find_child(page, history, page_tokens);
    if (page == PrefixTree::none) break;
    path.pages.push_back(page);
    path.histories.push_back(history);
    swa_run = tree_.has_swa(page) ? swa_run + 1 : 0;
    if (window_ == 0 || swa_run >= std::min(i + 1, window_pages())) path.matched = i + 1;
  }
  path.pages.resize(static_cast<std::size_t>(path.matched));
  path.histories.resize(static_cast<std::size_t>(path.matched));
  lock(path);
}

void PagedCache::lock(PagePath& path) {
  if (path.matched == 0) return;
  tree_.lock(path.pages.back());
  if (window_ == 0) return;
  path.swa_begin = std::max<std::int64_t>(0, path.matched - window_pages());
  for (std::int64_t i = path.swa_begin; i < path.matched; ++i) tree_.lock_swa(path.page(i));
}

void PagedCache::unlock(const PagePath& path) {
  if (path.matched == 0) return;
  if (window_ > 0) {
    for (std::int64_t i = path.swa_begin; i < path.matched; ++i) tree_.unlock_swa(path.page(i));
  }
  tree_.unlock(path.page(path.matched - 1));
}

void PagedCache::unmatch(PagePath& path) {
  unlock(path);
  path.clear();
}

void PagedCache::publish(PagePath& path, Tokens tokens) {
  const std::int64_t full_pages = static_cast<std::int64_t>(tokens.size()) / page_size_;
  const std::int32_t locked = path.matched > 0 ? path.page(path.matched - 1) : PrefixTree::none;
  std::int32_t last = locked;
  for (std::int64_t i = path.matched; i < full_pages; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const std::int32_t page = place(last, path.page(i), path.histories[index], page_of(tokens, i));
    if (page == PrefixTree::none) break;
    path.pages[index] = last = page;
    path.matched = i + 1;
    if (window_ > 0 && i >= path.swa_begin) tree_.lock_swa(page);
  }
  tree_.lock(last);
  tree_.unlock(locked);
}

/// Puts a request's page into the tree. Returns the tree's page with these tokens: this one, or the
/// one that was there before. Returns `none`, and leaves the page to the request, if the page is in
/// the tree as something else, which only a page freed early can be.
std::int32_t PagedCache::place(std::int32_t parent, std::int32_t page, std::uint64_t history,
                               Tokens tokens) {
  const std::int32_t cached = tree_.find_child(parent, history, tokens);
  if (cached != PrefixTree::none) {
    drop_copy(page, cached);
    return cached;
  }
  if (tree_.contains(page)) return PrefixTree::none;
  tree_.insert_child(parent, page, history, tokens);
  if (window_ > 0 && swa_.is_mapped(page)) tree_.attach_swa(page);
  return page;
}

/// Frees a page that the tree has already, as `page`. If the tree's page is a tombstone, it gets
/// the copy's SWA page.
void PagedCache::drop_copy(std::int32_t copy, std::int32_t page) {
  if (window_ > 0 && swa_.is_mapped(copy) && !swa_.is_mapped(page)) {
    swa_.move(copy, page);
    tree_.attach_swa(page);
  }
  release(copy);
}

bool PagedCache::slide_window(PagePath& path, std::int64_t length) {
  if (window_ == 0) return false;
  const std::int64_t old_begin = path.swa_begin;
  path.swa_begin = std::max(old_begin, (length - window_) / page_size_);
  for (std::int64_t i = old_begin; i < path.swa_begin; ++i) {
    if (i < path.matched) {
      tree_.unlock_swa(path.page(i));
    } else {
      swa_.unmap(path.page(i));
    }
  }
  return path.swa_begin > old_begin;
}

void PagedCache::retire(PagePath& path, Tokens tokens) {
  publish(path, tokens);
  unlock(path);
  for (std::int64_t i = path.matched; i < path.size(); ++i) release(path.page(i));
  path.clear();
}

}  // namespace kvcanary::sim
