#include "tests/support/emulated_team.hpp"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/rng.hpp"
#include "tests/support/sanitizer.hpp"

#ifdef TESTS_ARE_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation {
namespace {

// ---- the address sanitizer ---------------------------------------------------------------------

struct Stack {
  const void* bottom = nullptr;  ///< the lowest address
  std::size_t size = 0;
};

/// Before a switch to `stack`. The sanitizer keeps some of this stack's frames elsewhere, and gives
/// a handle of them, for arrive() to take when this stack goes on.
void* leave_for([[maybe_unused]] const Stack& stack) {
  void* frames = nullptr;
#ifdef TESTS_ARE_SANITIZED
  __sanitizer_start_switch_fiber(&frames, stack.bottom, stack.size);
#endif
  return frames;
}

/// After a switch: where from.
Stack arrive([[maybe_unused]] void* frames) {
  Stack from;
#ifdef TESTS_ARE_SANITIZED
  __sanitizer_finish_switch_fiber(frames, &from.bottom, &from.size);
#endif
  return from;
}

// ---- fibers ------------------------------------------------------------------------------------

/// Boost's stacks with a page below that faults.
class GuardedStacks {
 public:
  explicit GuardedStacks(Stack& bounds) : bounds_(bounds) {}

  boost::context::stack_context allocate() {
    const boost::context::stack_context context = stacks_.allocate();
    bounds_ = {static_cast<std::byte*>(context.sp) - context.size, context.size};
    return context;
  }

  /// The last frames of a fiber never end: what the sanitizer forbids in them would outlast them.
  void deallocate(boost::context::stack_context& context) noexcept {
    sanitizer::unpoison(bounds_.bottom, bounds_.size);
    stacks_.deallocate(context);
  }

 private:
  static constexpr std::size_t stack_bytes = 256 << 10;  // touched only as far as used

  Stack& bounds_;
  boost::context::protected_fixedsize_stack stacks_{stack_bytes};
};

/// A stack that runs one function after the other.
class Fiber {
 public:
  Fiber()
      : own_(std::allocator_arg, GuardedStacks(stack_),
             [this](boost::context::fiber&& resumer) { return serve(std::move(resumer)); }) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The fiber waits for a function.
  ~Fiber() {
    ends_ = true;
    resume();
  }

  /// What the next resume() starts. It doesn't throw.
  void assign(std::function<void()> function) { function_ = std::move(function); }

  /// Goes on until the function suspends itself or returns.
  void resume() {
    void* const frames = leave_for(stack_);
    own_ = std::move(own_).resume();
    arrive(frames);
  }

  /// For the function that this runs.
  void suspend() {
    void* const frames = leave_for(resumer_stack_);
    resumer_ = std::move(resumer_).resume();
    resumer_stack_ = arrive(frames);
  }

 private:
  boost::context::fiber serve(boost::context::fiber&& resumer) {
    resumer_ = std::move(resumer);
    resumer_stack_ = arrive(nullptr);
    while (!ends_) {
      function_();
      suspend();
    }
    // The sanitizer could free the frames that it has elsewhere, but Boost still uses some.
    leave_for(resumer_stack_);
    return std::move(resumer_);
  }

  Stack stack_, resumer_stack_;
  bool ends_ = false;
  std::function<void()> function_;
  boost::context::fiber resumer_, own_;
};

/// Fibers from a store that keeps them for the next team: new ones cost several system calls each.
class LentFibers {
 public:
  explicit LentFibers(std::size_t count) {
    while (fibers_.size() < count) {
      if (store().empty()) store().push_back(std::make_unique<Fiber>());
      fibers_.push_back(std::move(store().back()));
      store().pop_back();
    }
  }
  LentFibers(const LentFibers&) = delete;
  LentFibers& operator=(const LentFibers&) = delete;
  ~LentFibers() {
    for (std::unique_ptr<Fiber>& fiber : fibers_) store().push_back(std::move(fiber));
  }

  Fiber& operator[](std::size_t i) { return *fibers_[i]; }

 private:
  static std::vector<std::unique_ptr<Fiber>>& store() {
    thread_local std::vector<std::unique_ptr<Fiber>> store;
    return store;
  }

