#include "tests/benchmarks/report.hpp"

#include <fmt/format.h>

namespace whybits::bench {
namespace {

std::string rate_text(const Result& result, double rate) {
  const char* per = result.amount ? "" : "/s";
  for (const auto& [unit, factor] :
       {std::pair{"T", 1e12}, std::pair{"G", 1e9}, std::pair{"M", 1e6}, std::pair{"k", 1e3}})
    if (rate >= factor) return fmt::format("{:.3g} {}{}", rate / factor, unit, per);
  return fmt::format("{:.3g} {}", rate, per);
}

/// "≥ 0.2", with what the ratio says to it.
std::string goal_text(const Result& result) {
  if (!result.goal) return "";
  return fmt::format("{} {:.3g} {}", result.goal->at_most ? "<=" : ">=", result.goal->bound,
                     result.meets_goal() ? "met" : "MISSED");
}

/// The part of the clock's time in which the thread had a processor.
std::string share_text(const std::optional<Timing>& timing) {
  return timing ? fmt::format("{:.0f}%", 100 * timing->cpu / timing->wall) : "";
}

nlohmann::json seconds(const Timing& timing) {
  return {{"cpu", timing.cpu}, {"wall", timing.wall}};
}

nlohmann::json json_of_line(const Result& r) {
  nlohmann::json line{{"name", r.name},     {"group", r.group}, {"item", r.item},
                      {"rate", r.rate},     {"peer", r.peer},   {"peer_rate", r.peer_rate},
                      {"ratio", r.ratio()}, {"note", r.note}};
  if (r.timing) {
    line["seconds"] = seconds(*r.timing);
  }
  if (r.instructions)
    line["instructions_per_item"] = *r.instructions;
  else if (r.timing)
    line["instructions_per_item"] = "not available";
  if (r.peer_timing) line["peer_seconds"] = seconds(*r.peer_timing);
  if (r.goal)
    line["goal"] = {{r.goal->at_most ? "at_most" : "at_least", r.goal->bound},
                    {"met", r.meets_goal()}};
  return line;
}

}  // namespace

void print_table(const Results& results) {
  std::size_t name = 0, peer = 0;
  for (const Result& r : results) {
    name = std::max(name, r.name.size());
    peer = std::max(peer, r.peer.size());
  }
  fmt::print("{:<{}} {:>10} {:>9}  {:<{}} {:>10} {:>8}  {:<14} {:>4} {:>6}\n", "", name, "rate",
             "ns", "peer", peer, "its rate", "ratio", "goal", "cpu", "instr");
  for (const Result& r : results)
    fmt::print("{:<{}} {:>10} {:>9}  {:<{}} {:>10} {:>8.3g}  {:<14} {:>4} {:>6}  {}\n", r.name,
               name, rate_text(r, r.rate), r.amount ? "" : fmt::format("{:.3g}", 1e9 / r.rate),
               r.peer, peer, rate_text(r, r.peer_rate), r.ratio(), goal_text(r),
               share_text(r.timing), r.instructions ? fmt::format("{:.3g}", *r.instructions) : "",
               r.note);
}

nlohmann::json json_of(const Results& results) {
  nlohmann::json lines = nlohmann::json::array();
  for (const Result& r : results) lines.push_back(json_of_line(r));
  return lines;
}

}  // namespace whybits::bench
