#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "sim/workload.hpp"

namespace kvcanary::sim {

/// A config and a workload for tests that run the engine to its end.
struct Scenario {
  std::string name;
  std::int64_t page_size = 16;
  std::int64_t spare_pages = 0;  ///< pool beyond what the longest request needs
  std::int64_t window = 0;
  std::int64_t spare_swa_pages = 0;  ///< SWA pool beyond the smallest one possible
  std::int64_t max_running = 8;
  std::int64_t chunk_size = 256;
  std::int64_t max_turn_length = 500;
  std::int64_t max_output_length = 60;
};

inline std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

inline std::vector<Request> scenario_workload(const Scenario& scenario, std::uint64_t seed) {
  return generate_workload({.conversations = 8,
                            .max_turns = 3,
                            .system_length = 512,
                            .max_turn_length = scenario.max_turn_length,
                            .max_output_length = scenario.max_output_length,
                            .seed = seed});
}

inline EngineConfig scenario_config(const Scenario& scenario, const std::vector<Request>& requests,
                                    std::uint64_t seed) {
  std::int64_t longest = 0;
  for (const Request& request : requests) longest = std::max(longest, kv_length(request));
  const std::int64_t page = scenario.page_size;
  EngineConfig config;
  config.page_size = page;
  config.pool_slots = (1 + pages_for(longest, page) + scenario.spare_pages) * page;
  config.max_running = scenario.max_running;
  config.chunk_size = scenario.chunk_size;
  config.window = scenario.window;
  if (config.window > 0) {
    config.swa_pool_slots =
        min_swa_pool_slots(config.window, page) + scenario.spare_swa_pages * page;
  }
  config.seed = seed;
  return config;
}

inline Engine scenario_engine(const Scenario& scenario, std::uint64_t seed) {
  std::vector<Request> requests = scenario_workload(scenario, seed);
  const EngineConfig config = scenario_config(scenario, requests, seed);
  return Engine(config, std::move(requests));
}

/// A workload that decodes more than it prefills: running requests outgrow the pool together.
inline Scenario decoding(Scenario scenario) {
  scenario.max_turn_length = 60;
  scenario.max_output_length = 250;
  return scenario;
}

/// Page sizes 1, 16 and 64; pools from the smallest possible to ample; with and without a window.
inline std::vector<Scenario> scenarios() {
  return {
      {.name = "page1_tight", .page_size = 1, .spare_pages = 300},
      {.name = "page16_minimal"},
      {.name = "page16_tight", .spare_pages = 30},
      {.name = "page16_ample", .spare_pages = 2000},
      {.name = "page16_one_at_a_time", .spare_pages = 9, .max_running = 1, .chunk_size = 37},
      {.name = "page64_tight", .page_size = 64, .spare_pages = 8},
      decoding({.name = "page1_decoding", .page_size = 1, .spare_pages = 200}),
      decoding({.name = "page16_decoding", .spare_pages = 10}),
      decoding({.name = "page64_decoding", .page_size = 64, .spare_pages = 2}),
      {.name = "page1_window",
       .page_size = 1,
       .spare_pages = 900,
       .window = 37,
       .spare_swa_pages = 300},
      {.name = "page16_window_minimal", .window = 100, .chunk_size = 64},
      {.name = "page16_window_tight", .spare_pages = 60, .window = 100, .spare_swa_pages = 12},
      {.name = "page16_window_1", .spare_pages = 60, .window = 1, .spare_swa_pages = 12},
      {.name = "page16_window_ample", .spare_pages = 2000, .window = 64, .spare_swa_pages = 1000},
      {.name = "page64_window_tight",
       .page_size = 64,
       .spare_pages = 20,
       .window = 200,
       .spare_swa_pages = 6},
      {.name = "page64_window_beyond_all",
       .page_size = 64,
       .spare_pages = 20,
       .window = 5000,
       .spare_swa_pages = 30},
      decoding({.name = "page1_window_decoding",
                .page_size = 1,
                .spare_pages = 300,
                .window = 50,
                .spare_swa_pages = 100}),
      decoding({.name = "page16_window_decoding",
                .spare_pages = 20,
                .window = 100,
                .spare_swa_pages = 16}),
      decoding({.name = "page64_window_decoding",
                .page_size = 64,
                .spare_pages = 4,
                .window = 100,
                .spare_swa_pages = 10}),
  };
}

}  // namespace kvcanary::sim
