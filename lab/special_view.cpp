#include "lab/special_view.hpp"

#include <fmt/format.h>

#include <bit>

#include "exact/elementary.hpp"
#include "exact/measure.hpp"
#include "lab/code_text.hpp"
#include "lab/number_json.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace {

using special::Segment;
using UnitTrace = special::unit::Trace;

/// The terms of an interpolation, from its trace.
struct Terms {
  std::uint32_t index, r, square;
  Segment t;
  std::int64_t constant, linear, quadratic;
};
Terms terms_of(const UnitTrace& trace) {
  Terms out{};
  const special::Interpolation& path = trace.path;
  out.index = segment_of(path, trace.argument);
  out.r = low_part(path, trace.argument);
  out.square = special::square(out.r << path.square_shift);
  out.t = path.segments[out.index];
  out.constant = std::int64_t{out.t.t0} << path.shift0;
  out.linear = std::int64_t{out.t.t1} * out.r;
  out.quadratic = (std::int64_t{out.t.t2} * out.square) << path.shift2;
  return out;
}

bool through_tables(const SpecialView& view) {
  return view.trace && !view.trace->path.segments.empty();
}

std::string word_text(std::uint32_t code) {
  return fmt::format("{} ({})", hex_code(formats::f32, code), display_decimal(formats::f32, code));
}

std::string trace_text(const UnitTrace& trace) {
  const special::Interpolation& path = trace.path;
  const Terms s = terms_of(trace);
  std::string out = fmt::format(
      "  Through the tables\n"
      "    the unit takes       {}\n"
      "    reduced argument     {}, of {} bits\n"
      "    its upper bits       segment {} of {}: T0 = {}, T1 = {}, T2 = {}\n"
      "    its lower {} bits    r = {}, square(r{}) = {}\n\n",
      word_text(trace.operand), trace.argument,
      path.low_bits + static_cast<unsigned>(std::bit_width(path.segments.size() - 1)), s.index,
      path.segments.size(), s.t.t0, s.t.t1, s.t.t2, path.low_bits, s.r,
      path.square_shift != 0 ? fmt::format(" << {}", path.square_shift) : "", s.square);
  using enum TextTable::Align;
  TextTable table({}, {left, right});
  const auto row = [&](std::string what, std::int64_t value) {
    table.row({std::move(what), std::to_string(value)});
  };
  row(fmt::format("T0 << {}", path.shift0), s.constant);
  row("T1 · r", s.linear);
  row(path.shift2 != 0 ? fmt::format("(T2 · square) << {}", path.shift2) : "T2 · square",
      s.quadratic);
  row("bias", path.bias);
  row("sum", trace.sum);
  if (path.drop != 0) row(fmt::format("sum >> {}", path.drop), trace.sum >> path.drop);
  return out + table.text(4) +
         fmt::format("\n    the unit gives       {}\n", word_text(trace.result));
}

}  // namespace

SpecialView view_special(const special::Function& function, special::Mode mode,
                         const NumberInput& x) {
  const Format& f32 = formats::f32;
  SpecialView view;
  view.name = full_name(function, mode);
  view.says = function.says;
  view.x = view_input(x, f32);
  const auto word = static_cast<std::uint32_t>(view.x.number.code);
  const Bits result = function.of(word, mode);
  if (function.traced != nullptr) function.traced(word, mode, view.trace.emplace());
  const Bits correct = exact::elementary(function.says, word).value();
  view.result = view_number(f32, result);
  view.correct = view_number(f32, correct);
  view.ulps = exact::ulp_distance(f32, result, correct);
  return view;
}

std::string special_text(const SpecialView& view) {
  std::string out = fmt::format("{} of {} on an H200\n\n", view.name, view.x.input.label);
  TextTable table({"", "word", "value"});
  const auto row = [&](const char* what, const NumberView& number) {
    table.row({what, number.code_text, number.display});
  };
  row("x", view.x.number);
  row("result", view.result);
  row((view.says + ", rounded correctly").c_str(), view.correct);
  out += table.text(2);
  if (view.ulps)
    out += *view.ulps == 0 ? "\n  The same word.\n"
                           : fmt::format("\n  {} apart.\n", counted(*view.ulps, "ulp"));
  if (through_tables(view)) return out + "\n" + trace_text(*view.trace);
  if (view.trace) return out + "\n  A special value: no table is asked.\n";
  return out;
}

nlohmann::ordered_json special_json(const SpecialView& view) {
  nlohmann::ordered_json out{{"function", view.name},
                             {"x", to_json(view.x)},
                             {"result", to_json(view.result)},
                             {"correct", to_json(view.correct)},
                             {"ulps", view.ulps ? nlohmann::ordered_json(*view.ulps) : nullptr},
                             {"interpolation", nullptr}};
  if (!through_tables(view)) return out;
  const UnitTrace& trace = *view.trace;
  const Terms s = terms_of(trace);
  out["interpolation"] = {{"operand", hex_code(formats::f32, trace.operand)},
                          {"argument", trace.argument},
                          {"segment", s.index},
                          {"segments", trace.path.segments.size()},
                          {"coefficients", {s.t.t0, s.t.t1, s.t.t2}},
                          {"r", s.r},
                          {"square", s.square},
                          {"terms", {s.constant, s.linear, s.quadratic, trace.path.bias}},
                          {"sum", trace.sum},
                          {"dropped_bits", trace.path.drop},
                          {"unit_result", hex_code(formats::f32, trace.result)}};
  return out;
}

}  // namespace whybits
