#include "sim/workload.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/rng.hpp"

namespace kvcanary::sim {
namespace {

void require(const char* field, std::int64_t value, std::int64_t least) {
  if (value >= least) return;
  throw std::invalid_argument(
      fmt::format("WorkloadConfig::{} is {}, must be >= {}", field, value, least));
}

void check(const WorkloadConfig& config) {
  require("conversations", config.conversations, 1);
  require("max_turns", config.max_turns, 1);
  require("system_length", config.system_length, 0);
  require("max_turn_length", config.max_turn_length, 1);
  require("max_output_length", config.max_output_length, 1);
}

struct Conversation {
  std::int64_t turns_left = 0;
  std::int64_t length = 0;             ///< prompt of the last turn
  std::vector<std::int64_t> hash_ids;  ///< of its whole blocks
};

class Generator {
 public:
  explicit Generator(const WorkloadConfig& config)
      : config_(config), rng_(config.seed), next_id_(config.system_length / trace_block_tokens) {}

  std::vector<Request> run() {
    for (std::int64_t i = 0; i < config_.conversations; ++i) open_.push_back(start());
    std::vector<Request> requests;
    while (!open_.empty()) requests.push_back(turn());
    return requests;
  }

 private:
  Conversation start() {
    Conversation conversation;
    conversation.turns_left = rng_.between(1, config_.max_turns);
    const std::int64_t system_blocks = config_.system_length / trace_block_tokens;
    for (std::int64_t id = 0; id < system_blocks; ++id) conversation.hash_ids.push_back(id);
    conversation.length = system_blocks * trace_block_tokens;
    return conversation;
  }

  /// The next turn of a conversation drawn at random.
  Request turn() {
    const auto index =
        static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(open_.size())));
    Conversation& conversation = open_[index];
    extend(conversation);
    Request request{time_, conversation.length, rng_.between(1, config_.max_output_length),
                    conversation.hash_ids};
    if (conversation.length % trace_block_tokens != 0) request.hash_ids.push_back(next_id_++);
    time_ += rng_.between(0, 500);
    if (--conversation.turns_left == 0) open_.erase(open_.begin() + std::ptrdiff_t(index));
    return request;
  }

  void extend(Conversation& conversation) {
    conversation.length += rng_.between(1, config_.max_turn_length);
    const auto whole_blocks = static_cast<std::size_t>(conversation.length / trace_block_tokens);
    while (conversation.hash_ids.size() < whole_blocks) conversation.hash_ids.push_back(next_id_++);
  }

  const WorkloadConfig& config_;
  Rng rng_;
  std::int64_t next_id_;
  std::int64_t time_ = 0;
  std::vector<Conversation> open_;
};

}  // namespace

std::vector<Request> generate_workload(const WorkloadConfig& config) {
  check(config);
  return Generator(config).run();
}

}  // namespace kvcanary::sim
