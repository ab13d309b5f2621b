#include "lab/study_report.hpp"

#include <fmt/format.h>

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

void comparison_row(TextTable& table, const std::string& what, const OutputComparison& c,
                    std::uint64_t outputs) {
  table.row({what, grouped(c.differ), "of " + grouped(outputs), share_text(c.differ, outputs)});
}

std::string histogram_text(const Study& study) {
  const auto header_of = [](std::size_t bucket) {
    const std::uint64_t low = exact::UlpHistogram::bucket_low(bucket);
    const std::uint64_t high = exact::UlpHistogram::bucket_high(bucket);
    return low == high ? grouped(low) : grouped(low) + "–" + grouped(high);
  };
  const auto block = [&](const std::string& what, const OutputComparison& c) {
    if (!c.same_format || c.differ == 0) return std::string();
    TextTable table({"ulp apart", what, "share of those that differ"}, {right, right, right});
    for (std::size_t bucket = 0; bucket < c.ulp.used_buckets(); ++bucket) {
      const std::uint64_t count = c.ulp.buckets()[bucket];
      if (count > 0) table.row({header_of(bucket), grouped(count), share_text(count, c.differ)});
    }
    if (c.ulp.not_comparable() > 0)
      table.row(
          {"NaN", grouped(c.ulp.not_comparable()), share_text(c.ulp.not_comparable(), c.differ)});
    return table.text(2) + "\n";
  };
  std::string out = block(format_name(study.a.reduction.output) + " outputs", *study.after);
  if (has_last_rounding(study.a))
    out += block(format_name(study.a.reduction.before.result) + " sums before it", *study.before);
  return out;
}

void error_rows(TextTable& table, const std::string& what, const exact::ErrorStatistics& a,
                const exact::ErrorStatistics* b) {
  const auto row = [&](const std::string& name, const auto& of) {
    table.row({what + " " + name, of(a), b ? of(*b) : ""});
  };
  row("rms", [](const auto& e) { return fmt::format("{:.3g}", e.rms()); });
  row("max", [](const auto& e) { return fmt::format("{:.3g}", e.max()); });
  row("toward zero", [](const auto& e) { return percent_text(e.toward_zero()); });
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

nlohmann::json comparison_json(const OutputComparison& c, std::uint64_t outputs) {
  nlohmann::json histogram = nlohmann::json::array();
  for (std::size_t bucket = 0; bucket < c.ulp.used_buckets(); ++bucket)
    if (c.ulp.buckets()[bucket] > 0)
      histogram.push_back({{"from", exact::UlpHistogram::bucket_low(bucket)},
                           {"to", exact::UlpHistogram::bucket_high(bucket)},
                           {"count", c.ulp.buckets()[bucket]}});
  return {{"outputs", outputs},
          {"differ", c.differ},
          {"same_format", c.same_format},
          {"ulp_histogram", histogram},
          {"not_comparable", c.ulp.not_comparable()}};
}

}  // namespace

std::string study_text(const Study& study, const SchemaPtr& a, const SchemaPtr& b) {
  const std::uint64_t outputs = study.a.after.size();
  std::string out = fmt::format("  A  {}\n", print(*a));
  if (b) out += fmt::format("  B  {}\n", print(*b));
  out += '\n';
  if (study.b) {
    const bool last = has_last_rounding(study.a) || has_last_rounding(*study.b);
    if (study.a.reduction.before.tree == study.b->reduction.before.tree &&
        study.a.reduction.last == study.b->reduction.last)
      out += fmt::format("  A and B are the same tree for {} addends: they cannot differ.\n\n",
                         grouped(study.a.reduction.before.tree.addends()));
    TextTable differ({}, {left, right, left, right});
    comparison_row(differ, format_name(study.a.reduction.output) + " outputs that differ",
                   *study.after, outputs);
    if (last)
      comparison_row(
          differ, format_name(study.a.reduction.before.result) + " sums before the last rounding",
          *study.before, outputs);
    out += differ.text(2) + "\n" + histogram_text(study);
  }
  if (study.a.error_after.count() > 0) {
    TextTable errors(study.b ? std::vector<std::string>{"error against exact", "A", "B"}
                             : std::vector<std::string>{"error against exact", "A"},
                     {left, right, right});
    if (has_last_rounding(study.a))
      error_rows(errors, format_name(study.a.reduction.before.result) + " sums",
                 study.a.error_before, study.b ? &study.b->error_before : nullptr);
    error_rows(errors, format_name(study.a.reduction.output) + " outputs", study.a.error_after,
               study.b ? &study.b->error_after : nullptr);
    out += errors.text(2);
    const std::uint64_t skipped = outputs - study.a.error_after.count();
    if (skipped > 0)
      out += fmt::format("  {} outputs have NaN or infinity among their addends: no exact sum\n",
                         grouped(skipped));
  }
  return out;
}

nlohmann::json study_json(const Study& study, const SchemaPtr& a, const SchemaPtr& b) {
  const std::uint64_t outputs = study.a.after.size();
  nlohmann::json out{{"outputs", outputs}, {"a", topology_json(study.a, a)}};
  if (study.b) {
    out["b"] = topology_json(*study.b, b);
    out["before_last_rounding"] = comparison_json(*study.before, outputs);
    out["after_last_rounding"] = comparison_json(*study.after, outputs);
  }
  return out;
}

std::string study_csv(const Study& study, const std::string& keys, const OutputName& name_cells) {
  std::string out = keys + ",a_before,a";
  if (study.b) out += ",b_before,b,same,ulp";
  out += '\n';
  for (std::size_t i = 0; i < study.a.after.size(); ++i) {
    const SplitReduction& ra = study.a.reduction;
    out += fmt::format("{},{},{}", name_cells(i), hex_code(ra.before.result, study.a.before[i]),
                       hex_code(ra.output, study.a.after[i]));
    if (study.b) {
      const SplitReduction& rb = study.b->reduction;
      const bool same = same_value(ra.output, study.a.after[i], rb.output, study.b->after[i]);
      std::string ulp;
      if (ra.output == rb.output)
        if (const auto d = exact::ulp_distance(ra.output, study.a.after[i], study.b->after[i]))
          ulp = std::to_string(*d);
      out += fmt::format(",{},{},{},{}", hex_code(rb.before.result, study.b->before[i]),
                         hex_code(rb.output, study.b->after[i]), same ? 1 : 0, ulp);
    }
    out += '\n';
  }
  return out;
}

}  // namespace whybits
