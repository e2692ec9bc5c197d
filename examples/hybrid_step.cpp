// A hybrid model's decode loop: a full and a sliding-window pool, both with a KV hash and expected
// tokens, in one launch a step, captured as a CUDA graph where there is CUDA. Two bugs are made on
// purpose: a table entry is trampled, and a KV byte flips. Each must be named.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <kvcanary/kvcanary.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
template <class T>
using Array = Kokkos::View<T*, Memory>;

// ---- the engine ---------------------------------------------------------------------------------
// Two requests, in rows 1 and 2 of the table; row 0 is that of padded requests.

constexpr int num_requests = 2, num_rows = 1 + num_requests;
constexpr int page_size = 4, num_columns = 6, max_tokens = page_size * num_columns;
constexpr int prompt = 12, window = 8;
// Page 0 and slot 0 are padding. A request has a ring of slots in the sliding-window pool, a page
// longer than the window.
constexpr int num_pages = 1 + num_requests * num_columns, num_slots = num_pages * page_size;
constexpr int ring = window + page_size, num_swa_slots = 28;

int page_of(int row, int column) { return 1 + (row - 1) * num_columns + column; }
int slot_of(int row, int position) {
  return page_of(row, position / page_size) * page_size + position % page_size;
}
int swa_slot_of(int row, int position) { return 1 + (row - 1) * ring + position % ring; }
int token_of(int row, int position) { return 1000 * row + position; }

/// What an engine has on the device anyway. The arrays stay where they are, so that a captured step
/// finds each step's values in them.
class Engine {
 public:
  explicit Engine(const Space& space) : space_(space) {
    std::vector<int> pages(table_.size()), intended(tokens_to_come_.size());
    for (int row = 1; row <= num_requests; ++row) {
      for (int column = 0; column < num_columns; ++column) {
        pages[row * num_columns + column] = page_of(row, column);
      }
      for (int position = 0; position < max_tokens; ++position) {
        intended[row * max_tokens + position] = token_of(row, position);
      }
    }
    copy(table_, pages);
    copy(tokens_to_come_, intended);
    copy(rows_, {1, 2});
  }

  /// The inputs of a step in which each request has `prefix` tokens and adds `extend`.
  void load(int prefix, int extend) const {
    std::vector<int> tokens, positions, slots, swa_slots, full_to_swa(num_slots, -1);
    for (int row = 1; row <= num_requests; ++row) {
      for (int position = prefix; position < prefix + extend; ++position) {
        tokens.push_back(token_of(row, position));
        positions.push_back(position);
        slots.push_back(slot_of(row, position));
        swa_slots.push_back(swa_slot_of(row, position));
      }
      // What has left the window has no slot there any more.
      for (int position = std::max(0, prefix - window); position < prefix; ++position) {
        full_to_swa[slot_of(row, position)] = swa_slot_of(row, position);
      }
    }
    copy(prefixes_, {prefix, prefix});
    copy(extends_, {extend, extend});
    copy(tokens_, tokens);
    copy(positions_, positions);
    copy(slots_, slots);
    copy(swa_slots_, swa_slots);
    copy(full_to_swa_, full_to_swa);
  }

  /// The bug, or its repair: which page the table names for a column of a row.
  void set_page(int row, int column, int page) const {
    Kokkos::deep_copy(space_, Kokkos::subview(table_, row * num_columns + column), page);
  }

  // The engine's arrays, as each pool's canary wants them.

  kvcanary::RequestBatch requests() const {
    return {.request_rows = rows_,
            .prefix_lengths = prefixes_,
            .extend_lengths = extends_,
            .table = {table_.data(), num_rows, num_columns, num_columns, page_size},
            .expected = {.tokens = tokens_to_come_,
                         .num_rows = num_rows,
                         .num_columns = max_tokens,
                         .row_stride = max_tokens}};
  }
  kvcanary::RequestBatch swa_requests() const {
    kvcanary::RequestBatch batch = requests();
    batch.full_to_swa = full_to_swa_;
    batch.window = window;
    return batch;
  }
  /// The tokens of a step in which each request adds `extend`.
  kvcanary::TokenBatch tokens(const Array<int>& slots, int extend) const {
    const std::pair<int, int> all(0, num_requests * extend);
    return {.tokens = Kokkos::subview(tokens_, all),
            .positions = Kokkos::subview(positions_, all),
            .slots = Kokkos::subview(slots, all),
            .max_entries_per_request = extend};
  }
  const Array<int>& slots() const { return slots_; }
  const Array<int>& swa_slots() const { return swa_slots_; }

