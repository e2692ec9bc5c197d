#include "perf/verify/verify_matrix.hpp"

namespace kvcanary::perf {
namespace {

/// Decode-like, many short prefixes, and two of many bytes.
constexpr VerifyCase shapes[] = {{.requests = 256, .prefix = 1},
                                 {.requests = 1024, .prefix = 1024},
                                 {.requests = 256, .prefix = 4096},
                                 {.requests = 64, .prefix = 32768}};

/// What each shape is once as it is, for the others to be compared with.
void add_shapes_beyond(std::vector<VerifyCase>& cases) {
  cases.push_back(shapes[0]);
  cases.push_back(shapes[3]);
}

void add_kv(std::vector<VerifyCase>& cases, VerifyCase varied) {
  struct Hashed {
    KVLayout layout;
    KVHashMode mode;
  };
  constexpr Hashed hashed[] = {{{1, 16, 16}, KVHashMode::partial},
                               {{2, 16, 32}, KVHashMode::all},
                               {{1, 1024, 1024}, KVHashMode::all},
                               {{1, 2048, 2048}, KVHashMode::all},
                               {{80, 1024, 1024}, KVHashMode::all}};
  for (const Hashed& kv : hashed) {
    varied.kv = kv.layout;
    varied.mode = kv.mode;
    cases.push_back(varied);
  }
}

void add_variations(std::vector<VerifyCase>& cases, const VerifyCase& shape) {
  VerifyCase varied = shape;
  for (const std::int64_t page : {1, 64}) {
    varied.page = page;
    cases.push_back(varied);
  }
  varied = shape;
  varied.endpoints = 4;
  cases.push_back(varied);
  varied = shape;
  for (const Checked checked : {Checked::swa, Checked::full_and_swa}) {
    varied.checked = checked;
    cases.push_back(varied);
  }
  varied = shape;
  varied.expected = true;
  cases.push_back(varied);
  add_kv(cases, shape);
}

}  // namespace

std::vector<VerifyCase> plan_matrix() {
  std::vector<VerifyCase> cases;
  for (const std::int64_t prefix : {128, 1024, 4096, 16384, 32768}) {
    for (const std::int64_t requests : {1, 4, 32, 128, 256, 1024}) {
      cases.push_back({.requests = requests, .prefix = prefix});
    }
  }
  add_shapes_beyond(cases);
  cases.push_back({.requests = 256, .prefix = 100, .first_prefix = 131072});
  return cases;
}

std::vector<VerifyCase> verify_matrix() {
  std::vector<VerifyCase> cases = plan_matrix();
  for (const VerifyCase& shape : shapes) add_variations(cases, shape);
  // Tables are as wide as a model's longest context, whatever the requests are.
  cases.push_back({.requests = 256, .prefix = 4096, .room = 131072});
  for (VerifyCase varied : {shapes[2], shapes[3]}) {
    varied.lists = true;
    cases.push_back(varied);
  }
  cases.push_back({.requests = 256, .prefix = 4096, .page = 1, .lists = true});
  cases.push_back({.requests = 1, .prefix = 4096, .chain = Chain::polynomial});
  for (VerifyCase varied : shapes) {
    varied.chain = Chain::polynomial;
    cases.push_back(varied);
  }
  return cases;
}

}  // namespace kvcanary::perf
