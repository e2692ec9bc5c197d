#include <array>
#include <cstddef>
#include <kvcanary/launch_tag.hpp>

namespace kvcanary {

std::string to_string(LaunchTag tag, TagNames custom) {
  constexpr std::array<const char*, num_launch_tags> names{
      "HEAD_K_FULL", "HEAD_V_FULL", "TAIL_K_FULL", "TAIL_V_FULL", "SWEEP_K_FULL", "SWEEP_V_FULL",
      "HEAD_K_SWA",  "HEAD_V_SWA",  "TAIL_K_SWA",  "TAIL_V_SWA",  "SWEEP_K_SWA",  "SWEEP_V_SWA"};
  const auto value = static_cast<std::size_t>(tag);
  if (value < names.size()) return names[value];
  const std::size_t index = value - names.size();
  if (index < custom.size() && !custom[index].empty()) return std::string(custom[index]);
  return "TAG_" + std::to_string(value);
}

}  // namespace kvcanary
