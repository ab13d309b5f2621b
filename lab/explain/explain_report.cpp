#include "lab/explain/explain_report.hpp"

#include <fmt/format.h>

#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

constexpr std::size_t most_listed = 8;

std::string place(const Observed& observed, std::size_t index) {
  const std::size_t columns = observed.chosen.columns.size();
  return fmt::format("[{},{}]", observed.chosen.rows[index / columns],
                     observed.chosen.columns[index % columns]);
}

std::string places(const Observed& observed, const std::vector<std::size_t>& outputs) {
  std::string text;
  for (std::size_t i = 0; i < std::min(outputs.size(), most_listed); ++i)
    text += (i > 0 ? " " : "") + place(observed, outputs[i]);
  return outputs.size() > most_listed ? text + " …" : text;
}

std::string order_text(const Hypothesis& h) {
  const std::string rounded =
      h.operands ? fmt::format(", operands rounded to {} first", conversion_name(*h.operands)) : "";
  return fmt::format("{}{}", print(*h.topology), rounded);
}

/// Why there is no exact order, in one line.
std::string verdict(const Explanation& e) {
  if (e.explained()) return "explained";
  const std::uint64_t wrong = e.nearest ? e.nearest->wrong : e.compared;
  if (wrong * 2 <= e.compared) return "damaged";
  if (e.bound && e.bound->beyond > 0) return "no_order";
  return "unknown_order";
}

std::string bound_text(const OrderBound& bound) {
  if (bound.looked_at == 0) return "No bound: operands are not finite.\n";
  const std::string spread =
      fmt::format("largest error {:.2g} of the bound, of the nearest known order {:.2g}",
                  bound.largest, bound.largest_of_known);
  if (bound.beyond > 0)
    return fmt::format(
        "No order explains {} of {}: farther from exact than any order of {} additions can be "
        "({}).\n",
        grouped(bound.beyond), counted(bound.looked_at, "output"), format_name(bound.accumulator),
        spread);
  return fmt::format(
      "Some order of {} additions might: {} {} within what any order can err ({}).\n",
      format_name(bound.accumulator), counted(bound.looked_at, "output"),
      bound.looked_at == 1 ? "lies" : "lie", spread);
}

nlohmann::ordered_json candidate_json(const Candidate& candidate) {
  nlohmann::ordered_json out{{"topology", print(*candidate.hypothesis.topology)},
                             {"operands", nullptr},
                             {"family", candidate.hypothesis.family},
                             {"wrong", candidate.wrong}};
  if (candidate.hypothesis.operands)
    out["operands"] = conversion_name(*candidate.hypothesis.operands);
  return out;
}

}  // namespace

std::string explanation_text(const Explanation& e, const Observed& observed) {
  std::string out;
  if (e.explained()) {
    out += fmt::format("EXPLAINED: {} of {} known orders {} every bit of {}\n", e.exact.size(),
                       grouped(e.tried), e.exact.size() == 1 ? "gives" : "give",
                       counted(e.compared, "output"));
    for (std::size_t i = 0; i < std::min(e.exact.size(), most_listed); ++i)
      out += fmt::format("  {}\n    {}\n", order_text(e.exact[i].hypothesis),
                         e.exact[i].hypothesis.family);
    if (e.exact.size() > most_listed)
      out += fmt::format("  … and {} more, with --json\n", e.exact.size() - most_listed);
    if (e.exact.size() > 1) out += "  These outputs cannot tell them apart.\n";
    if (e.nearest)
      out += fmt::format("Nearest other: {} wrong\n  {}\n", counted(e.nearest->wrong, "output"),
                         order_text(e.nearest->hypothesis));
    return out;
  }
  out += fmt::format("NOT EXPLAINED: none of {} known orders gives every bit of {}\n",
                     grouped(e.tried), counted(e.compared, "output"));
  const bool damaged = verdict(e) == "damaged";
  if (e.nearest)
    out += fmt::format("{}: {}\n  {}\n    {}\n", damaged ? "All but these are as by" : "Nearest",
                       how_many_differ(e.nearest->wrong, e.compared, "output"),
                       order_text(e.nearest->hypothesis), e.nearest->hypothesis.family);
  std::size_t listed = 0;
  for (const Damage& damage : e.damage) {
    if (++listed > most_listed) {
      out += fmt::format("  … and {} more kinds, with --json\n", e.damage.size() - most_listed);
      break;
    }
    out += fmt::format("  {}: {} {}\n", damage_name(damage.kind),
                       counted(damage.outputs.size(), "output"), damage.text);
    out += fmt::format("    {}\n", places(observed, damage.outputs));
  }
  if (e.bound && !damaged) out += bound_text(*e.bound);
  return out;
}

nlohmann::ordered_json explanation_json(const Explanation& e, const Observed& observed) {
  nlohmann::ordered_json out{{"verdict", verdict(e)}, {"compared", e.compared},
                             {"tried", e.tried},      {"exact", nlohmann::ordered_json::array()},
                             {"nearest", nullptr},    {"damage", nlohmann::ordered_json::array()},
                             {"bound", nullptr}};
  for (const Candidate& candidate : e.exact) out["exact"].push_back(candidate_json(candidate));
  if (e.nearest) out["nearest"] = candidate_json(*e.nearest);
  for (const Damage& damage : e.damage) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const std::size_t index : damage.outputs) list.push_back(place(observed, index));
    out["damage"].push_back(
        {{"kind", damage_name(damage.kind)}, {"text", damage.text}, {"outputs", std::move(list)}});
  }
  if (e.bound)
    out["bound"] = {{"looked_at", e.bound->looked_at},
                    {"beyond", e.bound->beyond},
                    {"largest", e.bound->largest},
                    {"largest_of_nearest", e.bound->largest_of_known}};
  return out;
}

}  // namespace whybits
