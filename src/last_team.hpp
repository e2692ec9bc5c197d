#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

/// \file
/// Which team of a launch is the last to have done something.
namespace kvcanary::detail {

/// Counts teams in device memory, which starts as zeros and is zeros again behind the launch.
class LastTeam {
 public:
  static constexpr std::int64_t bytes = 16;  ///< and as well aligned

  LastTeam() = default;
  explicit LastTeam(std::byte* memory) : count_(reinterpret_cast<std::uint32_t*>(memory)) {}

  /// Whether the caller's team is the last of `num_teams` to come here. It then sees what all of
  /// them have stored before. For all lanes of the team.
  /// \param scratch of the team
  template <class Member>
  KOKKOS_FUNCTION bool is_last(const Member& team, std::int32_t num_teams, bool& scratch) const {
    // Each lane sends off its own stores: a fence of one does not cover the others' everywhere.
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
    team.team_barrier();
    if (team.team_rank() == 0) {
      const auto last = static_cast<std::uint32_t>(num_teams - 1);
      scratch = Kokkos::atomic_fetch_add(count_, 1U) == last;
      if (scratch) *count_ = 0;
    }
    team.team_barrier();
    desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
    return scratch;
  }

 private:
  std::uint32_t* count_ = nullptr;
};

}  // namespace kvcanary::detail