 private:
  void copy(const Array<int>& to, const std::vector<int>& from) const {
    Kokkos::deep_copy(space_,
                      Kokkos::subview(to, std::pair<std::size_t, std::size_t>(0, from.size())),
                      kvcanary::host_view(from.data(), from.size()));
    space_.fence();  // `from` is gone soon
  }

  Space space_;
  Array<int> table_{"table", num_rows* num_columns};
  Array<int> tokens_to_come_{"tokens_to_come", num_rows* max_tokens};
  Array<int> rows_{"rows", num_requests}, prefixes_{"prefixes", num_requests},
      extends_{"extends", num_requests};
  Array<int> tokens_{"tokens", num_requests* prompt}, positions_{"positions", tokens_.size()},
      slots_{"slots", tokens_.size()}, swa_slots_{"swa_slots", tokens_.size()};
  Array<int> full_to_swa_{"full_to_swa", num_slots};
};

/// A pool's KV bytes, and the records that lie beside it: one canary buffer, which hashes the bytes
/// of two layers.
class Pool {
 public:
  Pool(const Space& space, kvcanary::LaunchTag tag, int slots)
      : records_("records", slots), kv_("kv", num_layers * slots * kv_bytes) {
    // A model writes these; here, each slot has its own from the start.
    std::vector<std::byte> bytes(kv_.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 >> 3);
    Kokkos::deep_copy(space, kv_, kvcanary::host_view(bytes.data(), bytes.size()));

    std::vector<kvcanary::KVSource> layers;
    for (int layer = 0; layer < num_layers; ++layer) {
      layers.push_back({.data = kv_.data() + layer * slots * kv_bytes,
                        .num_rows = slots / page_size,
                        .row_stride = page_size * kv_bytes,
                        .page_size = page_size,
                        .bytes_per_token = kv_bytes,
                        .read_bytes = kv_bytes,
                        .memory = kvcanary::memory_of<Memory>()});
    }
    sources_ = kvcanary::KVSources<Memory>(space, layers);
    // Long prompts are stamped faster in polynomial chains. SGLang's are the default.
    const kvcanary::CanaryBuffer buffer(records_, {}, kvcanary::Chain::polynomial);
    endpoint_ = {tag, buffer, sources_.list(), kvcanary::KVHashMode::all};
  }

  std::span<const kvcanary::Endpoint> endpoints() const { return {&endpoint_, 1}; }

  /// The bug, or its repair: one bit of a slot's bytes in the first layer.
  void flip_bit(const Space& space, int slot) const {
    const auto byte = Kokkos::subview(kv_, slot * kv_bytes + 5);
    std::byte value{};
    Kokkos::deep_copy(space, value, byte);
    space.fence();
    Kokkos::deep_copy(space, byte, value ^ std::byte{0x10});
  }

 private:
  static constexpr int num_layers = 2, kv_bytes = 32;

  Array<kvcanary::Record> records_;
  Array<std::byte> kv_;
  kvcanary::KVSources<Memory> sources_;
  kvcanary::Endpoint endpoint_;
};

// ---- a stream, and a step that is captured on it ------------------------------------------------

