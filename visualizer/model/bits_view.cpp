#include "visualizer/model/bits_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "exact/measure.hpp"
#include "lab/decimal.hpp"
#include "sim/arith.hpp"
#include "visualizer/model/power_text.hpp"

namespace whybits::viz {
namespace {

constexpr std::size_t longest_decimal = 24;
constexpr int shown_below = 24;   ///< bits below the last place
constexpr double far_apart = 64;  ///< ulp: no common number line beyond

Phrase meaning(const Format& format, Bits code, int bit) {
  const int exponent_end = format.fraction_bits + format.exponent_bits;
  if (bit >= exponent_end)
    return {(code & format.sign_mask()) != 0 ? "bits.negative" : "bits.positive"};
  if (bit >= format.fraction_bits)
    return {"bits.exponent_plus",
            {std::to_string(std::uint64_t{1} << (bit - format.fraction_bits))}};
  return {"bits.place", {power_text(unpack(format, code).exponent + bit)}};
}

BitField field_of(const Format& format, int bit) {
  if (bit >= format.fraction_bits + format.exponent_bits) return BitField::sign;
  return bit >= format.fraction_bits ? BitField::exponent : BitField::fraction;
}

/// value / 2^exponent as a double, where that is of ordinary size.
double in_units(const Dyadic& value, int exponent) {
  return Dyadic(value.mantissa(), value.exponent() - exponent).to_double();
}

/// The codes next to each other that a finite value lies between: the one not above it first.
struct Bracket {
  Bits below, above;
  int ulp;  ///< exponent of the last place just above `below` in magnitude
};

std::optional<Bits> next_code(const Format& format, Bits code, int direction) {
  const Unpacked u = unpack(format, code);
  if (!u.finite()) return std::nullopt;
  const Bits magnitude = code & format.magnitude_mask();
  const bool up = direction > 0;
  if (magnitude == 0) {
    if (!up && !format.is_signed) return std::nullopt;
    return format.sign(!up) | 1;
  }
  const bool grows = up != u.negative;
  if (grows && magnitude >= format.max_finite()) return std::nullopt;
  const Bits moved = grows ? magnitude + 1 : magnitude - 1;
  return format.sign(u.negative) | moved;
}

std::optional<Bracket> bracket(const Format& format, const Dyadic& value) {
  const Bits down = value.round_to(format, {Rounding::down});
  const Bits up = value.round_to(format, {Rounding::up});
  if (!unpack(format, down).finite() || !unpack(format, up).finite()) return std::nullopt;
  const int ulp = std::min(unpack(format, down).exponent, unpack(format, up).exponent);
  return Bracket{down, up, ulp};
}

void add_point(NumberLine& line, NumberLinePoint::What what, double at, std::string text) {
  line.points.push_back({what, at, std::move(text)});
}

/// The codes of a format within the window, and the midpoints between neighbours.
void add_numbers(NumberLine& line, const Format& format, Bits first, const Dyadic& origin,
                 int ulp) {
  std::optional<Bits> code = first;
  double before = 0;
  for (bool begun = false; code;) {
    const Dyadic value = Dyadic::from_code(format, *code);
    const double at = in_units(value - origin, ulp);
    if (begun) {
      const double middle = (before + at) / 2;
      if (middle >= line.first && middle <= line.last)
        add_point(line, NumberLinePoint::What::midpoint, middle, "");
    }
    if (at > line.last) break;
    if (at >= line.first)
      add_point(line, NumberLinePoint::What::number, at, display_decimal(format, *code));
    before = at;
    begun = true;
    code = next_code(format, *code, 1);
  }
}

std::string decimal_of(const Dyadic& value) {
  return decimal_label(to_rational(value), longest_decimal);
}

/// Texts of midpoints: exact, halfway between the numbers around them.
void name_midpoints(NumberLine& line, const Dyadic& origin, int ulp) {
  for (NumberLinePoint& point : line.points)
    if (point.what == NumberLinePoint::What::midpoint)
      point.text = decimal_of(origin + Dyadic::from_double(point.at) * Dyadic(1, ulp));
}

}  // namespace

CodeRow code_row(const Format& format, Bits code, const std::optional<Bits>& other) {
  CodeRow row{format, code, view_number(format, code), {}};
  for (int bit = format.code_bits() - 1; bit >= 0; --bit) {
    BitCell cell;
    cell.field = field_of(format, bit);
    cell.bit = bit;
    cell.one = ((code >> bit) & 1U) != 0;
    cell.differs = other && (((code ^ *other) >> bit) & 1U) != 0;
    cell.meaning = meaning(format, code, bit);
    row.cells.push_back(std::move(cell));
  }
  return row;
}

std::optional<ExactRow> exact_row(const Dyadic& exact, const Format& format,
                                  const RoundRule& rule) {
  ExactRow row;
  row.decimal = decimal_of(exact);
  row.negative = exact.sign() < 0;
  RoundTrace trace;
  row.rounded = round_rational(format, to_rational(exact), row.negative, rule, &trace);
  const Unpacked toward_zero = unpack(format, exact.round_to(format, {Rounding::zero}));
  if (!toward_zero.finite()) return std::nullopt;
  const int last_place = toward_zero.exponent;
  row.exponent = last_place + format.fraction_bits;
  for (int bit = format.fraction_bits; bit >= 0; --bit)
    row.kept += ((toward_zero.significand >> bit) & 1U) != 0 ? '1' : '0';
  const Dyadic kept(mpz_class(static_cast<unsigned long>(toward_zero.significand)), last_place);
  Dyadic rest = exact.abs() - kept;
  for (int i = 1; i <= shown_below && !rest.is_zero(); ++i) {
    const Dyadic place(1, last_place - i);
    const bool one = rest >= place;
    if (one) rest -= place;
    row.below += one ? '1' : '0';
  }
  row.guard = !row.below.empty() && row.below[0] == '1';
  row.round = row.below.size() > 1 && row.below[1] == '1';
  row.sticky =
      !rest.is_zero() || (row.below.size() > 2 && row.below.find('1', 2) != std::string::npos);
  return row;
}

std::optional<NumberLine> last_rounding_line(const OutputStory& story) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  if (x.last != y.last || !(x.output == y.output) || !story.exact) return std::nullopt;
  const std::array<std::pair<Format, Bits>, 4> codes{{{x.before.result, story.before_a},
                                                      {y.before.result, story.before_b},
                                                      {x.output, story.after_a},
                                                      {y.output, story.after_b}}};
  for (const auto& [format, code] : codes)
    if (!unpack(format, code).finite()) return std::nullopt;
  const Format& format = x.output;
  const Dyadic a = Dyadic::from_code(x.before.result, story.before_a);
  const Dyadic b = Dyadic::from_code(y.before.result, story.before_b);
  const Dyadic low = std::min({a, b, *story.exact});
  const Dyadic high = std::max({a, b, *story.exact});
  const auto around = bracket(format, low);
  const auto around_high = bracket(format, high);
  if (!around || !around_high) return std::nullopt;
  const Dyadic origin = Dyadic::from_code(format, around->below);
  NumberLine line;
  line.format = format_name(format);
  line.unit = power_text(around->ulp);
  const double spread = in_units(high - origin, around->ulp);
  if (!(spread <= far_apart)) return std::nullopt;
  line.first = -0.25;
  line.last =
      std::max(in_units(Dyadic::from_code(format, around_high->above) - origin, around->ulp), 1.0) +
      0.25;
  add_numbers(line, format, around->below, origin, around->ulp);
  name_midpoints(line, origin, around->ulp);
  const auto place = [&](NumberLinePoint::What what, const Dyadic& value) {
    add_point(line, what, in_units(value - origin, around->ulp), decimal_of(value));
  };
  if (x.last) {  // else the sums themselves are the results
    place(NumberLinePoint::What::result_a, Dyadic::from_code(format, story.after_a));
    place(NumberLinePoint::What::result_b, Dyadic::from_code(format, story.after_b));
  }
  place(NumberLinePoint::What::exact, *story.exact);
  place(NumberLinePoint::What::a, a);
  place(NumberLinePoint::What::b, b);
  return line;
}