  std::vector<std::unique_ptr<Fiber>> fibers_;
};

// ---- scratch -----------------------------------------------------------------------------------

/// Team scratch between guards. The address sanitizer permits only the pieces that were asked for;
/// without it, what was written to the guards shows.
class Scratch {
 public:
  explicit Scratch(std::size_t size)
      : size_(size),
        all_bytes_(guard_size + size + guard_size),
        all_(new(std::align_val_t(max_alignment)) std::byte[all_bytes_]) {
    std::fill_n(all_.get(), all_bytes_, guard);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { sanitizer::unpoison(all_.get(), all_bytes_); }

  void start_team(Rng& rng) {
    sanitizer::unpoison(all_.get(), all_bytes_);
    const std::vector<std::byte> garbage = rng.bytes(static_cast<std::int64_t>(size_));
    std::ranges::copy(garbage, data());
    pieces_.clear();
    sanitizer::poison(all_.get(), all_bytes_);
  }

  /// The `index`-th piece that a lane asks for.
  void* piece(std::size_t index, std::size_t size, std::size_t alignment) {
    if (index == pieces_.size()) pieces_.push_back(new_piece(size, alignment));
    const Piece& piece = pieces_[index];
    if (piece.size != size || piece.offset % alignment != 0) {
      throw std::logic_error("lanes ask for different pieces of team scratch");
    }
    return data() + piece.offset;
  }

  void check_guards() const {
    if (sanitizer::is_on) return;
    const std::span<const std::byte> all(all_.get(), all_bytes_);
    const auto is_guard = [](std::byte byte) { return byte == guard; };
    if (!std::ranges::all_of(all.first(guard_size), is_guard)) {
      throw std::logic_error("a lane wrote before the start of team scratch");
    }
    if (!std::ranges::all_of(all.last(guard_size), is_guard)) {
      throw std::logic_error("a lane wrote past the end of team scratch");
    }
  }

 private:
  static constexpr std::size_t max_alignment = 128, guard_size = 512;
  static constexpr std::byte guard{0x5A};

  struct Piece {
    std::size_t offset, size;
  };

  struct Deleter {
    void operator()(std::byte* data) const {
      ::operator delete[](data, std::align_val_t(max_alignment));
    }
  };

  std::byte* data() { return all_.get() + guard_size; }

  Piece new_piece(std::size_t size, std::size_t alignment) {
    if (!std::has_single_bit(alignment) || alignment > max_alignment) {
      throw std::logic_error("team scratch has no alignment of " + std::to_string(alignment));
    }
    const std::size_t used = pieces_.empty() ? 0 : pieces_.back().offset + pieces_.back().size;
    const std::size_t offset = (used + alignment - 1) / alignment * alignment;
    if (offset > size_ || size > size_ - offset) {
      throw std::logic_error(std::to_string(size) + " bytes of team scratch asked for, where " +
                             std::to_string(offset) + " of " + std::to_string(size_) + " are used");
    }
    sanitizer::unpoison(data() + offset, size);
    return {offset, size};
  }

  std::size_t size_, all_bytes_;
  std::unique_ptr<std::byte[], Deleter> all_;
  std::vector<Piece> pieces_;
};

// ---- the order of lanes ------------------------------------------------------------------------

/// Lanes that can go on, of which it takes a random one. In some teams any, so that lanes advance
/// about evenly; in others rather one of the more urgent warps, which so leave others far behind.
class Runnable {
 public:
  Runnable(Rng& rng, const EmulatedLaunch& launch)
      : rng_(rng),
        warp_width_(launch.warp_width),
        urgency_(static_cast<std::size_t>(launch.team_size / launch.warp_width)) {}

  void start_team() {
    ranks_.clear();
    candidates_ = rng_.pick<int>({1, 1, 3, 12});
    for (std::uint64_t& urgency : urgency_) urgency = rng_.bits();
  }

  bool empty() const { return ranks_.empty(); }
  void add(int rank) { ranks_.push_back(rank); }

  int take() {
    std::size_t next = rng_.index(ranks_);
    for (int i = 1; i < candidates_; ++i) {
      const std::size_t other = rng_.index(ranks_);
      if (urgency(other) > urgency(next)) next = other;
    }
    if (candidates_ > 1 && rng_.chance(1)) urgency_[rng_.index(urgency_)] = rng_.bits();
    std::swap(ranks_[next], ranks_.back());
    const int rank = ranks_.back();
    ranks_.pop_back();
    return rank;
  }

 private:
  std::uint64_t urgency(std::size_t i) const {
    return urgency_[static_cast<std::size_t>(ranks_[i] / warp_width_)];
  }

