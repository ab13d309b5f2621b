#include "visualizer/model/export_data.hpp"

#include <fmt/format.h>

#include <array>

#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "lab/output_text.hpp"
#include "lab/story.hpp"
#include "lab/study_report.hpp"
#include "sim/notation.hpp"

namespace whybits::viz {
namespace {

constexpr std::array<std::string_view, 3> mark_names{"same", "other", "no_counterpart"};

std::string leaf_columns(const LeafSet& leaves) {
  if (leaves.count == 0) return "0,,";
  return fmt::format("{},{},{}", leaves.count, leaves.first, leaves.last);
}

std::string number_name(const PairResult& result, std::size_t output) {
  if (result.columns == 1) return std::to_string(output);
  return fmt::format("{},{}", output / result.columns, output % result.columns);
}

}  // namespace

std::string outputs_csv(const PairResult& result) {
  if (!result.study) return "";
  return study_csv(*result.study, result.columns == 1 ? "row" : "row,column",
                   [&](std::size_t i) { return number_name(result, i); });
}

std::string steps_csv(const StoryModel& story) {
  std::string out =
      "side,ribbon,step,leaves,first_leaf,last_leaf,code,value,mark,discarded,error\n";
  for (const Side side : {Side::a, Side::b}) {
    const Trace& trace = story.trace(side);
    const AxisSide& axis = story.axis.side(side);
    const std::vector<Mark>& marks =
        side == Side::a ? story.story.divergence.marks_a : story.story.divergence.marks_b;
    const std::vector<Dyadic> errors =
        trace.finite ? errors_so_far(trace) : std::vector<Dyadic>(trace.nodes.size());
    for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
      const TraceNode& node = trace.nodes[i];
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", side == Side::a ? "A" : "B",
                         axis.ribbons.ribbon_of[i], i, leaf_columns(node.leaves),
                         hex_code(node.format, node.code), display_decimal(node.format, node.code),
                         mark_names[static_cast<std::size_t>(marks[i])],
                         node.finite ? node.discarded.to_decimal() : "",
                         trace.finite ? errors[i].to_decimal() : "");
    }
  }
  return out;
}

std::string ribbons_csv(const StoryModel& story) {
  std::string out =
      "side,ribbon,below,joins,leaves,first_leaf,last_leaf,steps,same,other,no_counterpart,"
      "discarded,share\n";
  for (const Side side : {Side::a, Side::b}) {
    const Ribbons& ribbons = story.axis.side(side).ribbons;
    const bool amounts = story.axis.ledger_valid;
    for (std::size_t r = 0; r < ribbons.size(); ++r) {
      const Ribbon& ribbon = ribbons.ribbons[r];
      const MarkCounts marks = ribbons.marks(r, r);
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", side == Side::a ? "A" : "B", r,
                         r - ribbon.first_below,
                         ribbon.parent < 0 ? "" : std::to_string(ribbon.parent),
                         leaf_columns(ribbon.leaves), ribbon.steps(), marks.same, marks.other,
                         marks.no_counterpart, amounts ? ribbons.discarded(r, r).to_decimal() : "",
                         amounts ? ribbons.share(r, r).to_decimal() : "");
    }
  }
  return out;
}

std::string step_csv(const StepView& step) {
  std::string out = "row,leaf,negative,exponent,leading,last,bits,value,cut\n";
  const auto line = [&](const std::string& name, const BitRow& row) {
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", name,
                       row.leaf < 0 ? "" : std::to_string(row.leaf), row.negative ? 1 : 0,
                       row.exponent, row.leading, row.last, row.bits, row.value.to_decimal(),
                       row.cut.to_decimal());
  };
  constexpr std::array<std::string_view, 4> kinds{"accumulator", "product", "value", "padding"};
  for (const BitRow& row : step.rows)
    line(std::string(kinds[static_cast<std::size_t>(row.kind)]), row);
  line("sum", step.sum);
  line("result", step.result);
  return out;
}

std::string comparison_json(const PairResult& result) {
  if (!result.study) return "";
  nlohmann::ordered_json out = study_json(
      *result.study, {parse_topology(result.a.topology), parse_topology(result.b.topology)});
  if (result.story) {
    const StoryModel& model = *result.story;
    const Leaves leaves = model.leaves.get();
    // As the command line tells it, the last rounding included.
    out["output"] =
        story_json(tell_output(LeafTypes::of(leaves), leaves, parse_topology(result.a.topology),
                               parse_topology(result.b.topology)));
    out["output"]["name"] = model.name;
  }
  return json_text(out);
}

}  // namespace whybits::viz
