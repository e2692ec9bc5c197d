#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <kvcanary/step.hpp>

#include "src/last_team.hpp"
#include "src/step/added_check.hpp"
#include "src/team.hpp"
#include "src/verify_requests/verify_requests_on_device.hpp"
#include "src/write/write_by_lane.hpp"

/// \file
/// A step of requests that add few tokens, in one launch on a device: the first teams stamp, as
/// write_by_lane.hpp does, while all others verify the prefixes, as verify_requests_on_device.hpp
/// does. At the tail, the last team that has stamped verifies what all of them added.
namespace kvcanary::detail {

/// \tparam chains one chain, of all endpoints
/// \tparam kv_work none or few: at least what the endpoints ask for
template <class Member, ChainMix chains, KVWork kv_work, class Jobs, class Args, class Tuning>
class StepOnDevice {
  static_assert(kv_work <= KVWork::few);
  using Verify = VerifyRequestsOnDevice<Member, chains, kv_work, Jobs, Tuning>;
  using Write = WriteByLane<Member, chains, kv_work, Args, Tuning>;
  using Added = AddedCheck<chains, kv_work, Verify::team_size, Jobs>;

 public:
  static constexpr int team_size = Verify::team_size, teams_at_once = Verify::teams_at_once;
  static_assert(Write::team_size == team_size);

  /// \param jobs those of `args`, with prefixes to verify
  /// \param most_added tokens of a request, about
  /// \param verifying_teams about so many
  StepOnDevice(StepSide side, Jobs jobs, const Args& args, const LastTeam& last_team,
               std::int64_t most_added, std::int64_t verifying_teams)
      : verify_(prepared(jobs, verifying_teams), args.sink),
        write_(args),
        last_team_(last_team),
        num_writing_(static_cast<std::int32_t>(write_.league_size())),
        most_shift_(static_cast<std::int8_t>(std::bit_width(static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(most_added, 1, tuning::Shared::few_added) - 1)))),
        is_tail_(side == StepSide::tail) {}

  std::int64_t league_size() const { return num_writing_ + verify_.league_size(); }
  /// Teams that stamp, of those.
  static std::int64_t num_writing(const Args& args) { return Write(args).league_size(); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int index = team.league_rank() - num_writing_;
    if (index >= 0) {
      verify_.run(team, index, team.league_size() - num_writing_, is_tail_);
      return;
    }
    write_.run(team, team.league_rank());
    if (!is_tail_) return;
    auto& scratch = in_scratch<Scratch>(team);
    // As if it were the last one already: what that takes is on its way while the stamps are.
    const Added added(verify_.jobs(), verify_.sink(), most_shift_);
    const typename Added::Item first = added.first(team.team_rank());
    if (!last_team_.is_last(team, num_writing_, scratch.is_last)) return;
    added.check(team, first, scratch.any_long);
  }

 private:
  struct Scratch {
    int any_long;
    bool is_last;
  };

 public:
  static constexpr std::size_t scratch_bytes =
      std::max(Verify::scratch_bytes, Write::scratch_bytes + alignof(Scratch) + sizeof(Scratch));

 private:
  static const Jobs& prepared(Jobs& jobs, std::int64_t teams) {
    Verify::Split::prepare(jobs, std::max<std::int64_t>(1, teams) * Verify::Split::groups_per_team);
    return jobs;
  }

  Verify verify_;
  Write write_;
  LastTeam last_team_;
  std::int32_t num_writing_;
  std::int8_t most_shift_;
  bool is_tail_;
};

}  // namespace kvcanary::detail
