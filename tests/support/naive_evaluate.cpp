#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include "tests/support/naive_formats.hpp"
#include "tests/support/naive_topology.hpp"
#include "tests/support/naive_units.hpp"

namespace whybits::test {
namespace {

struct Val {
  Format format;
  Bits code = 0;
};

float as_float(Bits code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code));
}
double as_double(Bits code) {
  return std::bit_cast<double>(code);
}
Bits from_float(float x) {
  return std::isnan(x) ? naive_nan(formats::f32) : std::bit_cast<std::uint32_t>(x);
}
Bits from_double(double x) {
  return std::isnan(x) ? naive_nan(formats::f64) : std::bit_cast<Bits>(x);
}

Bits flushed(const Format& format, Bits code) {
  const NaiveNumber x = naive_decode(format, code);
  const bool subnormal = x.finite() && x.magnitude < (Bits{1} << format.fraction_bits);
  return subnormal ? naive_round(format, x.negative, 0, 0, Rounding::nearest_even) : code;
}

/// IEEE add in any format from exact integers.
Bits add_exactly(const Format& format, Bits a, Bits b, Rounding rounding) {
  const NaiveNumber x = naive_decode(format, a);
  const NaiveNumber y = naive_decode(format, b);
  if (x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative))
    return naive_nan(format);
  if (x.infinite || y.infinite) return naive_infinity(format, x.infinite ? x.negative : y.negative);
  const long exponent = std::min(x.exponent, y.exponent);
  mpz_class sum = x.signed_magnitude() << static_cast<mp_bitcnt_t>(x.exponent - exponent);
  sum += y.signed_magnitude() << static_cast<mp_bitcnt_t>(y.exponent - exponent);
  const bool negative = sum == 0 ? x.negative && y.negative : sum < 0;
  return naive_round(format, negative, abs(sum), exponent, rounding);
}

Bits add(const Unit& unit, Bits a, Bits b) {
  const RoundRule& rule = unit.rule;
  if (rule.flush == Flush::both) {
    a = flushed(unit.format, a);
    b = flushed(unit.format, b);
  }
  Bits sum = 0;
  if (unit.format == formats::f32 && rule.rounding == Rounding::nearest_even)
    sum = from_float(as_float(a) + as_float(b));
  else if (unit.format == formats::f64 && rule.rounding == Rounding::nearest_even)
    sum = from_double(as_double(a) + as_double(b));
  else
    sum = add_exactly(unit.format, a, b, rule.rounding);
  return rule.flush == Flush::both ? flushed(unit.format, sum) : sum;
}

class Evaluator {
 public:
  explicit Evaluator(const NaiveLeaves& leaves) : leaves_(leaves) {}

  Val value(const TermPtr& term) {
    switch (term->kind) {
      case NaiveTerm::Kind::leaf:
        return leaf(term->leaf);
      case NaiveTerm::Kind::round:
        if (is_exact(term->inner)) return exact_sum(*term->inner, term->conversion);
        return converted(value(term->inner), term->conversion);
      case NaiveTerm::Kind::operand: {
        const Val sum = term->inner ? value(term->inner) : Val{formats::f32, 0};
        const Val operand{leaves_.bias.first, leaves_.bias.second};
        return {formats::f32, from_float(as_float(widened(sum, formats::f32)) +
                                         as_float(widened(operand, formats::f32)))};
      }
      case NaiveTerm::Kind::any:
      case NaiveTerm::Kind::fold:
        break;
    }
    if (term->unit.kind == Unit::Kind::exact) return exact_sum(*term, *term->unit.after);
    return term->unit.kind == Unit::Kind::add ? fold_values(*term) : fold_products(*term);
  }

  static Bits widened(const Val& value, const Format& format) {
    return value.format == format ? value.code : naive_convert(value.format, format, value.code);
  }

 private:
  static bool is_exact(const TermPtr& term) {
    return term->kind == NaiveTerm::Kind::fold && term->unit.kind == Unit::Kind::exact &&
           !term->unit.after;
  }

  static Val converted(const Val& value, const Conversion& to) {
    const auto overflow =
        to.rule.overflow == Overflow::saturate ? NaiveOverflow::saturate : NaiveOverflow::ieee;
    Bits code = to.rule.flush == Flush::both ? flushed(value.format, value.code) : value.code;
    code = naive_convert(value.format, to.to, code, to.rule.rounding, overflow);
    return {to.to, to.rule.flush == Flush::both ? flushed(to.to, code) : code};
  }

  Val leaf(std::uint64_t i) const {
    if (!leaves_.b_format) return {leaves_.a_format, leaves_.a.at(i)};
    const float a = as_float(widened({leaves_.a_format, leaves_.a.at(i)}, formats::f32));
    const float b = as_float(widened({*leaves_.b_format, leaves_.b.at(i)}, formats::f32));
    return {formats::f32, from_float(static_cast<float>(double{a} * double{b}))};
  }

  Val start(const NaiveTerm& term) {
    if (term.begin == NaiveTerm::Begin::c) return {leaves_.c->first, leaves_.c->second};
    if (term.begin == NaiveTerm::Begin::term) return value(term.start);
    return {term.unit.format, 0};
  }

