#include "sim/paged_cache.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sim/tokens.hpp"

namespace kvcanary::sim {
namespace {

using Tokens = std::vector<std::int32_t>;

Tokens iota(std::int64_t count, std::int32_t first = 100) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// What an engine does for a request: matches, and adds pages for the rest of `tokens`.
PagePath run(PagedCache& cache, const Tokens& tokens, std::int64_t page_size) {
  PagePath path;
  cache.match(std::span(tokens).first(tokens.size() - 1), path);
  const std::int64_t pages = pages_for(std::ssize(tokens), page_size);
  EXPECT_EQ(cache.reserve(pages - path.size()), pages - path.size());
  while (path.size() < pages) path.pages.push_back(cache.allocate());
  std::uint64_t history = empty_history;
  path.histories.clear();
  for (std::int64_t i = 0; i < std::ssize(tokens); ++i) {
    history = next_history(history, tokens[static_cast<std::size_t>(i)], i);
    if ((i + 1) % page_size == 0) path.histories.push_back(history);
  }
  return path;
}

TEST(PagedCache, RetiredPagesAreMatched) {
  PagedCache cache(16, 0, 4, 0);
  const Tokens tokens = iota(10);
  PagePath first = run(cache, tokens, 4);
  const std::vector<std::int32_t> pages = first.pages;
  EXPECT_EQ(first.matched, 0);
  cache.retire(first, tokens);
  EXPECT_EQ(cache.tree().size(), 2);
  EXPECT_EQ(cache.pool().used_pages(), 2);  // the third was not full

  PagePath second;
  cache.match(tokens, second);
  EXPECT_EQ(second.pages, (std::vector<std::int32_t>{pages[0], pages[1]}));
  EXPECT_EQ(second.matched, 2);
  EXPECT_EQ(cache.tree().evictable(), 0);
  cache.unmatch(second);
  EXPECT_EQ(cache.tree().evictable(), 2);
}

TEST(PagedCache, MatchesWholePagesOnly) {
  PagedCache cache(16, 0, 4, 0);
  const Tokens tokens = iota(8);
  PagePath path = run(cache, tokens, 4);
  cache.retire(path, tokens);
  cache.match(std::span(tokens).first(7), path);
  EXPECT_EQ(path.matched, 1);
  cache.unmatch(path);
  Tokens other = tokens;
  other[1] = 7;
  cache.match(other, path);
  EXPECT_EQ(path.matched, 0);
}

TEST(PagedCache, CopiesOfTreePagesAreFreed) {
  PagedCache cache(16, 0, 4, 0);
  const Tokens tokens = iota(9);
  PagePath first = run(cache, tokens, 4);
  PagePath second = run(cache, tokens, 4);
  EXPECT_EQ(cache.pool().used_pages(), 6);
  cache.publish(first, tokens);
  cache.publish(second, tokens);
  EXPECT_EQ(cache.tree().size(), 2);
  EXPECT_EQ(cache.pool().used_pages(), 4);  // two shared, two not full
  EXPECT_EQ(second.page(0), first.page(0));
  EXPECT_EQ(second.page(1), first.page(1));
  EXPECT_NE(second.page(2), first.page(2));
  EXPECT_EQ(cache.tree().locks(first.page(1)), 2);
  cache.retire(first, tokens);
  EXPECT_EQ(cache.tree().evictable(), 0);
  cache.retire(second, tokens);
  EXPECT_EQ(cache.tree().evictable(), 2);
  EXPECT_EQ(cache.pool().used_pages(), 2);
}

TEST(PagedCache, ReserveEvictsWhatIsNotLocked) {
  PagedCache cache(6, 0, 4, 0);  // 5 pages
  const Tokens a = iota(8, 100);
  const Tokens b = iota(8, 200);
  PagePath path = run(cache, a, 4);
  cache.retire(path, a);
  path = run(cache, b, 4);
  cache.retire(path, b);
  EXPECT_EQ(cache.available_pages(), 5);
  PagePath locked;
  cache.match(b, locked);
  EXPECT_EQ(cache.available_pages(), 3);
  EXPECT_EQ(cache.reserve(2), 2);
  EXPECT_EQ(cache.evicted_pages(), 1);
  EXPECT_EQ(cache.reserve(4), 3);
  EXPECT_EQ(cache.evicted_pages(), 2);
  EXPECT_TRUE(cache.tree().contains(locked.page(1)));
}

TEST(PagedCache, MatchEndsWhereTheWindowIsWhole) {
  // Window 6 overlaps two pages of 4.
  PagedCache cache(32, 32, 4, 6);
  const Tokens tokens = iota(20);
  PagePath path = run(cache, tokens, 4);
  const std::vector<std::int32_t> pages = path.pages;
  cache.slide_window(path, 10);  // keeps positions 4 and later
  EXPECT_FALSE(cache.swa().is_mapped(pages[0]));
  EXPECT_TRUE(cache.swa().is_mapped(pages[1]));
  cache.retire(path, tokens);
  EXPECT_FALSE(cache.tree().has_swa(pages[0]));

  // Pages 0 to 4, page 0 a tombstone: a match of two pages would read positions 2 to 7.
  cache.match(std::span(tokens).first(8), path);
  EXPECT_EQ(path.matched, 0);
  cache.match(std::span(tokens).first(12), path);
  EXPECT_EQ(path.matched, 3);
  EXPECT_EQ(path.swa_begin, 1);
  EXPECT_EQ(cache.tree().evictable_swa(), 2);  // pages 3 and 4; 1 and 2 are locked
  cache.unmatch(path);
  EXPECT_EQ(cache.tree().evictable_swa(), 4);
}

TEST(PagedCache, SlidingWindowLeavesSharedPagesToTheTree) {
  PagedCache cache(32, 32, 4, 4);
  const Tokens tokens = iota(12);
  PagePath path = run(cache, tokens, 4);
  cache.publish(path, std::span(tokens).first(8));
  EXPECT_EQ(cache.tree().evictable_swa(), 0);
  EXPECT_FALSE(cache.slide_window(path, 7));
  EXPECT_TRUE(cache.slide_window(path, 8));
  EXPECT_TRUE(cache.swa().is_mapped(path.page(0)));
  EXPECT_EQ(cache.tree().evictable_swa(), 1);
  EXPECT_TRUE(cache.slide_window(path, 16));
  EXPECT_EQ(cache.tree().evictable_swa(), 2);
  EXPECT_FALSE(cache.swa().is_mapped(path.page(2)));  // its own
}

TEST(PagedCache, SwaPressureMakesTombstones) {
  PagedCache cache(32, 5, 4, 4);  // 4 SWA pages
  const Tokens tokens = iota(16);
  PagePath path = run(cache, tokens, 4);
  const std::vector<std::int32_t> pages = path.pages;
  cache.retire(path, tokens);
  EXPECT_EQ(cache.available_swa_pages(), 4);
  EXPECT_EQ(cache.reserve(1), 1);
  EXPECT_EQ(cache.evicted_swa_pages(), 1);
  EXPECT_EQ(cache.evicted_pages(), 0);
  EXPECT_TRUE(cache.tree().contains(pages[0]));
  EXPECT_EQ(cache.full_to_swa()[static_cast<std::size_t>(pages[0] * 4)], -1);
}

TEST(PagedCache, TombstoneTakesTheSwaPageOfACopy) {
  PagedCache cache(32, 32, 4, 4);
  const Tokens tokens = iota(8);
  PagePath path = run(cache, tokens, 4);
  cache.slide_window(path, 8);
  const std::vector<std::int32_t> pages = path.pages;
  cache.retire(path, tokens);
  EXPECT_FALSE(cache.tree().has_swa(pages[0]));
  const std::int64_t used = cache.swa().pool().used_pages();

  PagePath copy = run(cache, iota(6), 4);  // page 0 cannot be matched
  EXPECT_EQ(copy.matched, 0);
  const std::int64_t swa_slot = cache.full_to_swa()[static_cast<std::size_t>(copy.page(0) * 4)];
  cache.retire(copy, iota(6));
  EXPECT_TRUE(cache.tree().has_swa(pages[0]));
  EXPECT_EQ(cache.full_to_swa()[static_cast<std::size_t>(pages[0] * 4)], swa_slot);
  EXPECT_EQ(cache.swa().pool().used_pages(), used + 1);
}

TEST(SwaMap, PaddingStaysPadding) {
  const SwaMap swa(4, 4, 2);
  EXPECT_EQ(swa.translate(0), 0);
  EXPECT_EQ(swa.translate(1), 1);
  EXPECT_EQ(swa.translate(2), -1);
}

}  // namespace
}  // namespace kvcanary::sim
