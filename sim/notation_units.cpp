#include "sim/notation_units.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/device_table.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace {

constexpr int max_aligned_addends = 1024;
constexpr int max_aligned_fraction = 48;  // L · 4 · 2^F stays within 64 bits

/// Cuts "a.b.c" into "a" and "b.c".
std::string_view take_part(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  return part;
}

/// Suffixes come in one order: rounding, .ftz, .sat.
bool add_suffix(RoundRule& rule, std::string_view part, bool conversion) {
  const bool saturates = rule.overflow != Overflow::ieee;
  const bool flushes = rule.flush != Flush::none;
  if (part == "ftz" && !flushes && !saturates) {
    rule.flush = Flush::both;
    return true;
  }
  if (part == "sat" && conversion && !saturates) {
    rule.overflow = Overflow::saturate;
    return true;
  }
  if (rule.rounding != Rounding::nearest_even || flushes || saturates) return false;
  for (const Rounding r : {Rounding::nearest_away, Rounding::zero, Rounding::up, Rounding::down})
    if (part == rounding_suffix(r).substr(1)) {
      rule.rounding = r;
      return true;
    }
  return false;
}

/// FORMAT [.fma] [.rz|.ru|.rd|.rna] [.ftz]
std::optional<Unit> parse_ieee_unit(std::string_view name) {
  if (name.back() == '.') return std::nullopt;
  std::string_view rest = name;
  const std::optional<Format> format = parse_format(take_part(rest));
  if (!format) return std::nullopt;
  bool is_fma = false;
  RoundRule rule;
  while (!rest.empty()) {
    const std::string_view part = take_part(rest);
    if (part == "fma" && !is_fma && rule == RoundRule{})
      is_fma = true;
    else if (!add_suffix(rule, part, false))
      return std::nullopt;
  }
  return is_fma ? ieee_fma(*format, rule) : ieee_add(*format, rule);
}

Unit read_aligned(NotationCursor& cursor, std::size_t begin) {
  AlignedSum sum;
  std::optional<Format> a;
  std::optional<Format> b;
  bool has_l = false, has_f = false;
  cursor.expect('(', "after aligned");
  do {
    const std::size_t at_key = cursor.at();
    const std::string_view key = cursor.word();
    if (key != "l" && key != "f" && key != "e0" && key != "out" && key != "in")
      cursor.fail(at_key, "aligned takes l=, f=, e0=, out= and in=" + cursor.found(at_key));
    cursor.expect('=', "after " + std::string(key));
    const std::size_t at_value = cursor.at();
    if (key == "l") {
      sum.addends = cursor.signed_number("l, the products a step,", 1, max_aligned_addends);
      has_l = true;
    } else if (key == "f") {
      sum.fraction_bits = cursor.signed_number("f, the fraction bits,", 1, max_aligned_fraction);
      has_f = true;
    } else if (key == "e0") {
      sum.zero_exponent = cursor.signed_number("e0, the exponent of zeros,", -4096, 4096);
    } else if (key == "out") {
      const Conversion out = read_conversion(cursor, "after out=");
      if (out.rule.overflow != Overflow::ieee || out.rule.flush != Flush::none)
        cursor.fail(at_value, "out= takes a format and a rounding, such as f32.rz");
      sum.out = out.to;
      sum.rounding = out.rule.rounding;
    } else {
      const std::string_view names = cursor.word();
      const std::size_t cross = names.find('x');
      a = parse_format(names.substr(0, cross));
      b = cross == std::string_view::npos ? a : parse_format(names.substr(cross + 1));
      if (!a || !b)
        cursor.fail(at_value,
                    "in= takes the operands' format, f16 or e4m3xe5m2" + cursor.found(at_value));
    }
  } while (cursor.accept(','));
  cursor.expect(')', "to close aligned(");
  if (!has_l || !has_f)
    cursor.fail(begin, "aligned needs l= (products a step) and f= (fraction bits)");
  return aligned_unit(sum, a, b);
}

}  // namespace

Unit read_unit(NotationCursor& cursor) {
  const std::size_t begin = cursor.at();
  const std::string_view name = cursor.word();
  Unit unit;
  if (name.empty())
    cursor.fail(begin, "expected a unit such as f32 or sm90.wgmma.bf16" + cursor.found(begin));
  if (name == "exact") {
    unit = exact_unit();
  } else if (name == "aligned") {
    unit = read_aligned(cursor, begin);
  } else if (auto device = find_device_unit(name)) {
    unit = *std::move(device);
  } else if (auto ieee = parse_ieee_unit(name)) {
    unit = *std::move(ieee);
  } else {
    cursor.fail(begin, explain_unknown_unit(name));
  }
  if (cursor.accept('>')) unit.after = read_conversion(cursor, "after '>'");
  return unit;
}

Conversion read_conversion(NotationCursor& cursor, const std::string& where) {
  const std::size_t begin = cursor.at();
  const std::string_view name = cursor.word();
  std::string_view rest = name;
  const std::optional<Format> format = parse_format(take_part(rest));
  if (!format) {
    std::vector<std::string> names;
    for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
    const auto near = nearest_name(name, names);
    cursor.fail(begin, "expected a format such as bf16 " + where + cursor.found(begin) +
                           (near ? "; did you mean " + *near + "?" : ""));
  }
  Conversion result{*format, {}};
  bool good = name.back() != '.';
  while (good && !rest.empty()) good = add_suffix(result.rule, take_part(rest), true);
  if (!good)
    cursor.fail(begin, quoted(name) +
                           ": a format takes one of .rz .ru .rd .rna, then .ftz, "
                           "then .sat (nearest even and IEEE overflow without them)");
  return result;
}

}  // namespace whybits
