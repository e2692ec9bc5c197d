#include "sim/prefix_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "sim/rng.hpp"
#include "sim/tokens.hpp"

namespace kvcanary::sim {
namespace {

constexpr std::int32_t none = PrefixTree::none;
using Tokens = std::vector<std::int32_t>;

/// Adds one page and leaves it unlocked.
void add(PrefixTree& tree, std::int32_t parent, std::int32_t page, std::uint64_t history,
         const Tokens& tokens) {
  tree.insert_child(parent, page, history, tokens);
  tree.lock(page);
  tree.unlock(page);
}

TEST(PrefixTree, FindsChildrenByParentAndTokens) {
  PrefixTree tree(8, 2);
  add(tree, none, 3, 100, {1, 2});
  add(tree, 3, 5, 200, {3, 4});
  EXPECT_EQ(tree.find_child(none, 100, Tokens{1, 2}), 3);
  EXPECT_EQ(tree.find_child(3, 200, Tokens{3, 4}), 5);
  EXPECT_EQ(tree.find_child(none, 200, Tokens{3, 4}), none);
  EXPECT_EQ(tree.find_child(3, 201, Tokens{3, 4}), none);
  EXPECT_EQ(tree.depth(5), 1);
  EXPECT_EQ(tree.parent(5), 3);
  EXPECT_EQ(tree.history(5), 200u);
}

TEST(PrefixTree, CollidingHistoriesAreToldApart) {
  PrefixTree tree(8, 2);
  add(tree, none, 1, 100, {1, 2});
  add(tree, none, 2, 100, {3, 4});
  add(tree, 1, 3, 100, {3, 4});
  EXPECT_EQ(tree.find_child(none, 100, Tokens{1, 2}), 1);
  EXPECT_EQ(tree.find_child(none, 100, Tokens{3, 4}), 2);
  EXPECT_EQ(tree.find_child(1, 100, Tokens{3, 4}), 3);
  EXPECT_EQ(tree.find_child(2, 100, Tokens{3, 4}), none);
}

TEST(PrefixTree, EvictsTheLeastRecentlyUsedLeafFirst) {
  PrefixTree tree(8, 1);
  add(tree, none, 1, 11, {1});
  add(tree, 1, 2, 12, {2});
  add(tree, 1, 3, 13, {3});
  tree.lock(2);  // used again
  tree.unlock(2);
  EXPECT_EQ(tree.evictable(), 3);
  EXPECT_EQ(tree.evict(), 3);
  EXPECT_EQ(tree.evict(), 2);
  EXPECT_EQ(tree.evict(), 1);
  EXPECT_EQ(tree.evict(), none);
  EXPECT_EQ(tree.size(), 0);
}

TEST(PrefixTree, LocksKeepThePathOnly) {
  PrefixTree tree(8, 1);
  add(tree, none, 1, 11, {1});
  add(tree, 1, 2, 12, {2});
  add(tree, 2, 3, 13, {3});
  tree.lock(2);
  EXPECT_EQ(tree.locks(1), 1);
  EXPECT_EQ(tree.evictable(), 1);
  EXPECT_EQ(tree.evict(), 3);
  EXPECT_EQ(tree.evict(), none);
}

TEST(PrefixTree, TombstonesStayInTheTree) {
  PrefixTree tree(8, 1);
  add(tree, none, 1, 11, {1});
  add(tree, 1, 2, 12, {2});
  tree.attach_swa(1);
  tree.attach_swa(2);
  tree.lock_swa(1);
  EXPECT_EQ(tree.evict_swa(), 2);
  EXPECT_EQ(tree.evict_swa(), none);
  EXPECT_FALSE(tree.has_swa(2));
  EXPECT_TRUE(tree.contains(2));
  tree.unlock_swa(1);
  EXPECT_EQ(tree.evict_swa(), 1);
}

TEST(PrefixTree, VisitsSlotsWithTheirPredecessors) {
  PrefixTree tree(8, 2);
  add(tree, none, 6, 11, {10, 20});
  add(tree, 6, 3, 12, {30, 40});
  using Slot = std::array<std::int64_t, 4>;
  std::vector<Slot> visited;
  tree.visit_slots([&](std::int64_t slot, std::int64_t position, std::int64_t before,
                       std::int32_t token) { visited.push_back({slot, position, before, token}); });
  EXPECT_EQ(visited,
            (std::vector<Slot>{{6, 2, 13, 30}, {7, 3, 6, 40}, {12, 0, -1, 10}, {13, 1, 12, 20}}));
}

/// The tree's contract without any of its data structures.
class NaiveTree {
 public:
  struct Node {
    std::int32_t parent;
    std::uint64_t history;
    Tokens tokens;
    int locks = 0;
    int swa_locks = 0;
    bool has_swa = false;
    long used = 0;      // when it was unlocked last
    long swa_used = 0;  // when its SWA page was attached or unlocked last
  };

  std::map<std::int32_t, Node> nodes;

