#include "sim/fault.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "sim/fault_victims.hpp"

namespace kvcanary::sim {
namespace {

constexpr std::string_view step_prefix = "step=";

std::string all_names() {
  std::string names;
  for (const FaultKind kind : all_fault_kinds) {
    if (!names.empty()) names += ", ";
    names += name(kind);
  }
  return names;
}

FaultKind parse_kind(std::string_view text, std::string_view whole) {
  for (const FaultKind kind : all_fault_kinds) {
    if (text == name(kind)) return kind;
  }
  throw std::invalid_argument(
      fmt::format("fault '{}': '{}' is not a kind of fault, must be one of {}, as KIND[@step=N]",
                  whole, text, all_names()));
}

std::int64_t parse_step(std::string_view text, std::string_view whole) {
  std::int64_t step = -1;
  const bool prefixed = text.starts_with(step_prefix);
  const std::string_view digits = prefixed ? text.substr(step_prefix.size()) : "";
  const char* end = digits.data() + digits.size();
  const auto [parsed, error] = std::from_chars(digits.data(), end, step);
  if (error != std::errc() || parsed != end || step < 0) {
    throw std::invalid_argument(
        fmt::format("fault '{}': '@{}' must be '@step=N', N an integer >= 0", whole, text));
  }
  return step;
}

}  // namespace

std::string_view name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kv_bit:
      return "kv-bit";
    case FaultKind::table_entry:
      return "table-entry";
    case FaultKind::early_free:
      return "early-free";
    case FaultKind::token:
      return "token";
    case FaultKind::position:
      return "position";
  }
  throw std::invalid_argument("name: not a FaultKind");
}

std::string_view describe(FaultKind kind) {
  switch (kind) {
    case FaultKind::kv_bit:
      return "flip one bit in the KV bytes of a slot that a running request reads";
    case FaultKind::table_entry:
      return "let one slot-table entry of a running request name a page that holds something else";
    case FaultKind::early_free:
      return "free a page that a running request still reads, so that it is written again";
    case FaultKind::token:
      return "write one token that is not the one the request has there";
    case FaultKind::position:
      return "write one token with a position that is off by one";
  }
  throw std::invalid_argument("describe: not a FaultKind");
}

FaultSpec parse_fault(std::string_view text) {
  const std::size_t at = text.find('@');
  FaultSpec spec;
  spec.kind = parse_kind(text.substr(0, at), text);
  if (at != std::string_view::npos) spec.step = parse_step(text.substr(at + 1), text);
  return spec;
}

std::string to_string(const FaultSpec& spec) {
  return fmt::format("{}@{}{}", name(spec.kind), step_prefix, spec.step);
}

std::optional<FaultRecord> FaultInjector::apply(Engine& engine, StepBatch& batch) {
  if (record_ || batch.step < spec_.step || batch.num_requests() == 0) return std::nullopt;
  record_ = inject(spec_.kind, engine, batch, rng_);
  return record_;
}

std::string FaultInjector::report() const {
  if (record_) return record_->text;
  return fmt::format("no {} fault: the workload ended before a victim existed at step {} or later",
                     name(spec_.kind), spec_.step);
}

}  // namespace kvcanary::sim
