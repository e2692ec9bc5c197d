#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kvcanary/endpoint.hpp>

#include "src/write/scan_tail.hpp"

/// \file
/// Where the teams of a scan tell each other what is behind them, in device memory.
namespace kvcanary::detail {

/// What a team has published.
struct alignas(16) ScanPost {
  ScanTail tail;
  ChainState starts[max_endpoints];  ///< of the request in the tail, by endpoint of its job
  std::uint64_t stamp;               ///< of the launch, see ScanBoard
};

/// A team takes a *ticket* first, which is its place in the order of the work. So it only ever
/// waits for teams that run already, whatever the order in which a device starts them.
///
/// Nothing is cleared between launches: a post counts when it bears the stamp of the launch, and
/// the last team to finish changes the stamp. The memory starts as zeros.
class ScanBoard {
 public:
  static constexpr std::int64_t bytes(std::int64_t num_teams) {
    return sizeof(Header) + num_teams * std::int64_t{sizeof(ScanPost)};
  }

  ScanBoard() = default;
  /// \param memory `bytes(num_teams)` of it
  ScanBoard(std::byte* memory, std::int32_t num_teams)
      : header_(reinterpret_cast<Header*>(memory)), num_teams_(num_teams) {}

  KOKKOS_FUNCTION std::int32_t num_teams() const { return num_teams_; }

  /// For one lane of each team.
  KOKKOS_FUNCTION std::int32_t take_ticket() const {
    return static_cast<std::int32_t>(Kokkos::atomic_fetch_add(&header_->tickets, 1U));
  }
  /// For one lane of each team, when the team has nothing more to read.
  KOKKOS_FUNCTION void finish() const {
    const auto last = static_cast<std::uint32_t>(num_teams_ - 1);
    if (Kokkos::atomic_fetch_add(&header_->finished, 1U) != last) return;
    header_->tickets = 0;
    header_->finished = 0;
    ++header_->launches;
  }
  /// The stamp of the launch that runs. Never 0.
  KOKKOS_FUNCTION std::uint64_t stamp() const { return header_->launches + 1; }

  /// Where the starts of the request in a team's tail are kept, by endpoint of its job.
  KOKKOS_FUNCTION ChainState* starts(std::int32_t ticket) const { return posts()[ticket].starts; }

  /// Publishes a team's tail, and the starts that lanes of the same warp have stored.
  /// \param mine whether this lane publishes; all lanes of the warp call it
  template <class Warp, class Member>
  KOKKOS_FUNCTION void publish(const Member& team, bool mine, std::int32_t ticket,
                               const ScanTail& tail, std::uint64_t stamp) const {
    if (mine) posts()[ticket].tail = tail;
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
    Warp::barrier(team);  // what any lane has stored is visible by now
    if (mine) publish_nothing(ticket, stamp);
  }

  /// Ends the waiting for a team whose tail, which is then an old one, says nothing.
  KOKKOS_FUNCTION void publish_nothing(std::int32_t ticket, std::uint64_t stamp) const {
    *static_cast<volatile std::uint64_t*>(&posts()[ticket].stamp) = stamp;
  }

  /// Waits until teams [begin, end) have published theirs.
  KOKKOS_FUNCTION void wait_for(std::int64_t begin, std::int64_t end, std::uint64_t stamp) const {
    for (bool all = false; !all;) {
      all = true;
      for (std::int64_t t = begin; t < end; ++t) {
        // All are on their way together. An atomic_load would be a loop of its own.
        all &= *static_cast<const volatile std::uint64_t*>(&posts()[t].stamp) == stamp;
      }
    }
    desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
  }

  /// The tail of a team that was waited for.
  KOKKOS_FUNCTION const ScanTail& tail(std::int64_t ticket) const { return posts()[ticket].tail; }

 private:
  struct alignas(16) Header {
    std::uint32_t tickets, finished;
    std::uint64_t launches;
  };

  KOKKOS_FUNCTION ScanPost* posts() const { return reinterpret_cast<ScanPost*>(header_ + 1); }

  Header* header_ = nullptr;
  std::int32_t num_teams_ = 0;
};

}  // namespace kvcanary::detail