  Rng& rng_;
  int warp_width_;
  int candidates_ = 1;
  std::vector<int> ranks_;
  std::vector<std::uint64_t> urgency_;  ///< of each warp
};

// ---- what a team says of its lanes -------------------------------------------------------------

/// Where a lane is.
enum class Place { running, barrier, from_lane, from_lane_before, ballot, end };

Place place_of(Exchange kind) {
  switch (kind) {
    case Exchange::from_lane:
      return Place::from_lane;
    case Exchange::from_lane_before:
      return Place::from_lane_before;
    case Exchange::ballot:
      break;
  }
  return Place::ballot;
}

std::string text_of(Place place) {
  switch (place) {
    case Place::running:
      return "run";
    case Place::barrier:
      return "wait in team_barrier";
    case Place::from_lane:
      return "wait in from_lane";
    case Place::from_lane_before:
      return "wait in from_lane_before";
    case Place::ballot:
      return "wait in ballot";
    case Place::end:
      break;
  }
  return "have returned";
}

/// "0-3, 7" for those where `contains`.
template <class Contains>
std::string text_of_ranks(int size, const Contains& contains) {
  std::string text;
  for (int first = 0, end = 0; first < size; first = end + 1) {
    for (end = first; end < size && contains(end);) ++end;
    if (end == first) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (end - first > 1) text += "-" + std::to_string(end - 1);
  }
  return text;
}

}  // namespace

// ---- a team ------------------------------------------------------------------------------------

/// One team after the other of a league.
class Team {
 public:
  struct Slot {
    alignas(16) std::byte bytes[max_exchanged_bytes];
  };

  Team(const std::function<void(const EmulatedMember&)>& kernel, const EmulatedLaunch& launch,
       Rng& rng)
      : kernel_(kernel),
        launch_(launch),
        rng_(rng),
        runnable_(rng, launch),
        scratch_(launch.scratch_bytes),
        lanes_(static_cast<std::size_t>(launch.team_size)),
        warps_(static_cast<std::size_t>(launch.team_size / launch.warp_width)),
        fibers_(lanes_.size()) {}

  void run(int league_rank) {
    start(league_rank);
    while (!runnable_.empty() && !error_) resume(runnable_.take());
    if (!error_ && !all_returned()) error_ = std::make_exception_ptr(std::logic_error(deadlock()));
    if (error_) {
      unwind_lanes();
      std::rethrow_exception(error_);
    }
    scratch_.check_guards();
  }

  void barrier(int rank) {
    lane(rank).place = Place::barrier;
    if (++at_barrier_ == launch_.team_size) {
      at_barrier_ = 0;
      release(0, launch_.team_size);
    }
    suspend(rank);
  }

  void* scratch(int rank, std::size_t size, std::size_t alignment) {
    return scratch_.piece(lane(rank).pieces++, size, alignment);
  }

  /// What each lane of the warp gives. It stays until the warp's next exchange but one begins,
  /// which is not before this lane is in the next one.
  std::span<const Slot> exchange(int rank, Exchange kind, const void* value, std::size_t size) {
    const int width = launch_.warp_width, first = rank / width * width;
    Warp& warp = warps_[static_cast<std::size_t>(rank / width)];
    join(warp, {place_of(kind), size, rank});
    const std::span<Slot> values = warp.values[warp.exchanges % 2];
    std::memcpy(values[static_cast<std::size_t>(rank - first)].bytes, value, size);
    lane(rank).place = place_of(kind);
    if (++warp.arrived == width) {
      warp.arrived = 0;
      ++warp.exchanges;
      release(first, width);
    }
    suspend(rank);
    return values;
  }

 private:
  static constexpr std::size_t max_width = 64;

  struct Lane {
    Place place = Place::running;
    std::size_t pieces = 0;  ///< of scratch, that it has asked for
  };

  /// A lane's call of an exchange.
  struct Call {
    Place place;
    std::size_t size;
    int rank;
  };

  struct Warp {
    int arrived = 0;
    Call first_call = {};
    unsigned exchanges = 0;
    std::array<std::array<Slot, max_width>, 2> values;  ///< of this exchange and the last one
  };

  /// Thrown in lanes that are not to go on.
  struct Cancelled {};

  Lane& lane(int rank) { return lanes_[static_cast<std::size_t>(rank)]; }

  void start(int league_rank) {
    league_rank_ = league_rank;
    at_barrier_ = 0;
    error_ = nullptr;
    cancelled_ = false;
    scratch_.start_team(rng_);
    runnable_.start_team();
    for (Warp& warp : warps_) warp.arrived = 0;
    for (int rank = 0; rank < launch_.team_size; ++rank) {
      lane(rank) = {};
      fibers_[static_cast<std::size_t>(rank)].assign([this, rank] { run_lane(rank); });
      runnable_.add(rank);
    }
  }