#ifdef KOKKOS_ENABLE_CUDA

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Space space() const { return Space(stream_); }

  void capture(const std::function<void()>& step) {
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    step();
    require(cudaStreamEndCapture(stream_, &graph));
    require(cudaGraphInstantiate(&graph_, graph, 0));
    require(cudaGraphDestroy(graph));
  }
  void replay() const { require(cudaGraphLaunch(graph_, stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

#else

/// The same where nothing is captured: plain launches.
class Stream {
 public:
  static Space space() { return Space(); }
  void capture(std::function<void()> step) { step_ = std::move(step); }
  void replay() const { step_(); }

 private:
  std::function<void()> step_;
};

#endif

// ---- the canary ---------------------------------------------------------------------------------

class HybridStep {
 public:
  HybridStep() : space_(stream_.space()) {
    kvcanary::warm_up(space_);  // before the capture
    const std::string where = Space::name();
    std::printf("on %s: %d requests, a prompt of %d tokens, a window of %d\n", where.c_str(),
                num_requests, prompt, window);
  }

  bool run() {
    engine_.load(0, prompt);
    launch(prompt);
    stream_.capture([this] { launch(1); });

    int prefix = prompt;
    for (; prefix < prompt + 5; ++prefix) decode(prefix);
    bool good = expect("five clean steps", {});

    // Row 1's third page is now row 2's: what request 1 reads there is not its own, in both pools.
    engine_.set_page(1, 2, page_of(2, 2));
    decode(prefix++);
    using namespace kvcanary::fail_bit;  // NOLINT(google-build-using-namespace)
    good &= expect("a trampled table entry",
                   {{kvcanary::LaunchTag::head_k_full, slot_of(2, 8), chain_hash | verify_token},
                    {kvcanary::LaunchTag::head_k_swa, swa_slot_of(2, 9), verify_token}});
    engine_.set_page(1, 2, page_of(1, 2));

    full_.flip_bit(space_, slot_of(2, 3));
    decode(prefix++);
    good &= expect("a flipped bit of a KV byte",
                   {{kvcanary::LaunchTag::head_k_full, slot_of(2, 3), kv_hash}});
    full_.flip_bit(space_, slot_of(2, 3));

    decode(prefix++);
    return expect("repaired", {}) && good;
  }

 private:
  /// What a step has to report: a slot and reasons, under a tag.
  struct Expected {
    kvcanary::LaunchTag tag;
    int slot;
    std::int64_t fail_bits;
  };

  /// The launches of a step: what it reads is verified, and what it adds is stamped, in both pools
  /// at once. No allocation, no fence: all of it may be captured. In an engine, the model's layers
  /// are between verify and write.
  void launch(int extend) const {
    const kvcanary::RequestBatch full = engine_.requests(), swa = engine_.swa_requests();
    const std::array reads{kvcanary::VerifyJob{full, full_.endpoints()},
                           kvcanary::VerifyJob{swa, swa_.endpoints()}};
    kvcanary::verify_requests(space_, reads, log_, counters_);
    using Job = kvcanary::StepJob;
    const std::array adds{Job{full, engine_.tokens(engine_.slots(), extend), full_.endpoints()},
                          Job{swa, engine_.tokens(engine_.swa_slots(), extend), swa_.endpoints()}};
    kvcanary::write_requests(space_, adds, scratch_, log_, counters_);
  }

  void decode(int prefix) const {
    engine_.load(prefix, 1);
    stream_.replay();
  }

  /// Prints what was reported since the last time, and says whether it is that: all of it, and,
  /// when nothing is expected, nothing.
  bool expect(const char* title, const std::vector<Expected>& expected) const {
    const kvcanary::ViolationSnapshot found = log_.fetch(space_);
    log_.reset(space_);
    bool good = expected.empty() == (found.total == 0);
    for (const Expected& wanted : expected) {
      good &=
          std::any_of(found.rows.begin(), found.rows.end(), [&](const kvcanary::Violation& row) {
            return row.launch_tag == static_cast<std::int64_t>(wanted.tag) &&
                   row.slot == wanted.slot && row.fail_bits == wanted.fail_bits;
          });
    }
    std::printf("%s: %llu violations%s\n", title, static_cast<unsigned long long>(found.total),
                good ? "" : ", which is WRONG");
    for (const kvcanary::Violation& row : found.rows) {
      std::printf("  %s\n", kvcanary::to_line(row).c_str());
    }
    return good;
  }

  Stream stream_;
  Space space_;
  Engine engine_{space_};
  Pool full_{space_, kvcanary::LaunchTag::head_k_full, num_slots};
  Pool swa_{space_, kvcanary::LaunchTag::head_k_swa, num_swa_slots};
  kvcanary::WriteScratch<Memory> scratch_ = kvcanary::WriteScratch<Memory>::allocate(space_);
  kvcanary::ViolationLog<Memory> log_ = kvcanary::ViolationLog<Memory>::allocate(space_, 256);
  kvcanary::LaunchCounters<Memory> counters_ = kvcanary::LaunchCounters<Memory>::allocate(space_);
};

}  // namespace

int main() {
  try {
    const Kokkos::ScopeGuard kokkos;
    return HybridStep().run() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::puts(error.what());
    return EXIT_FAILURE;
  }
}
