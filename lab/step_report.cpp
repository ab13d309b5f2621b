#include "lab/step_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

constexpr int most_columns = 72;
constexpr std::array<std::string_view, 4> kind_names{"accumulator", "product", "value", "padding"};

/// The digits from the leftmost column to `bottom`, with the cut between those kept and lost.
std::string digits(const StepView& view, const BitRow& row, int bottom) {
  std::string out;
  for (int weight = view.top; weight >= bottom; --weight) {
    if (view.aligned && weight == view.cut - 1) out += '|';
    const char digit = row.digit(weight);
    out += digit == ' ' ? '.' : digit;
  }
  if (bottom > view.bottom && row.last < bottom && !row.bits.empty()) out += "…";
  return out;
}

std::string row_name(const BitRow& row) {
  switch (row.kind) {
    case BitRow::Kind::accumulator:
      return "accumulator";
    case BitRow::Kind::padding:
      return "padding";
    case BitRow::Kind::product:
    case BitRow::Kind::value:
      break;
  }
  return row.leaf >= 0 ? fmt::format("leaf {}", row.leaf) : "a sum";
}

nlohmann::ordered_json row_json(const BitRow& row) {
  return {{"kind", kind_names[static_cast<std::size_t>(row.kind)]},
          {"leaf", row.leaf < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(row.leaf)},
          {"exponent", row.exponent},
          {"leading", row.leading},
          {"last", row.last},
          {"bits", row.bits},
          {"value", row.value.to_decimal()},
          {"cut", row.cut.to_decimal()}};
}

std::string loss_text(const StepView& view) {
  std::string out;
  if (!view.entry_discarded.is_zero())
    out += fmt::format("  lost where operands enter  {}\n", signed_short(view.entry_discarded));
  if (view.aligned)
    out += fmt::format("  lost at the cut            {}, in {} of {} rows\n",
                       signed_short(view.cut_discarded), view.rows_cut, view.rows.size());
  const StepConversion& c = view.conversion;
  return out + fmt::format("  lost by {:<18} {}, guard {} round {} sticky {}\n", c.to,
                           signed_short(c.discarded), c.guard ? 1 : 0, c.round ? 1 : 0,
                           c.sticky ? 1 : 0);
}

}  // namespace

std::optional<StepWish> step_wish(const std::string& text, bool alone) {
  if (text.empty()) return std::nullopt;
  if (alone)
    throw UsageError("--step takes a step of A or B apart", "give the second topology with --vs");
  const auto fail = [&] {
    throw UsageError("--step: '" + text + "' is not SIDE,NUMBER", "as in --step B,224");
  };
  if (text.size() < 3 || (text[0] != 'A' && text[0] != 'B') || text[1] != ',') fail();
  StepWish wish{text[0] == 'B', 0};
  const auto [end, error] =
      std::from_chars(text.data() + 2, text.data() + text.size(), wish.number);
  if (error != std::errc() || end != text.data() + text.size()) fail();
  return wish;
}

StepView wished_step(const OutputStory& story, const StepWish& wish, const Leaves& leaves) {
  const Trace& trace = wish.of_b ? story.b : story.a;
  const char* side = wish.of_b ? "B" : "A";
  if (wish.number >= trace.nodes.size())
    throw UsageError(fmt::format("{} has no step {}: it takes {}", side, wish.number,
                                 counted(trace.nodes.size(), "step")),
                     "steps are numbered from 0");
  if (!trace.nodes[wish.number].finite)
    throw UsageError(
        fmt::format("step {} of {} meets NaN, infinity or overflow: it has no rows of "
                    "bits",
                    wish.number, side));
  return view_step(trace, static_cast<std::int64_t>(wish.number), leaves);
}

std::string step_view_text(const StepView& view, const StepWish& wish) {
  std::string out =
      fmt::format("\nStep {} of {}: {}\n", wish.number, wish.of_b ? "B" : "A", view.title);
  if (view.aligned)
    out += fmt::format("  aligned at 2^{}; what lies below 2^{} is cut\n", view.largest_exponent,
                       view.cut);
  const int bottom = std::max(view.bottom, view.top - most_columns + 1);
  using enum TextTable::Align;
  TextTable table({"", "", fmt::format("2^{} … 2^{}", view.top, bottom), "value", ""},
                  {left, right, left, right, left});
  const auto row = [&](const std::string& name, const BitRow& r, const std::string& value) {
    table.row({name,
               r.bits.empty() ? ""
               : r.negative   ? "-"
                              : "+",
               digits(view, r, bottom), value, r.factors});
  };
  for (const BitRow& r : view.rows) row(row_name(r), r, r.text);
  row("exact sum", view.sum, view.sum.text);
  row("> " + view.conversion.to, view.result,
      display_decimal(view.format, view.code) + " " + hex_code(view.format, view.code));
  return out + table.text(2) + loss_text(view);
}

nlohmann::ordered_json step_view_json(const StepView& view, const StepWish& wish) {
  nlohmann::ordered_json out{{"side", wish.of_b ? "B" : "A"},
                             {"number", wish.number},
                             {"step", view.title},
                             {"unit", view.unit},
                             {"aligned", view.aligned},
                             {"top", view.top},
                             {"bottom", view.bottom}};
  if (view.aligned) {
    out["largest_exponent"] = view.largest_exponent;
    out["cut"] = view.cut;
    out["rows_cut"] = view.rows_cut;
  }
  out["rows"] = nlohmann::ordered_json::array();
  for (const BitRow& row : view.rows) out["rows"].push_back(row_json(row));
  out["sum"] = row_json(view.sum);
  out["result"] = {{"format", format_name(view.format)},
                   {"code", hex_code(view.format, view.code)},
                   {"value", display_decimal(view.format, view.code)}};
  const StepConversion& c = view.conversion;
  out["conversion"] = {{"to", c.to},
                       {"last_place", c.last_place},
                       {"guard", c.guard},
                       {"round", c.round},
                       {"sticky", c.sticky},
                       {"incremented", c.incremented},
                       {"discarded", c.discarded.to_decimal()}};
  out["entry_discarded"] = view.entry_discarded.to_decimal();
  out["cut_discarded"] = view.cut_discarded.to_decimal();
  out["discarded"] = view.discarded.to_decimal();
  return out;
}

}  // namespace whybits
