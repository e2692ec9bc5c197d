#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kvcanary/verify_plan.hpp>

#include "src/team.hpp"

/// \file
/// Entries of a VerifyPlan between memory and the lanes of a warp.
namespace kvcanary::detail {

/// An entry is five words. Lanes that loaded or stored one each would touch a line of memory each,
/// five times; so a warp moves the words of neighbouring entries in the order of memory, a lane a
/// word, and exchanges them here. In team scratch, one for each warp.
template <int warp_width>
class EntryTile {
  static constexpr int words_of_entry = sizeof(VerifyEntry) / sizeof(std::int64_t);
  static_assert(words_of_entry * sizeof(std::int64_t) == sizeof(VerifyEntry));

 public:
  /// Every warp_width-th word of a tile's entries, which a lane moves.
  struct Words {
    std::int64_t items[words_of_entry];
  };

  /// The words of entries [first, first + warp_width) that are in [0, num_entries).
  template <class Member>
  KOKKOS_FUNCTION static Words load(const Member& team, const VerifyEntry* entries,
                                    std::int64_t first, std::int64_t num_entries) {
    const auto* const words = reinterpret_cast<const std::int64_t*>(entries);
    const std::int64_t begin = first * words_of_entry + Warp::lane_in_warp(team);
    Words loaded{};
    for (int i = 0; i < words_of_entry; ++i) {
      const std::int64_t at = begin + i * warp_width;
      if (at >= 0 && at < num_entries * words_of_entry) loaded.items[i] = words[at];
    }
    return loaded;
  }

  /// Stores the first `count` entries of a tile to `to`.
  template <class Member>
  KOKKOS_FUNCTION static void store(const Member& team, const Words& words, VerifyEntry* to,
                                    int count) {
    auto* const to_words = reinterpret_cast<std::int64_t*>(to);
    for (int i = 0; i < words_of_entry; ++i) {
      const int at = i * warp_width + Warp::lane_in_warp(team);
      if (at < count * words_of_entry) to_words[at] = words.items[i];
    }
  }

  /// From a lane's words to its entry. For all lanes of the warp, as all that follow.
  template <class Member>
  KOKKOS_FUNCTION VerifyEntry to_entry(const Member& team, const Words& words) {
    const int lane = Warp::lane_in_warp(team);
    Warp::barrier(team);  // all have taken what was here before
    for (int i = 0; i < words_of_entry; ++i) words_[i * warp_width + lane] = words.items[i];
    Warp::barrier(team);
    const std::int64_t* const own = words_ + lane * words_of_entry;
    return {own[0], own[1], own[2], own[3], own[4]};
  }

  /// From a lane's entry to its words.
  template <class Member>
  KOKKOS_FUNCTION Words to_words(const Member& team, const VerifyEntry& entry) {
    const int lane = Warp::lane_in_warp(team);
    Warp::barrier(team);
    std::int64_t* const own = words_ + lane * words_of_entry;
    own[0] = entry.slot;
    own[1] = entry.position;
    own[2] = entry.predecessor;
    own[3] = entry.expected_token;
    own[4] = entry.request_row;
    Warp::barrier(team);
    Words words;
    for (int i = 0; i < words_of_entry; ++i) words.items[i] = words_[i * warp_width + lane];
    return words;
  }

 private:
  using Warp = detail::Warp<warp_width>;

  std::int64_t words_[warp_width * words_of_entry];
};

}  // namespace kvcanary::detail