std::optional<NumberLine> neighbour_line(const Format& format, Bits code,
                                         const std::optional<mpq_class>& exact) {
  if (!unpack(format, code).finite()) return std::nullopt;
  const auto below = next_code(format, code, -1);
  const Bits first = below.value_or(code);
  const Dyadic origin = Dyadic::from_code(format, first);
  const int ulp = unpack(format, first).exponent;
  NumberLine line;
  line.format = format_name(format);
  line.unit = power_text(ulp);
  const auto above = next_code(format, code, 1);
  const Dyadic value = Dyadic::from_code(format, code);
  if (above) {
    const Dyadic step = Dyadic::from_code(format, *above) - value;
    if (step.exponent() != ulp) line.unit += " → " + power_text(static_cast<int>(step.exponent()));
  }
  const double end = in_units(Dyadic::from_code(format, above.value_or(code)) - origin, ulp);
  line.first = -0.25;
  line.last = std::max(end, 1.0) + 0.25;
  add_numbers(line, format, first, origin, ulp);
  name_midpoints(line, origin, ulp);
  add_point(line, NumberLinePoint::What::result_a, in_units(value - origin, ulp),
            display_decimal(format, code));
  if (exact) {
    const mpq_class distance = (*exact - to_rational(origin)) / power_of_two(ulp);
    if (const double at = distance.get_d(); at >= line.first && at <= line.last)
      add_point(line, NumberLinePoint::What::exact, at, decimal_label(*exact, 40));
  }
  return line;
}

OutputBits view_output(const OutputStory& story) {
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  const auto other = [](const Format& f, const Format& g, Bits code) {
    return f == g ? std::optional(code) : std::nullopt;
  };
  const auto distance = [](const Format& f, Bits a, const Format& g, Bits b) {
    return f == g ? exact::ulp_distance(f, a, b) : std::nullopt;
  };
  OutputBits out{code_row(x.output, story.after_a, other(x.output, y.output, story.after_b)),
                 code_row(y.output, story.after_b, other(x.output, y.output, story.after_a)),
                 {},
                 {},
                 {},
                 {},
                 {},
                 {}};
  if (x.last || y.last) {
    const Format& f = x.before.result;
    const Format& g = y.before.result;
    out.before_a = code_row(f, story.before_a, other(f, g, story.before_b));
    out.before_b = code_row(g, story.before_b, other(g, f, story.before_a));
  }
  const RoundRule rule = x.last && x.last == y.last ? x.last->rule : RoundRule{};
  if (story.exact) out.exact = exact_row(*story.exact, x.output, rule);
  out.ulp_after = distance(x.output, story.after_a, y.output, story.after_b);
  out.ulp_before = distance(x.before.result, story.before_a, y.before.result, story.before_b);
  out.line = last_rounding_line(story);
  if (story.exact && x.output == y.output) {
    const Bits want = story.exact->round_to(x.output, rule);
    const bool right_a = story.after_a == want;
    const bool right_b = story.after_b == want;
    using Right = OutputBits::Right;
    out.right =
        right_a ? (right_b ? Right::both : Right::a) : (right_b ? Right::b : Right::neither);
  }
  return out;
}

Bits with_bit_flipped(const Format& format, Bits code, int bit) {
  return (code ^ (Bits{1} << bit)) & format.code_mask();
}

}  // namespace whybits::viz
