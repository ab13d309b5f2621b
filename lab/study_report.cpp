#include "lab/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/code_text.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

using enum TextTable::Align;

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  // 4095 of 4096 is not "100 %".
  const bool rounds_to_all = part < whole && percent > 99.95;
  return rounds_to_all ? "> 99.9 %" : fmt::format("{:.3g} %", percent);
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "none inexact";
}

bool has_last_rounding(const TopologyOutputs& outputs) {
  return outputs.reduction.last.has_value();
}

std::string pair_name(const PairComparison& pair) {
  return topology_letter(pair.a) + "–" + topology_letter(pair.b);
}

/// How many results differ, a row for each pair of topologies.
std::string differ_text(const Study& study) {
  const bool last =
      std::any_of(study.topologies.begin(), study.topologies.end(), has_last_rounding);
  const SplitReduction& first = study.topologies[0].reduction;
  std::vector<std::string> header{"that differ", format_name(first.output) + " outputs", "share"};
  if (last) {
    header.push_back(format_name(first.before.result) + " sums before the last rounding");
    header.emplace_back("share");
  }
  TextTable table(header, {left, right, right, right, right});
  for (const PairComparison& pair : study.pairs) {
    std::vector<std::string> row{pair_name(pair) + (pair.same_tree ? " (the same tree)" : ""),
                                 grouped(pair.after.differ) + " of " + grouped(study.outputs()),
                                 share_text(pair.after.differ, study.outputs())};
    if (last) {
      row.push_back(grouped(pair.before.differ) + " of " + grouped(study.outputs()));
      row.push_back(share_text(pair.before.differ, study.outputs()));
    }
    table.row(std::move(row));
  }
  return table.text(2) + "\n";
}

/// A bar of up to `width` blocks; anything that is not nothing gets one.
std::string bar(std::uint64_t part, std::uint64_t largest) {
  constexpr std::uint64_t width = 24;
  const std::uint64_t blocks = part == 0 ? 0 : std::max<std::uint64_t>(1, part * width / largest);
  std::string text;
  for (std::uint64_t i = 0; i < blocks; ++i) text += "▇";
  return text;
}

std::string histogram_text(const std::string& what, const OutputComparison& c) {
  if (!c.same_format || c.differ == 0) return {};
  const auto range = [](std::size_t bucket) {
    const std::uint64_t low = exact::UlpHistogram::bucket_low(bucket);
    const std::uint64_t high = exact::UlpHistogram::bucket_high(bucket);
    return low == high ? grouped(low) : grouped(low) + "–" + grouped(high);
  };
  const auto& buckets = c.ulp.buckets();
  const std::uint64_t largest = *std::max_element(buckets.begin(), buckets.end());
  TextTable table({"ulp apart", what, ""}, {right, right, left});
  for (std::size_t bucket = 0; bucket < c.ulp.used_buckets(); ++bucket)
    if (buckets[bucket] > 0)
      table.row({range(bucket), grouped(buckets[bucket]), bar(buckets[bucket], largest)});
  if (c.ulp.not_comparable() > 0) table.row({"NaN", grouped(c.ulp.not_comparable()), ""});
  return table.text(2) + "\n";
}

std::string errors_text(const Study& study) {
  std::vector<std::string> header{"error against exact"};
  for (std::size_t i = 0; i < study.topologies.size(); ++i) header.push_back(topology_letter(i));
  TextTable table(header, std::vector<TextTable::Align>{left, right, right, right, right, right});
  const auto row = [&](const std::string& name, auto of) {
    std::vector<std::string> cells{name};
    for (const TopologyOutputs& outputs : study.topologies) cells.push_back(of(outputs));
    table.row(std::move(cells));
  };
  const auto rows = [&](const std::string& what, auto statistics) {
    row(what + " rms", [&](const auto& o) { return fmt::format("{:.3g}", statistics(o).rms()); });
    row(what + " max", [&](const auto& o) { return fmt::format("{:.3g}", statistics(o).max()); });
    row(what + " toward zero",
        [&](const auto& o) { return percent_text(statistics(o).toward_zero()); });
  };
  const TopologyOutputs& first = study.topologies[0];
  if (std::any_of(study.topologies.begin(), study.topologies.end(), has_last_rounding))
    rows(format_name(first.reduction.before.result) + " sums",
         [](const TopologyOutputs& o) -> const auto& { return o.error_before; });
  rows(format_name(first.reduction.output) + " outputs",
       [](const TopologyOutputs& o) -> const auto& { return o.error_after; });
  std::string out = table.text(2);
  const std::uint64_t skipped = study.outputs() - first.error_after.count();
  if (skipped > 0)
    out += fmt::format("  {} outputs have NaN or infinity among their addends: no exact sum\n",
                       grouped(skipped));
  return out;
}

