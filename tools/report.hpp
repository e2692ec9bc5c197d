#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/replay.hpp"

/// \file
/// What a replay found, for people and for programs.
namespace kvcanary::tools {

/// Several lines for a terminal. `title` says what was replayed.
std::string text_report(const std::string& title, const ReplayConfig& config,
                        const ReplayResult& result);

/// Everything of the text report and the counters of every tag.
nlohmann::ordered_json json_report(const std::string& title, const ReplayConfig& config,
                                   const ReplayResult& result);

/// Names on the command line.
std::string to_string(KVHashMode mode);
std::string to_string(Chain chain);

}  // namespace kvcanary::tools
