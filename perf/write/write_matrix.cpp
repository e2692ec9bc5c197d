#include "perf/write/write_matrix.hpp"

namespace kvcanary::perf {
namespace {

constexpr KVLayout layouts[] = {
    {1, 16, 16}, {2, 16, 32}, {4, 32, 64}, {1, 2048, 2048}, {80, 1024, 1024}};

/// Decode, short extends of few and of many requests, a long extend, and one very long one.
constexpr WriteCase shapes[] = {{.requests = 128, .entries = 1},
                                {.requests = 32, .entries = 128},
                                {.requests = 1024, .entries = 128},
                                {.requests = 32, .entries = 4096},
                                {.requests = 1, .entries = 131072}};

void add_core(std::vector<WriteCase>& cases) {
  for (const std::int64_t entries : {1, 128, 512, 4096, 16384}) {
    for (const std::int64_t requests : {1, 4, 32, 128, 256, 1024}) {
      cases.push_back({.requests = requests, .entries = entries});
    }
  }
  cases.push_back({.requests = 1, .entries = 131072});
}

void add_variations(std::vector<WriteCase>& cases, const WriteCase& shape) {
  WriteCase varied = shape;
  for (const KVLayout& layout : layouts) {
    varied.kv = layout;
    for (const KVHashMode mode : {KVHashMode::partial, KVHashMode::all}) {
      varied.mode = mode;
      cases.push_back(varied);
    }
  }
  varied = shape;
  for (const std::int64_t prefix : {0, 1024, 16384}) {
    varied.prefix = prefix;
    cases.push_back(varied);
  }
  varied = shape;
  varied.endpoints = 4;
  cases.push_back(varied);
  varied = shape;
  varied.pools = Pools::full_and_swa;
  cases.push_back(varied);
}

/// All of it once more with the other chain.
void add_polynomial(std::vector<WriteCase>& cases) {
  const std::vector<WriteCase> splitmix = cases;
  for (WriteCase varied : splitmix) {
    varied.chain = Chain::polynomial;
    cases.push_back(varied);
  }
}

}  // namespace

std::vector<WriteCase> write_matrix() {
  std::vector<WriteCase> cases;
  add_core(cases);
  for (const WriteCase& shape : shapes) add_variations(cases, shape);
  cases.push_back({.requests = 128, .entries = 1, .check = true});
  cases.push_back({.requests = 32, .entries = 4096, .check = true});
  add_polynomial(cases);
  return cases;
}

}  // namespace kvcanary::perf