  void run_lane(int rank) {
    try {
      if (!cancelled_) kernel_(EmulatedMember(*this, launch_, league_rank_, rank));
    } catch (const Cancelled&) {
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
    lane(rank).place = Place::end;
  }

  void resume(int rank) { fibers_[static_cast<std::size_t>(rank)].resume(); }

  void suspend(int rank) {
    fibers_[static_cast<std::size_t>(rank)].suspend();
    if (cancelled_) throw Cancelled{};
  }

  void release(int first, int count) {
    for (int rank = first; rank < first + count; ++rank) {
      lane(rank).place = Place::running;
      runnable_.add(rank);
    }
  }

  /// All lanes of a warp must make the same call.
  static void join(Warp& warp, const Call& call) {
    if (warp.arrived == 0) warp.first_call = call;
    const Call& first = warp.first_call;
    if (call.place == first.place && call.size == first.size) return;
    const auto text = [](const Call& c) {
      return "lane " + std::to_string(c.rank) + " would " + text_of(c.place) + " with " +
             std::to_string(c.size) + " bytes";
    };
    throw std::logic_error("lanes of a warp differ: " + text(first) + ", " + text(call));
  }

  bool all_returned() const {
    return std::ranges::all_of(lanes_, [](const Lane& l) { return l.place == Place::end; });
  }

  std::string deadlock() const {
    std::string text = "deadlock in team " + std::to_string(league_rank_) + " of " +
                       std::to_string(launch_.league_size);
    const char* separator = ": ";
    for (const Place place :
         {Place::barrier, Place::from_lane, Place::from_lane_before, Place::ballot, Place::end}) {
      const std::string ranks = text_of_ranks(launch_.team_size, [&](int rank) {
        return lanes_[static_cast<std::size_t>(rank)].place == place;
      });
      if (ranks.empty()) continue;
      text += separator + ("lanes " + ranks + " " + text_of(place));
      separator = "; ";
    }
    return text;
  }

  /// So that what they hold is destroyed, and their fibers can serve others.
  void unwind_lanes() {
    cancelled_ = true;
    for (int rank = 0; rank < launch_.team_size; ++rank) {
      while (lane(rank).place != Place::end) resume(rank);
    }
  }

  const std::function<void(const EmulatedMember&)>& kernel_;
  EmulatedLaunch launch_;
  Rng& rng_;
  int league_rank_ = 0;
  int at_barrier_ = 0;
  bool cancelled_ = false;
  std::exception_ptr error_;
  Runnable runnable_;
  Scratch scratch_;
  std::vector<Lane> lanes_;
  std::vector<Warp> warps_;
  LentFibers fibers_;
};

namespace {

void check(const EmulatedLaunch& launch) {
  if (launch.warp_width != 32 && launch.warp_width != 64) {
    throw std::invalid_argument("a warp is 32 or 64 lanes wide");
  }
  if (launch.team_size < 1 || launch.team_size > 1024 ||
      launch.team_size % launch.warp_width != 0) {
    throw std::invalid_argument("a team has up to 1024 lanes, in whole warps");
  }
}

}  // namespace

void run_league(const std::function<void(const EmulatedMember&)>& kernel,
                const EmulatedLaunch& launch) {
  check(launch);
  Rng rng(launch.seed);
  Team team(kernel, launch, rng);
  for (const std::int64_t league_rank : rng.permutation(0, launch.league_size)) {
    team.run(static_cast<int>(league_rank));
  }
}

}  // namespace emulation

// ---- members -----------------------------------------------------------------------------------

void EmulatedMember::team_barrier() const { team_->barrier(team_rank_); }

void* EmulatedMember::get_shmem_aligned(std::size_t size, std::size_t alignment) const {
  return team_->scratch(team_rank_, size, alignment);
}

void EmulatedMember::exchange(emulation::Exchange kind, const void* value, std::size_t size,
                              int from, void* result) const {
  if (from < 0 || from >= warp_width_) {
    throw std::logic_error("a warp has no lane " + std::to_string(from));
  }
  const auto values = team_->exchange(team_rank_, kind, value, size);
  std::memcpy(result, values[static_cast<std::size_t>(from)].bytes, size);
}

std::uint64_t EmulatedMember::ballot(bool bit) const {
  const auto values = team_->exchange(team_rank_, emulation::Exchange::ballot, &bit, sizeof(bit));
  std::uint64_t bits = 0;
  for (int lane = 0; lane < warp_width_; ++lane) {
    const bool set = values[static_cast<std::size_t>(lane)].bytes[0] != std::byte{0};
    bits |= std::uint64_t{set} << lane;
  }
  return bits;
}