  Val after(const NaiveTerm& term, Bits code) const {
    const Val result{term.unit.format, code};
    return term.unit.after ? converted(result, *term.unit.after) : result;
  }

  Val fold_values(const NaiveTerm& term) {
    bool first = term.begin == NaiveTerm::Begin::first;
    Val sum;
    if (!first) sum = start(term);
    for (const auto& step : term.steps) {
      const Val item = value(step.at(0));
      if (first)
        sum = term.unit.after ? converted(item, *term.unit.after) : item;
      else
        sum = after(
            term, add(term.unit, widened(sum, term.unit.format), widened(item, term.unit.format)));
      first = false;
    }
    return sum;
  }

  Val fold_products(const NaiveTerm& term) {
    Val sum = start(term);
    for (const auto& step : term.steps) {
      const Bits accumulator = widened(sum, term.unit.format);
      sum = after(term, product_step(term.unit, accumulator, step));
    }
    return {sum.format, sum.code};
  }

  Bits product_step(const Unit& unit, Bits accumulator, const std::vector<TermPtr>& step) {
    std::optional<NaiveMatrixUnit> matrix = naive_matrix_unit(unit.name);
    if (unit.kind == Unit::Kind::fma && !matrix)
      return fma_step(unit, accumulator, step.at(0)->leaf);
    if (!matrix) matrix = written_out(unit);
    std::vector<std::pair<Bits, Bits>> products;
    for (const TermPtr& item : step)
      products.emplace_back(entered(leaves_.a_format, matrix->a, leaves_.a.at(item->leaf)),
                            entered(*leaves_.b_format, matrix->b, leaves_.b.at(item->leaf)));
    return naive_matrix_step(*matrix, accumulator, products);
  }

  Bits fma_step(const Unit& unit, Bits accumulator, std::uint64_t leaf) const {
    const Bits a = widened({leaves_.a_format, leaves_.a.at(leaf)}, unit.format);
    const Bits b = widened({*leaves_.b_format, leaves_.b.at(leaf)}, unit.format);
    if (unit.format == formats::f32)
      return from_float(std::fma(as_float(a), as_float(b), as_float(accumulator)));
    return from_double(std::fma(as_double(a), as_double(b), as_double(accumulator)));
  }

  /// aligned(…) with its parameters written out.
  NaiveMatrixUnit written_out(const Unit& unit) const {
    NaiveMatrixUnit matrix;
    matrix.products = unit.aligned.addends;
    matrix.fraction_bits = unit.aligned.fraction_bits;
    matrix.zero_exponent = unit.aligned.zero_exponent;
    matrix.out = unit.aligned.out;
    matrix.rounding = unit.aligned.rounding;
    matrix.accumulator = unit.format;
    matrix.a = unit.operand_a.value_or(leaves_.a_format);
    matrix.b = unit.operand_b.value_or(*leaves_.b_format);
    return matrix;
  }

  /// f32 words lose their low 13 bits in a tf32 unit; everything else widens exactly.
  static Bits entered(const Format& operand, const Format& unit, Bits code) {
    if (operand == formats::f32 && unit == formats::tf32) return code >> 13;
    return widened({operand, code}, unit);
  }

  Val exact_sum(const NaiveTerm& term, const Conversion& to) {
    mpz_class sum = 0;
    const long unit_exponent = -2400;  // below every product of two doubles
    bool nan = false, plus = false, minus = false;
    const auto include = [&](const NaiveNumber& x) {
      nan = nan || x.nan;
      if (x.infinite) (x.negative ? minus : plus) = true;
      if (x.finite())
        sum += x.signed_magnitude() << static_cast<mp_bitcnt_t>(x.exponent - unit_exponent);
    };
    const Val first = start(term);
    include(naive_decode(first.format, first.code));
    for (const auto& step : term.steps) {
      const TermPtr& item = step.at(0);
      if (item->kind != NaiveTerm::Kind::leaf || !leaves_.b_format || leaves_.products_to_f32) {
        const Val x = value(item);
        include(naive_decode(x.format, x.code));
        continue;
      }
      const NaiveNumber a = naive_decode(leaves_.a_format, leaves_.a.at(item->leaf));
      const NaiveNumber b = naive_decode(*leaves_.b_format, leaves_.b.at(item->leaf));
      NaiveNumber product;
      product.negative = a.negative != b.negative;
      product.magnitude = a.magnitude * b.magnitude;
      product.exponent = a.exponent + b.exponent;
      product.infinite = a.infinite || b.infinite;
      product.nan = a.nan || b.nan || (product.infinite && (a.is_zero() || b.is_zero()));
      if (product.nan) product.infinite = false;
      include(product);
    }
    if (nan || (plus && minus)) return {to.to, naive_nan(to.to)};
    if (plus || minus) return {to.to, naive_infinity(to.to, minus)};
    return {to.to, naive_round(to.to, sum < 0, abs(sum), unit_exponent, to.rule.rounding)};
  }

  const NaiveLeaves& leaves_;
};

}  // namespace

Bits naive_value(const TermPtr& term, const NaiveLeaves& leaves, const Format& result) {
  if (!term) return 0;
  return Evaluator::widened(Evaluator(leaves).value(term), result);
}

}  // namespace whybits::test
