#include "lab/operation_view.hpp"

#include <fmt/format.h>

#include "lab/decimal.hpp"
#include "lab/explain_rounding.hpp"
#include "sim/bit_width.hpp"

namespace whybits {

namespace {

constexpr int long_digits = 40;
constexpr std::size_t label_length = 24;

/// The exact result; a root that does not end is cut after some 200 bits.
struct ExactResult {
  mpq_class value;
  bool ends = true;
};

ExactResult exact_root(const mpq_class& value) {
  // √(n / d) = √(n·d) / d, with n·d made an integer of at least 400 bits.
  constexpr mp_bitcnt_t extra = 400;
  mpz_class radicand = value.get_num() * value.get_den();
  radicand <<= 2 * extra;
  mpz_class root, remainder;
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), radicand.get_mpz_t());
  mpq_class result(root, value.get_den());
  result.canonicalize();
  result >>= extra;
  return {result, remainder == 0};
}

std::optional<ExactResult> exact_result(const OperationRequest& request,
                                        const std::vector<Bits>& codes) {
  std::vector<mpq_class> x;
  for (const Bits code : codes) {
    if (!unpack(request.format, code).finite()) return std::nullopt;
    x.push_back(value_of(request.format, code));
  }
  switch (request.operation) {
    case Arithmetic::add:
      return ExactResult{x[0] + x[1]};
    case Arithmetic::sub:
      return ExactResult{x[0] - x[1]};
    case Arithmetic::mul:
      return ExactResult{x[0] * x[1]};
    case Arithmetic::fma:
      return ExactResult{x[0] * x[1] + x[2]};
    case Arithmetic::div:
      if (x[1] == 0) return std::nullopt;
      return ExactResult{x[0] / x[1]};
    case Arithmetic::sqrt:
      if (x[0] < 0) return std::nullopt;
      return exact_root(x[0]);
    case Arithmetic::convert:
      return ExactResult{x[0]};
  }
  return std::nullopt;
}

std::string expression(Arithmetic operation, const std::vector<InputNumber>& operands) {
  const auto value = [&](std::size_t i) { return operands[i].number.display; };
  const auto second = [&](std::size_t i) {  // a negative one is set off: 1 + (-2)
    return operands[i].number.sign_bits == "1" ? "(" + value(i) + ")" : value(i);
  };
  switch (operation) {
    case Arithmetic::add:
      return value(0) + " + " + second(1);
    case Arithmetic::sub:
      return value(0) + " − " + second(1);
    case Arithmetic::mul:
      return value(0) + " × " + second(1);
    case Arithmetic::fma:
      return value(0) + " × " + second(1) + " + " + second(2);
    case Arithmetic::div:
      return value(0) + " / " + second(1);
    case Arithmetic::sqrt:
      return "√" + second(0);
    case Arithmetic::convert:
      return value(0);
  }
  return "";
}

/// A significand in units of the last place, with a point after the place of 2^0 · 2^exponent.
std::string with_point(Uint128 kept, int fraction_bits) {
  std::string digits;
  for (int place = fraction_bits; place >= 0; --place) {
    digits += ((kept >> place) & 1) != 0 ? '1' : '0';
    if (place == fraction_bits) digits += '.';
  }
  return digits;
}

RoundingStep rounding_step(const Format& format, const RoundTrace& trace, const mpq_class& exact) {
  const mpq_class ulp = power_of_two(trace.ulp_exponent);
  const auto kept = static_cast<unsigned long>(trace.kept);  // at most 53 bits
  const mpq_class inner = ulp * kept, outer = ulp * (kept + 1);
  const std::string sign = exact < 0 ? "-" : "";

  RoundingStep step;
  step.kept = with_point(trace.kept, format.fraction_bits);
  step.exponent = trace.ulp_exponent + format.fraction_bits;
  step.guard = trace.guard;
  step.round = trace.round;
  step.sticky = trace.sticky;
  step.incremented = trace.incremented;
  // Beyond the largest number there is no code whose shortest decimal could be written.
  const auto label = [&](const mpq_class& value) {
    const Bits code = round_rational(format, value, false, {.overflow = Overflow::saturate});
    return sign + (value_of(format, code) == value ? display_decimal(format, code)
                                                   : decimal_label(value, label_length));
  };
  step.inner = label(inner);
  step.outer = label(outer);
  step.position = mpq_class((abs(exact) - inner) / ulp).get_d();
  return step;
}

}  // namespace

OperationView view_operation(const OperationRequest& request) {
  OperationView view;
  view.operation = request.operation;
  view.rounding = request.rule.rounding;
  std::vector<Bits> codes;
  for (const NumberInput& operand : request.operands) {
    view.operands.push_back(view_input(operand, request.format));
    codes.push_back(view.operands.back().number.code);
  }
  view.expression = expression(request.operation, view.operands);

  RoundTrace trace;
  const Bits result = compute(request.operation, request.format, request.result_format, codes,
                              request.rule, &trace);
  view.result = view_number(request.result_format, result);
  view.flags = trace.flags;

  if (const std::optional<ExactResult> exact = exact_result(request, codes)) {
    const std::optional<std::string> digits =
        exact->ends ? exact_decimal(exact->value) : std::nullopt;
    view.exact_ends = digits.has_value();
    view.exact = digits ? *digits : short_decimal(exact->value, long_digits);
    view.exact_label = decimal_label(exact->value, label_length);
    view.rounded = exact->value != 0;
    if (view.rounded) view.step = rounding_step(request.result_format, trace, exact->value);
    if (view.result.finite()) {
      const mpq_class error = value_of(request.result_format, result) - exact->value;
      const std::optional<std::string> all = exact->ends ? exact_decimal(error) : std::nullopt;
      view.error_ends = all.has_value();
      view.error = all ? *all : short_decimal(error, long_digits);
      view.error_short = short_decimal(error, 4);
      view.error_ulp = short_decimal(error / power_of_two(view.result.ulp_exponent), 4);
    }
  }
  view.explanation = explain_rounding(view);
  return view;
}

}  // namespace whybits
