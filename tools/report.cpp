#include "tools/report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace kvcanary::tools {
namespace {

using Json = nlohmann::ordered_json;

double rate(std::int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string verdict(const ReplayResult& r) {
  if (r.violations.total() == 1) return "1 violation";
  if (r.violations.total() > 0) return fmt::format("{} violations", r.violations.total());
  return r.clean() ? "clean" : "INCOMPLETE";
}

void print_setup(std::back_insert_iterator<std::string> out, const ReplayConfig& c,
                 const ReplayResult& r) {
  fmt::format_to(out, "  setup       {} ({} threads), page size {}, {} slots, {} running, chunk {}",
                 r.backend, r.concurrency, c.engine.page_size, c.engine.pool_slots,
                 c.engine.max_running, c.engine.chunk_size);
  if (c.engine.window > 0) {
    fmt::format_to(out, ", window {} in {} slots", c.engine.window, c.engine.swa_pool_slots);
  }
  fmt::format_to(out, ", {} chains\n", to_string(c.chain));
  fmt::format_to(out, "  KV          {} bytes a token for keys and for values, hash {}\n",
                 c.kv_bytes, to_string(c.kv_hash_mode));
}

void print_work(std::back_insert_iterator<std::string> out, const ReplayResult& r) {
  const sim::EngineStats& e = r.engine;
  fmt::format_to(out, "  requests    {} of {} finished in {} steps, {} preempted\n",
                 e.requests_finished, r.requests, e.steps, e.preemptions);
  fmt::format_to(
      out, "  tokens      {} written + {} prefix hits - {} recomputed = {}, the trace implies {}\n",
      r.tokens_expected, e.prefix_hit_tokens, e.recomputed_tokens, r.tokens_obtained(),
      r.trace_tokens);
  fmt::format_to(
      out, "  verified    {} slots ({} read in the full pool, {} in the window pool, {} swept)\n",
      r.slots_verified(), r.reads_expected_full, r.reads_expected_swa,
      r.swept_expected_full + r.swept_expected_swa);
  fmt::format_to(out, "  evicted     {} pages, {} window pages\n", e.evicted_pages,
                 e.evicted_swa_pages);
}

void print_time(std::back_insert_iterator<std::string> out, const ReplayResult& r) {
  const ReplaySeconds& s = r.seconds;
  fmt::format_to(out,
                 "  seconds     verify {:.2f}, write {:.2f}, sweep {:.2f}; engine {:.2f}, upload "
                 "{:.2f}, model {:.2f}\n",
                 s.verify, s.write, s.sweep, s.engine, s.upload, s.model);
  fmt::format_to(out, "  rate        {:.1f} M tokens/s written, {:.1f} M slots/s verified\n",
                 rate(r.tokens_expected, s.write) / 1e6,
                 rate(r.slots_verified(), s.verify + s.sweep) / 1e6);
}

void print_violations(std::back_insert_iterator<std::string> out, const ReplayResult& r) {
  const ViolationTally& v = r.violations;
  for (const auto& [key, count] : v.by_tag_and_reason()) {
    fmt::format_to(out, "  violation   {:>10} x {} {}\n", count,
                   to_string(static_cast<LaunchTag>(key.first)), fail_reason(key.second));
  }
  if (v.unclassified() > 0) {
    fmt::format_to(out,
                   "  violation   {:>10} x not told apart, a step had more than the log holds\n",
                   v.unclassified());
  }
  if (v.first().empty()) return;
  fmt::format_to(out, "\nFirst {} of {} violations:\n", v.first().size(), v.total());
  for (const FoundViolation& found : v.first()) {
    fmt::format_to(out, "\nstep {}: {}\n{}", found.step, to_line(found.violation),
                   to_block(found.violation));
  }
}

Json to_json(const TagCountsTable& counts) {
  Json json = Json::object();
  for (std::size_t tag = 0; tag < counts.size(); ++tag) {
    if (counts[tag] == TagCounts{}) continue;
    json[to_string(static_cast<LaunchTag>(tag))] = {{"launches", counts[tag].launches},
                                                    {"entries", counts[tag].entries},
                                                    {"disabled", counts[tag].disabled}};
  }
  return json;
}

Json to_json(const FoundViolation& found) {
  const Violation& v = found.violation;
  return {{"step", found.step},
          {"launch_tag", to_string(static_cast<LaunchTag>(v.launch_tag))},
          {"fail_reason", fail_reason(v.fail_bits)},
          {"fail_bits", v.fail_bits},
          {"slot", v.slot},
          {"position", v.position},
          {"stored_token", v.stored_token},
          {"expected_token", v.expected_token},
          {"stored_chain_hash", v.stored_chain_hash},
          {"expected_aux", v.expected_aux},
          {"request_row", v.request_row},
          {"entry", v.entry},
          {"expected_position", v.expected_position},
          {"stored_kv_hash", v.stored_kv_hash},
          {"expected_kv_hash", v.expected_kv_hash}};
}

Json to_json(const ViolationTally& tally) {
  Json json{{"total", tally.total()}, {"unclassified", tally.unclassified()}};
  json["by_tag_and_reason"] = Json::array();
  for (const auto& [key, count] : tally.by_tag_and_reason()) {
    json["by_tag_and_reason"].push_back(
        {{"launch_tag", to_string(static_cast<LaunchTag>(key.first))},
         {"fail_reason", fail_reason(key.second)},
         {"count", count}});
  }
  json["first"] = Json::array();
  for (const FoundViolation& found : tally.first()) json["first"].push_back(to_json(found));
  return json;
}

Json fault_json(const ReplayResult& r) {
  if (r.fault_report.empty()) return nullptr;
  Json json{{"report", r.fault_report}, {"applied", r.fault.has_value()}};
  if (r.fault) {
    json["kind"] = sim::name(r.fault->kind);
    json["step"] = r.fault->step;
    json["slot"] = r.fault->slot;
    json["request_row"] = r.fault->row;
    json["position"] = r.fault->position;
  }
  if (const auto steps = r.steps_until_detection()) json["steps_until_detection"] = *steps;
  return json;
}

}  // namespace

std::string to_string(KVHashMode mode) {
  switch (mode) {
    case KVHashMode::none:
      return "none";
    case KVHashMode::partial:
      return "partial";
    case KVHashMode::all:
      return "all";
  }
  return "unknown";
}

std::string to_string(Chain chain) { return chain == Chain::splitmix ? "splitmix" : "polynomial"; }

std::string text_report(const std::string& title, const ReplayConfig& config,
                        const ReplayResult& result) {
  std::string text = fmt::format("{}: {}\n", title, verdict(result));
  const auto out = std::back_inserter(text);
  print_setup(out, config, result);
  print_work(out, result);
  print_time(out, result);
  if (!result.fault_report.empty()) fmt::format_to(out, "  fault       {}\n", result.fault_report);
  if (const auto steps = result.steps_until_detection()) {
    fmt::format_to(out, "  detected    {}\n",
                   *steps == 0 ? "in the same step" : fmt::format("after {} steps", *steps));
  }
  for (const std::string& line : result.mismatches())
    fmt::format_to(out, "  MISMATCH    {}\n", line);
  print_violations(out, result);
  return text;
}

Json json_report(const std::string& title, const ReplayConfig& c, const ReplayResult& r) {
  const sim::EngineStats& e = r.engine;
  const ReplaySeconds& s = r.seconds;
  return {{"title", title},
          {"clean", r.clean()},
          {"complete", r.complete},
          {"config",
           {{"backend", r.backend},
            {"threads", r.concurrency},
            {"page_size", c.engine.page_size},
            {"slots", c.engine.pool_slots},
            {"running", c.engine.max_running},
            {"chunk", c.engine.chunk_size},
            {"window", c.engine.window},
            {"swa_slots", c.engine.window > 0 ? c.engine.swa_pool_slots : 0},
            {"kv_bytes", c.kv_bytes},
            {"kv_hash", to_string(c.kv_hash_mode)},
            {"chain", to_string(c.chain)},
            {"verify_every", c.verify_every},
            {"sweep_every", c.sweep_every},
            {"seed", c.engine.seed}}},
          {"requests", r.requests},
          {"requests_finished", e.requests_finished},
          {"steps", e.steps},
          {"trace_tokens", r.trace_tokens},
          {"tokens_written", r.tokens_expected},
          {"prefix_hit_tokens", e.prefix_hit_tokens},
          {"recomputed_tokens", e.recomputed_tokens},
          {"slots_verified", r.slots_verified()},
          {"preemptions", e.preemptions},
          {"evicted_pages", e.evicted_pages},
          {"evicted_swa_pages", e.evicted_swa_pages},
          {"written", to_json(r.written)},
          {"verified", to_json(r.verified)},
          {"mismatches", r.mismatches()},
          {"violations", to_json(r.violations)},
          {"fault", fault_json(r)},
          {"seconds",
           {{"verify", s.verify},
            {"write", s.write},
            {"sweep", s.sweep},
            {"engine", s.engine},
            {"upload", s.upload},
            {"model", s.model}}},
          {"tokens_per_second", rate(r.tokens_expected, s.write)},
          {"slots_per_second", rate(r.slots_verified(), s.verify + s.sweep)}};
}

}  // namespace kvcanary::tools
