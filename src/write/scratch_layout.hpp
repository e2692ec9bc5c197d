#pragma once

#include <cstddef>
#include <cstdint>

#include "src/last_team.hpp"
#include "src/write/scan_board.hpp"

/// \file
/// What is where in a WriteScratch.
namespace kvcanary::detail {

/// The teams of a step that count themselves, and behind them those of a scan.
struct ScratchLayout {
  static constexpr std::int64_t bytes(std::int64_t scan_teams) {
    return LastTeam::bytes + ScanBoard::bytes(scan_teams);
  }
  static LastTeam last_team(std::byte* scratch) { return LastTeam(scratch); }
  static std::byte* board(std::byte* scratch) { return scratch + LastTeam::bytes; }
};

}  // namespace kvcanary::detail
