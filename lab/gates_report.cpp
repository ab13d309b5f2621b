// Gates as text, JSON and a picture.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/gates.hpp"
#include "lab/svg_text.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

std::string batch_text(const GateRun& run) {
  return run.first_m == run.last_m ? std::to_string(run.first_m)
                                   : fmt::format("{}–{}", run.first_m, run.last_m);
}

bool has_gaps(const GateReport& report) {
  return report.recorded != report.runs.back().last_m;
}

std::string letter_of(const GateRun& run) {
  return run.topology ? topology_letter(*run.topology) : "?";
}

/// How one run differs from the run before it.
const GateChange* change_to(const GateReport& report, std::size_t run) {
  for (const GateChange& change : report.changes)
    if (change.to == run) return &change;
  return nullptr;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// Colours with a letter beside each, so that colour is never alone.
constexpr std::array<std::string_view, 8> colours{"#3b6fb6", "#c98a1b", "#2f8f6b", "#8a5cb8",
                                                  "#b0505a", "#5f7f2f", "#3f8fa8", "#7a6a58"};

}  // namespace

std::string gates_text(const GateReport& report) {
  using enum TextTable::Align;
  std::string out =
      fmt::format("{}: row 0, {}, a={} b={}\n{} recorded{}\n\n", text_of(report.key),
                  counted(report.outputs, "output"), report.input_a, report.input_b,
                  counted(report.recorded, "batch size"),
                  has_gaps(report) ? ", what lies between them is not" : ", none left out");
  TextTable runs({"m", "", "f32 differ", "out differ", "max ulp", "topology"},
                 {right, left, right, right, right, left});
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const GateChange* change = change_to(report, i);
    const bool same =
        i > 0 && report.runs[i].topology && report.runs[i].topology == report.runs[i - 1].topology;
    runs.row({batch_text(report.runs[i]), letter_of(report.runs[i]),
              change ? grouped(change->before)
              : same ? "must not"
                     : "",
              change ? grouped(change->after)
              : same ? "must not"
                     : "",
              change && change->largest_ulp ? grouped(*change->largest_ulp) : "",
              report.runs[i].text});
  }
  out += runs.text();
  if (report.topologies.empty()) return out;
  TextTable errors({"", "f32 rms error", "toward zero", "out rms error"},
                   {left, right, right, right});
  for (std::size_t i = 0; i < report.topologies.size(); ++i) {
    const GateTopology& t = report.topologies[i];
    const auto toward = t.error_before.toward_zero();
    errors.row({topology_letter(i), fmt::format("{:.3g}", t.error_before.rms()),
                toward ? fmt::format("{:.0f} %", 100 * *toward) : "-",
                fmt::format("{:.3g}", t.error_after.rms())});
  }
  return out + "\nErrors against exact sums, before and after the last rounding\n" + errors.text();
}

nlohmann::ordered_json gates_json(const GateReport& report) {
  nlohmann::ordered_json out{
      {"whybits_gates_gemm", 1},
      {"layer",
       {{"n", report.key.n},
        {"k", report.key.k},
        {"layout", cublaslt::layout_names[static_cast<std::size_t>(report.key.storage_b)]},
        {"types", name_of(report.key.types)}}},
      {"inputs", {{"a", report.input_a}, {"b", report.input_b}}},
      {"outputs", report.outputs},
      {"recorded", report.recorded},
      {"runs", nlohmann::ordered_json::array()},
      {"changes", nlohmann::ordered_json::array()},
      {"topologies", nlohmann::ordered_json::array()}};
  for (const GateRun& run : report.runs)
    out["runs"].push_back({{"first_m", run.first_m},
                           {"last_m", run.last_m},
                           {"letter", letter_of(run)},
                           {"topology", run.text}});
  for (const GateChange& change : report.changes) {
    nlohmann::ordered_json one{{"from_m", report.runs[change.from].last_m},
                               {"to_m", report.runs[change.to].first_m},
                               {"differ_before_rounding", change.before},
                               {"differ", change.after},
                               {"largest_ulp", nullptr},
                               {"same_tree", change.same_tree}};
    if (change.largest_ulp) one["largest_ulp"] = *change.largest_ulp;
    out["changes"].push_back(std::move(one));
  }
  for (std::size_t i = 0; i < report.topologies.size(); ++i) {
    const GateTopology& t = report.topologies[i];
    out["topologies"].push_back(
        {{"letter", topology_letter(i)},
         {"topology", print(*t.topology)},
         {"rms_error_before_rounding", number_or_null(t.error_before.rms())},
         {"rms_error", number_or_null(t.error_after.rms())}});
  }
  return out;
}

std::string gates_svg(const GateReport& report) {
  constexpr double width = 900, left = 20, top = 46, bar = 42, line = 18;
  const double most = std::log2(static_cast<double>(report.runs.back().last_m) + 1);
  const auto x = [&](std::uint64_t m) {
    return left + (width - 2 * left) * std::log2(static_cast<double>(m)) / most;
  };
  const double height = top + bar + 40 + line * static_cast<double>(report.topologies.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"22\" font-size=\"14\">{3}: topology by batch size m; grey is not "
      "recorded</text>\n"
      "<rect x=\"{2}\" y=\"{4}\" width=\"{5}\" height=\"{6}\" fill=\"#e4e4e4\"/>\n",
      width, height, left, text_of(report.key), top, width - 2 * left, bar);
  for (const GateRun& run : report.runs) {
    const double begin = x(run.first_m), end = std::max(x(run.last_m + 1), begin + 4);
    const std::string_view colour =
        run.topology ? colours[*run.topology % colours.size()] : std::string_view("#888888");
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n"
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n",
        begin, top, end - begin, bar, colour, (begin + end) / 2, top + bar + 16, run.first_m,
        (begin + end) / 2, top - 6, letter_of(run));
  }
  for (std::size_t i = 0; i < report.topologies.size(); ++i) {
    const double y = top + bar + 40 + line * static_cast<double>(i);
    const std::string text = svg_text(print(*report.topologies[i].topology));
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{:.0f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{:.0f}\">{}: {}</text>\n",
        left, y - 11, colours[i % colours.size()], left + 18, y, topology_letter(i), text);
  }
  return svg + "</svg>\n";
}

}  // namespace whybits