  void insert(std::int32_t parent, std::int32_t page, std::uint64_t history, const Tokens& tokens) {
    nodes[page] = {parent, history, tokens};
    lock(page);
    unlock(page);
  }
  void lock(std::int32_t page) {
    for (; page != none; page = nodes.at(page).parent) ++nodes.at(page).locks;
  }
  void unlock(std::int32_t page) {
    for (; page != none; page = nodes.at(page).parent) {
      if (--nodes.at(page).locks == 0) nodes.at(page).used = ++clock_;
    }
  }
  void attach_swa(std::int32_t page) {
    nodes.at(page).has_swa = true;
    nodes.at(page).swa_used = ++clock_;
  }
  void unlock_swa(std::int32_t page) {
    if (--nodes.at(page).swa_locks == 0) nodes.at(page).swa_used = ++clock_;
  }
  std::int32_t find_child(std::int32_t parent, const Tokens& tokens) const {
    for (const auto& [page, node] : nodes) {
      if (node.parent == parent && node.tokens == tokens) return page;
    }
    return none;
  }
  std::int64_t evictable() const {
    std::int64_t count = 0;
    for (const auto& [page, node] : nodes) count += node.locks == 0;
    return count;
  }
  std::int32_t evict() {
    const std::int32_t page = oldest(&Node::used, [this](std::int32_t p, const Node& node) {
      return node.locks == 0 && is_leaf(p);
    });
    nodes.erase(page);
    return page;
  }
  std::int32_t evict_swa() {
    const std::int32_t page = oldest(&Node::swa_used, [](std::int32_t, const Node& node) {
      return node.has_swa && node.swa_locks == 0;
    });
    if (page != none) nodes.at(page).has_swa = false;
    return page;
  }

 private:
  bool is_leaf(std::int32_t page) const {
    for (const auto& [other, node] : nodes) {
      if (node.parent == page) return false;
    }
    return true;
  }
  template <class Predicate>
  std::int32_t oldest(long Node::* age, Predicate predicate) const {
    std::int32_t best = none;
    for (const auto& [page, node] : nodes) {
      if (predicate(page, node) && (best == none || node.*age < nodes.at(best).*age)) best = page;
    }
    return best;
  }

  long clock_ = 0;
};

/// Random operations on a small tree with few distinct tokens, so that paths are shared much.
class TreeFuzz {
 public:
  explicit TreeFuzz(std::uint64_t seed) : rng_(seed), tree_(pages, 2) {}

  void step() {
    switch (rng_.below(6)) {
      case 0:
      case 1:
        return insert_path();
      case 2:
        return lock();
      case 3:
        return unlock();
      case 4:
        return evict();
      case 5:
        return evict_swa();
    }
  }

  void compare() const {
    ASSERT_EQ(tree_.size(), std::ssize(model_.nodes));
    ASSERT_EQ(tree_.evictable(), model_.evictable());
    for (const auto& [page, node] : model_.nodes) {
      ASSERT_TRUE(tree_.contains(page));
      ASSERT_EQ(tree_.parent(page), node.parent);
      ASSERT_EQ(tree_.locks(page), node.locks);
      ASSERT_EQ(tree_.has_swa(page), node.has_swa);
      ASSERT_EQ(tree_.find_child(node.parent, node.history, node.tokens), page);
    }
  }

 private:
  static constexpr std::int64_t pages = 24;

  void insert_path() {
    std::int32_t parent = none;
    std::uint64_t history = empty_history;
    const std::int64_t depth = rng_.between(1, 4);
    for (std::int64_t i = 0; i < depth; ++i) {
      const Tokens tokens = {static_cast<std::int32_t>(rng_.below(2)), 7};
      history = next_history(history, tokens[0], i);
      const std::int32_t found = tree_.find_child(parent, history, tokens);
      ASSERT_EQ(found, model_.find_child(parent, tokens));
      parent = found != none ? found : insert(parent, history, tokens);
      if (parent == none) return;
    }
  }

  std::int32_t insert(std::int32_t parent, std::uint64_t history, const Tokens& tokens) {
    const std::int32_t page = unused_page();
    if (page == none) return none;
    add(tree_, parent, page, history, tokens);
    model_.insert(parent, page, history, tokens);
    if (rng_.below(2) == 0) {
      tree_.attach_swa(page);
      model_.attach_swa(page);
    }
    return page;
  }

  std::int32_t unused_page() const {
    for (std::int32_t page = 0; page < pages; ++page) {
      if (!tree_.contains(page)) return page;
    }
    return none;
  }

  void lock() {
    if (model_.nodes.empty()) return;
    auto node = model_.nodes.begin();
    std::advance(node, rng_.below(std::ssize(model_.nodes)));
    const std::int32_t page = node->first;
    tree_.lock(page);
    model_.lock(page);
    tree_.lock_swa(page);
    ++node->second.swa_locks;
    locked_.push_back(page);
  }

  void unlock() {
    if (locked_.empty()) return;
    const auto index = static_cast<std::size_t>(rng_.below(std::ssize(locked_)));
    const std::int32_t page = locked_[index];
    locked_.erase(locked_.begin() + std::ptrdiff_t(index));
    tree_.unlock_swa(page);
    model_.unlock_swa(page);
    tree_.unlock(page);
    model_.unlock(page);
  }

  void evict() { ASSERT_EQ(tree_.evict(), model_.evict()); }
  void evict_swa() { ASSERT_EQ(tree_.evict_swa(), model_.evict_swa()); }

  Rng rng_;
  PrefixTree tree_;
  NaiveTree model_;
  std::vector<std::int32_t> locked_;
};

TEST(PrefixTree, AgreesWithTheNaiveModel) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    TreeFuzz fuzz(seed);
    for (int i = 0; i < 400; ++i) {
      fuzz.step();
      fuzz.compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace kvcanary::sim
