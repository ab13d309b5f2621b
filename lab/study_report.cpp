#include "lab/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/code_text.hpp"
#include "lab/text_table.hpp"
#include "sim/any_order.hpp"
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
  return share ? fmt::format("{:.1f} %", 100 * *share) : "–";  // no result is inexact
}

bool has_last_rounding(const TopologyOutputs& outputs) {
  return outputs.reduction.last.has_value();
}

std::string pair_name(const PairComparison& pair) {
  return topology_letter(pair.a) + "–" + topology_letter(pair.b);
}

/// "f32 ", or nothing if the topologies' formats are not all the same.
template <class FormatOf>
std::string common_format(const Study& study, FormatOf format_of) {
  const Format& first = format_of(study.topologies[0].reduction);
  const bool all = std::all_of(
      study.topologies.begin(), study.topologies.end(),
      [&](const TopologyOutputs& outputs) { return format_of(outputs.reduction) == first; });
  return all ? format_name(first) + " " : "";
}

std::string outputs_name(const Study& study) {
  return common_format(study, [](const SplitReduction& r) -> const Format& { return r.output; }) +
         "outputs";
}

std::string sums_name(const Study& study) {
  return common_format(study,
                       [](const SplitReduction& r) -> const Format& { return r.before.result; }) +
         "sums";
}

/// How many results differ, a row for each pair of topologies.
std::string differ_text(const Study& study) {
  const bool last =
      std::any_of(study.topologies.begin(), study.topologies.end(), has_last_rounding);
  std::vector<std::string> header{"that differ", outputs_name(study), "share"};
  if (last) {
    header.push_back(sums_name(study) + " before the last rounding");
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
  return table.text(2);
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
  return table.text(2);
}

std::string no_exact_sum_text(std::uint64_t outputs) {
  return fmt::format("  {} with NaN or infinity among the addends: no exact sum\n",
                     counted(outputs, "output"));
}

/// Errors of the topologies from `begin` to before `end`, a column each.
std::string error_table(const Study& study, std::size_t begin, std::size_t end) {
  std::vector<std::string> header{"error against exact"};
  std::vector<TextTable::Align> align{left};
  for (std::size_t i = begin; i < end; ++i) {
    header.push_back(topology_letter(i));
    align.push_back(right);
  }
  TextTable table(header, align);
  const auto row = [&](const std::string& name, auto of) {
    std::vector<std::string> cells{name};
    for (std::size_t i = begin; i < end; ++i) cells.push_back(of(study.topologies[i]));
    table.row(std::move(cells));
  };
  const auto rows = [&](const std::string& what, auto statistics) {
    row(what + " rms", [&](const auto& o) { return fmt::format("{:.3g}", statistics(o).rms()); });
    row(what + " max", [&](const auto& o) { return fmt::format("{:.3g}", statistics(o).max()); });
    row(what + " toward zero",
        [&](const auto& o) { return percent_text(statistics(o).toward_zero()); });
  };
  if (std::any_of(study.topologies.begin(), study.topologies.end(), has_last_rounding))
    rows(sums_name(study), [](const TopologyOutputs& o) -> const auto& { return o.error_before; });
  rows(outputs_name(study), [](const TopologyOutputs& o) -> const auto& { return o.error_after; });
  return table.text(2);
}

std::string errors_text(const Study& study) {
  constexpr std::size_t columns = 6;  // in 100 characters
  std::string out;
  for (std::size_t begin = 0; begin < study.topologies.size(); begin += columns)
    out += (begin > 0 ? "\n" : "") +
           error_table(study, begin, std::min(begin + columns, study.topologies.size()));
  const std::uint64_t skipped = study.outputs() - study.topologies[0].error_after.count();
  return skipped > 0 ? out + no_exact_sum_text(skipped) : out;
}

/// Topologies by their letters, with what a reader must know of them.
std::string topologies_text(const Study& study, const std::vector<SchemaPtr>& topologies) {
  std::string out;
  for (std::size_t i = 0; i < topologies.size(); ++i)
    out += fmt::format("  {}  {}\n", topology_letter(i), print(*topologies[i]));
  for (std::size_t i = 0; i < topologies.size(); ++i)
    if (has_any_order(study.topologies[i].reduction.before.tree))
      out += fmt::format(
          "  {} leaves an order open: any(…) adds in index order here, one of the "
          "orders possible\n",
          topology_letter(i));
  return out;
}

nlohmann::ordered_json error_json(const exact::ErrorStatistics& e) {
  const auto toward = e.toward_zero();
  return {{"count", e.count()},
          {"not_finite", e.not_finite()},
          {"exact_results", e.exact_results()},
          {"rms", e.rms()},
          {"max", e.max()},
          {"mean", e.mean()},
          {"toward_zero", toward ? nlohmann::ordered_json(*toward) : nullptr}};
}

nlohmann::ordered_json topology_json(const TopologyOutputs& outputs, const SchemaPtr& schema,
                                     bool with_exact) {
  const TreeStatistics tree = outputs.reduction.before.tree.statistics();
  const auto error = [&](const exact::ErrorStatistics& statistics) {
    return with_exact ? error_json(statistics) : nlohmann::ordered_json();
  };
  return {{"topology", print(*schema)},
          {"format_before", format_name(outputs.reduction.before.result)},
          {"format", format_name(outputs.reduction.output)},
          {"order_open", has_any_order(outputs.reduction.before.tree)},
          {"steps", tree.steps},
          {"depth", tree.depth},
          {"error_before", error(outputs.error_before)},
          {"error", error(outputs.error_after)}};
}

nlohmann::ordered_json comparison_json(const OutputComparison& c) {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
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
  std::vector<std::string> sections{topologies_text(study, topologies)};
  if (!study.pairs.empty()) sections.push_back(differ_text(study));
  if (study.pairs.size() == 1) {
    const PairComparison& pair = study.pairs[0];
    sections.push_back(histogram_text(outputs_name(study), pair.after));
    if (has_last_rounding(study.topologies[0]) || has_last_rounding(study.topologies[1]))
      sections.push_back(histogram_text(sums_name(study), pair.before));
  }
  if (study.topologies[0].error_after.count() > 0)
    sections.push_back(errors_text(study));
  else if (study.with_exact && study.outputs() > 0)
    sections.push_back(no_exact_sum_text(study.outputs()));
  std::erase(sections, "");
  return fmt::format("{}", fmt::join(sections, "\n"));
}

nlohmann::ordered_json study_json(const Study& study, const std::vector<SchemaPtr>& topologies) {
  nlohmann::ordered_json out{{"outputs", study.outputs()},
                             {"topologies", nlohmann::ordered_json::array()},
                             {"pairs", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    out["topologies"].push_back(
        topology_json(study.topologies[i], topologies[i], study.with_exact));
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