nlohmann::json error_json(const exact::ErrorStatistics& e) {
  const auto toward = e.toward_zero();
  return {{"count", e.count()},
          {"not_finite", e.not_finite()},
          {"exact_results", e.exact_results()},
          {"rms", e.rms()},
          {"max", e.max()},
          {"mean", e.mean()},
          {"toward_zero", toward ? nlohmann::json(*toward) : nullptr}};
}

nlohmann::json topology_json(const TopologyOutputs& outputs, const SchemaPtr& schema) {
  const TreeStatistics tree = outputs.reduction.before.tree.statistics();
  return {{"topology", print(*schema)},
          {"format_before", format_name(outputs.reduction.before.result)},
          {"format", format_name(outputs.reduction.output)},
          {"steps", tree.steps},
          {"depth", tree.depth},
          {"error_before", error_json(outputs.error_before)},
          {"error", error_json(outputs.error_after)}};
}

nlohmann::json comparison_json(const OutputComparison& c) {
  nlohmann::json histogram = nlohmann::json::array();
  for (std::size_t bucket = 0; bucket < c.ulp.used_buckets(); ++bucket)
    if (c.ulp.buckets()[bucket] > 0)
      histogram.push_back({{"from", exact::UlpHistogram::bucket_low(bucket)},
                           {"to", exact::UlpHistogram::bucket_high(bucket)},
                           {"count", c.ulp.buckets()[bucket]}});
  return {{"differ", c.differ},
          {"same_format", c.same_format},
          {"ulp_histogram", histogram},
          {"not_comparable", c.ulp.not_comparable()}};
}

}  // namespace

std::string study_text(const Study& study, const std::vector<SchemaPtr>& topologies) {
  std::string out;
  for (std::size_t i = 0; i < topologies.size(); ++i)
    out += fmt::format("  {}  {}\n", topology_letter(i), print(*topologies[i]));
  out += '\n';
  if (!study.pairs.empty()) out += differ_text(study);
  if (study.pairs.size() == 1) {
    const PairComparison& pair = study.pairs[0];
    const SplitReduction& first = study.topologies[0].reduction;
    out += histogram_text(format_name(first.output) + " outputs", pair.after);
    if (first.last) out += histogram_text(format_name(first.before.result) + " sums", pair.before);
  }
  if (study.topologies[0].error_after.count() > 0) out += errors_text(study);
  return out;
}

nlohmann::json study_json(const Study& study, const std::vector<SchemaPtr>& topologies) {
  nlohmann::json out{{"outputs", study.outputs()},
                     {"topologies", nlohmann::json::array()},
                     {"pairs", nlohmann::json::array()}};
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    out["topologies"].push_back(topology_json(study.topologies[i], topologies[i]));
    out["topologies"].back()["name"] = topology_letter(i);
  }
  for (const PairComparison& pair : study.pairs)
    out["pairs"].push_back({{"a", topology_letter(pair.a)},
                            {"b", topology_letter(pair.b)},
                            {"same_tree", pair.same_tree},
                            {"before_last_rounding", comparison_json(pair.before)},
                            {"after_last_rounding", comparison_json(pair.after)}});
  return out;
}

std::string study_csv(const Study& study, const std::string& keys, const OutputName& name_cells) {
  std::string out = keys;
  for (std::size_t t = 0; t < study.topologies.size(); ++t) {
    const std::string name(1, static_cast<char>('a' + t));
    out += fmt::format(",{}_before,{}", name, name);
  }
  out += study.pairs.empty() ? "\n" : ",same,ulp_a_b\n";
  for (std::size_t i = 0; i < study.outputs(); ++i) {
    out += name_cells(i);
    bool same = true;
    const TopologyOutputs& first = study.topologies[0];
    for (const TopologyOutputs& t : study.topologies) {
      out += fmt::format(",{},{}", hex_code(t.reduction.before.result, t.before[i]),
                         hex_code(t.reduction.output, t.after[i]));
      same = same &&
             same_value(first.reduction.output, first.after[i], t.reduction.output, t.after[i]);
    }
    if (!study.pairs.empty()) {
      const TopologyOutputs& second = study.topologies[1];
      std::string ulp;
      if (first.reduction.output == second.reduction.output)
        if (const auto d =
                exact::ulp_distance(first.reduction.output, first.after[i], second.after[i]))
          ulp = std::to_string(*d);
      out += fmt::format(",{},{}", same ? 1 : 0, ulp);
    }
    out += '\n';
  }
  return out;
}

}  // namespace whybits
