#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/lru_list.hpp"

namespace kvcanary::sim {

/// Prefix tree over cached pages. A node is one full page of tokens and goes by the index of the
/// page it holds, so the tree needs no memory beyond what it allocates up front for all pages of a
/// pool. Children are found through a hash table keyed by the history at the end of their page.
///
/// Locks. Running requests lock the path that they share; a locked node has a locked parent.
/// Unlocked nodes are evictable, leaves first. They form one LRU list in which every node comes
/// after its children: a path is always unlocked from its deepest node upwards, so the front of the
/// list is the least recently used leaf.
///
/// Sliding windows. A node may also hold a page of the SWA pool ("attached"). Those have locks and
/// an LRU list of their own: a node, leaf or not, can lose its SWA page and stay ("tombstone").
///
/// Arguments named `page` or `parent` must be in the tree unless the contract says otherwise.
class PrefixTree {
 public:
  /// The parent of the first page of every prompt, and what lookups return for "none".
  static constexpr std::int32_t none = -1;

  /// For pages [0, num_pages) of `page_size` tokens each.
  PrefixTree(std::int64_t num_pages, std::int64_t page_size);

  std::int64_t page_size() const { return page_size_; }
  /// Nodes in the tree.
  std::int64_t size() const { return size_; }
  bool contains(std::int32_t page) const { return node(page).depth != absent; }
  std::int32_t parent(std::int32_t page) const { return node(page).parent; }
  /// Number of ancestors: the first position of the page is depth * page_size.
  std::int64_t depth(std::int32_t page) const { return node(page).depth; }
  /// History at the end of the page.
  std::uint64_t history(std::int32_t page) const { return node(page).history; }
  std::span<const std::int32_t> tokens(std::int32_t page) const;

  /// The child of `parent` (`none`: of the root) with these tokens, [page_size], and this history
  /// at its end; `none` if there is none.
  std::int32_t find_child(std::int32_t parent, std::uint64_t history,
                          std::span<const std::int32_t> tokens) const;

  /// Adds a page that is not in the tree yet, as a child without SWA page. The caller locks the
  /// path to it (or to a page that it adds below) before it does anything else with the tree.
  void insert_child(std::int32_t parent, std::int32_t page, std::uint64_t history,
                    std::span<const std::int32_t> tokens);

  /// Locks the path from the root to `page` (`none`: nothing) once more.
  void lock(std::int32_t page);
  /// Undoes one `lock(page)`. What gets unlocked is the most recently used.
  void unlock(std::int32_t page);
  std::int64_t locks(std::int32_t page) const { return node(page).locks; }

  /// Pages that `evict` could remove one after the other.
  std::int64_t evictable() const { return lru_.size(); }
  /// Removes the least recently used unlocked leaf and returns its page; `none` if all are locked.
  std::int32_t evict();

  bool has_swa(std::int32_t page) const { return node(page).has_swa; }
  /// Notes that the node holds an SWA page, most recently used.
  void attach_swa(std::int32_t page);
  /// Keeps this node (alone) from losing its SWA page.
  void lock_swa(std::int32_t page);
  /// Undoes one `lock_swa(page)`.
  void unlock_swa(std::int32_t page);
  /// SWA pages that `evict_swa` could take one after the other.
  std::int64_t evictable_swa() const { return swa_lru_.size(); }
  /// Makes a tombstone of the node with the least recently used SWA page and returns its page;
  /// `none` if no node can lose one.
  std::int32_t evict_swa();

  /// Calls `visit(slot, position, predecessor, token)` for every token in the tree, pages in order
  /// of their index: slot and predecessor (-1 at position 0) are slots of the full pool.
  template <class Visit>
  void visit_slots(Visit&& visit) const {
    for (std::int32_t page = 0; page < static_cast<std::int32_t>(nodes_.size()); ++page) {
      if (contains(page)) visit_page(page, visit);
    }
  }

 private:
  static constexpr std::int32_t absent = -1;

  struct Node {
    std::uint64_t history = 0;
    std::int32_t parent = none;
    std::int32_t depth = absent;
    std::int32_t locks = 0;
    std::int32_t swa_locks = 0;
    std::int32_t next_in_bucket = none;
    bool has_swa = false;
  };

  Node& node(std::int32_t page) { return nodes_[static_cast<std::size_t>(page)]; }
  const Node& node(std::int32_t page) const { return nodes_[static_cast<std::size_t>(page)]; }
  std::span<std::int32_t> page_tokens(std::int32_t page);
  std::int32_t& bucket(std::uint64_t history);
  void unlink(std::int32_t page);
  void remove(std::int32_t page);

  template <class Visit>
  void visit_page(std::int32_t page, Visit&& visit) const {
    const std::int64_t slot = page * page_size_;
    const std::int64_t position = depth(page) * page_size_;
    const std::int64_t before = parent(page) == none ? -1 : (parent(page) + 1) * page_size_ - 1;
    const std::span<const std::int32_t> page_tokens = tokens(page);
    for (std::int64_t i = 0; i < page_size_; ++i) {
      visit(slot + i, position + i, i == 0 ? before : slot + i - 1,
            page_tokens[static_cast<std::size_t>(i)]);
    }
  }

  std::int64_t page_size_;
  std::int64_t size_ = 0;
  std::vector<Node> nodes_;            // [pages]
  std::vector<std::int32_t> tokens_;   // [pages][page_size]
  std::vector<std::int32_t> buckets_;  // hash table: first page of each chain; a power of two
  LruList lru_;                        // unlocked nodes
  LruList swa_lru_;                    // nodes with an SWA page that is not locked
};

}  // namespace kvcanary::sim
