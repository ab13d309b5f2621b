#include "visualizer/model/view_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "lab/inputs.hpp"
#include "lab/option_values.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits::viz {
namespace {

constexpr std::array<std::string_view, 2> side_names{"a", "b"};
constexpr std::array<std::string_view, 4> level_names{"matrix", "axis", "step", "bits"};
constexpr std::array<std::string_view, 4> measure_names{"differs", "ulp", "error_a", "error_b"};

constexpr std::size_t most_folds = 1024;
constexpr std::size_t longest_topology = 65536;
constexpr double most_leaves = 1099511627776;  // 2^40

template <class Enum, std::size_t n>
std::string name_of(const std::array<std::string_view, n>& names, Enum value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

template <class Enum, std::size_t n>
Enum read_name(const JsonField& field, const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), field.text());
  if (found == names.end())
    field.fail(fmt::format("'{}' is not known", field.text().substr(0, 40)),
               fmt::format("one of: {}", fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

StepChoice read_step(const JsonField& field) {
  field.allow_only({"side", "step"});
  return {read_name<Side>(field.at("side"), side_names),
          field.at("step").number(0, std::uint64_t{1} << 40)};
}

FoldChoice read_fold(const JsonField& field) {
  field.allow_only({"side", "ribbon", "folded"});
  return {read_name<Side>(field.at("side"), side_names),
          field.at("ribbon").number(0, std::uint64_t{1} << 32), read_bool(field.at("folded"))};
}

/// Runs a reader that throws UsageError or NotationError and says where.
template <class Read>
void checked(const JsonField& field, Read read) {
  try {
    read();
  } catch (const NotationError& error) {
    field.fail("cannot be read\n" + error.pointed(), "see docs/notation.md");
  } catch (const UsageError& error) {
    field.fail(error.what(), error.remedy);
  }
}

}  // namespace

nlohmann::ordered_json view_json(const PairView& view) {
  const PairView plain;
  nlohmann::ordered_json out{{"level", name_of(level_names, view.level)}};
  if (view.output) out["output"] = *view.output;
  if (view.step)
    out["step"] = {{"side", name_of(side_names, view.step->side)}, {"step", view.step->step}};
  if (view.bit) out["bit"] = *view.bit;
  if (view.last != plain.last || view.first != plain.first) out["range"] = {view.first, view.last};
  for (const FoldChoice& fold : view.folds)
    out["folds"].push_back({{"side", name_of(side_names, fold.side)},
                            {"ribbon", fold.ribbon},
                            {"folded", fold.folded}});
  if (view.before_last_rounding) out["before_last_rounding"] = true;
  if (view.measure != plain.measure) out["measure"] = name_of(measure_names, view.measure);
  return out;
}

PairView read_view(const JsonField& field) {
  field.allow_only(
      {"level", "output", "step", "bit", "range", "folds", "before_last_rounding", "measure"});
  PairView view;
  if (const auto level = field.find("level")) view.level = read_name<Level>(*level, level_names);
  if (const auto output = field.find("output"))
    view.output = output->number(0, std::uint64_t{1} << 40);
  if (const auto step = field.find("step")) view.step = read_step(*step);
  if (const auto bit = field.find("bit")) view.bit = static_cast<int>(bit->number(0, 63));
  if (const auto range = field.find("range")) {
    const auto ends = range->elements();
    if (ends.size() != 2) range->fail("not two numbers", "[first leaf, one past the last]");
    view.first = read_real(ends[0], 0, most_leaves);
    view.last = read_real(ends[1], 0, most_leaves);
    if (!(view.first < view.last)) range->fail("ends before it begins");
  }
  if (const auto folds = field.find("folds")) {
    const auto list = folds->elements();
    if (list.size() > most_folds)
      folds->fail(fmt::format("{} are more than {}", list.size(), most_folds));
    for (const JsonField& fold : list) view.folds.push_back(read_fold(fold));
  }
  if (const auto before = field.find("before_last_rounding"))
    view.before_last_rounding = read_bool(*before);
  if (const auto measure = field.find("measure"))
    view.measure = read_name<MapMeasure>(*measure, measure_names);
  return view;
}

bool read_bool(const JsonField& field) {
  if (!field.value().is_boolean()) field.fail("neither true nor false");
  return field.value().get<bool>();
}

double read_real(const JsonField& field, double lowest, double highest) {
  if (!field.value().is_number()) field.fail("not a number");
  const double value = field.value().get<double>();
  if (value < lowest || value > highest)  // JSON has no NaN
    field.fail(fmt::format("{} is not from {} to {}", value, lowest, highest));
  return value;
}

std::string read_short_text(const JsonField& field, std::size_t most) {
  const std::string& text = field.text();
  if (text.size() > most) field.fail(fmt::format("{} bytes are more than {}", text.size(), most));
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control) field.fail("has control characters");
  return text;
}

std::string read_format(const JsonField& field) {
  std::string name = read_short_text(field, 16);
  checked(field, [&] { static_cast<void>(format_option("format", name)); });
  return name;
}

std::string read_input(const JsonField& field) {
  std::string text = read_short_text(field, longest_topology);
  checked(field, [&] { static_cast<void>(parse_input_spec(text)); });
  return text;
}

std::string read_topology(const JsonField& field) {
  std::string text = read_short_text(field, longest_topology);
  checked(field, [&] { static_cast<void>(parse_topology(text)); });
  return text;
}

std::string step_argument(const PairView& view) {
  if (!view.step) return "";
  return fmt::format(" --step {},{}", view.step->side == Side::a ? "A" : "B", view.step->step);
}

}  // namespace whybits::viz
