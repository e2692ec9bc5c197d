#include "sim/page_pool.hpp"

#include <gtest/gtest.h>

#include <list>

#include "sim/lru_list.hpp"
#include "sim/rng.hpp"

namespace kvcanary::sim {
namespace {

TEST(PagePool, HandsOutEveryPageButThePaddingPage) {
  PagePool pool(4);
  EXPECT_EQ(pool.free_pages(), 3);
  EXPECT_EQ(pool.allocate(), 1);
  EXPECT_EQ(pool.allocate(), 2);
  EXPECT_EQ(pool.allocate(), 3);
  EXPECT_EQ(pool.used_pages(), 3);
  EXPECT_THROW(pool.allocate(), std::logic_error);
}

TEST(PagePool, ReusesThePageFreedLast) {
  PagePool pool(5);
  for (int i = 0; i < 4; ++i) pool.allocate();
  pool.release(3);
  pool.release(1);
  EXPECT_EQ(pool.owners(1), 0);
  EXPECT_EQ(pool.allocate(), 1);
  EXPECT_EQ(pool.owners(1), 1);
  EXPECT_EQ(pool.allocate(), 3);
}

TEST(PagePool, RefusesToFreeAFreePage) {
  PagePool pool(3);
  EXPECT_THROW(pool.release(2), std::logic_error);
  EXPECT_THROW(pool.free_early(2), std::logic_error);
  EXPECT_THROW(pool.release(0), std::logic_error);
}

TEST(PagePool, PageFreedEarlyGetsASecondOwner) {
  PagePool pool(3);
  const std::int32_t page = pool.allocate();
  pool.free_early(page);
  pool.free_early(page);  // listed once
  EXPECT_EQ(pool.free_pages(), 2);
  EXPECT_EQ(pool.allocate(), page);
  EXPECT_EQ(pool.owners(page), 2);
  pool.release(page);
  EXPECT_EQ(pool.free_pages(), 1);
  EXPECT_FALSE(pool.is_listed(page));
  pool.release(page);
  EXPECT_EQ(pool.free_pages(), 2);
  EXPECT_TRUE(pool.is_listed(page));
}

TEST(PagePool, PageFreedEarlyIsListedOnceWhenItsOwnerFreesIt) {
  PagePool pool(3);
  const std::int32_t page = pool.allocate();
  pool.free_early(page);
  pool.release(page);
  EXPECT_EQ(pool.free_pages(), 2);
  EXPECT_EQ(pool.allocate(), page);
  EXPECT_NE(pool.allocate(), page);
}

TEST(LruList, AgreesWithAStdList) {
  constexpr std::int64_t pages = 12;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    LruList lru(pages);
    std::list<std::int32_t> model;
    for (int i = 0; i < 500; ++i) {
      const auto page = static_cast<std::int32_t>(rng.below(pages));
      model.remove(page);
      if (rng.below(2) == 0) {
        lru.touch(page);
        model.push_back(page);
      } else {
        lru.remove(page);
      }
      ASSERT_EQ(lru.size(), std::ssize(model));
      ASSERT_EQ(lru.empty(), model.empty());
      if (!model.empty()) {
        ASSERT_EQ(lru.front(), model.front());
      }
      ASSERT_EQ(lru.contains(page), !model.empty() && model.back() == page);
    }
  }
}

}  // namespace
}  // namespace kvcanary::sim
