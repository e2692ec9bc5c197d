#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// \file
/// The names under which buffers report and count.
namespace kvcanary {

/// Which check found it: head or tail canary of the pool, or a sweep; K or V; full or
/// sliding-window pool. SGLang's values. A caller who has more pools takes values from
/// num_launch_tags on, see custom_tag.
enum class LaunchTag : std::uint8_t {
  head_k_full,
  head_v_full,
  tail_k_full,
  tail_v_full,
  sweep_k_full,
  sweep_v_full,
  head_k_swa,
  head_v_swa,
  tail_k_swa,
  tail_v_swa,
  sweep_k_swa,
  sweep_v_swa,
};

inline constexpr int num_launch_tags = 12;  ///< those with a name
inline constexpr int max_launch_tags = 64;  ///< those and the caller's

/// The caller's tag number `index`, from 0 up to and without max_launch_tags - num_launch_tags.
constexpr LaunchTag custom_tag(int index) {
  return static_cast<LaunchTag>(num_launch_tags + index);
}

/// Names of the caller's tags, by the index of custom_tag.
using TagNames = std::span<const std::string_view>;

/// "HEAD_K_FULL" and so on, as SGLang's logs have it; the caller's name for a tag of his, or
/// "TAG_<value>" where `custom` has none.
std::string to_string(LaunchTag tag, TagNames custom = {});

}  // namespace kvcanary
