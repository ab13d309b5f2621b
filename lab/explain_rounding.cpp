#include "lab/explain_rounding.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace whybits {

namespace {

struct ReasonText {
  std::string_view key, text;
};
constexpr auto texts = std::to_array<ReasonText>({
    {"no_sign", "{0} has no sign: the magnitude is rounded, and the operation is invalid."},
    {"no_nan", "{0} has no NaN: its largest number takes the place."},
    {"nan", "An operand is NaN, and NaN stays NaN."},
    {"signalling",
     "An operand is a signalling NaN, or zero times infinity: an invalid operation, which gives "
     "NaN."},
    {"zero_by_zero", "0 / 0 has no value: an invalid operation, which gives NaN."},
    {"by_zero", "A number divided by zero is infinite: the result is {0}."},
    {"negative_root",
     "A negative number has no square root: an invalid operation, which gives NaN."},
    {"no_infinity", "{0} has no infinity: NaN takes its place."},
    {"no_value", "{0} has no value: an invalid operation, which gives NaN."},
    {"infinite", "An infinite operand makes the result {0}. Nothing is rounded."},
    {"infinite_becomes", "The infinite result becomes {0}, the largest number of {1}."},
    {"by_infinity", "A number divided by infinity is zero: {0}."},
    {"zero", "The result is exactly zero; its sign follows from the operands."},
    {"cancel", "The operands cancel exactly. The zero is {0}, as rounding {1} has it."},
    {"exact", "{0} is a number of {1}: nothing is lost."},
    {"exact_result", "The exact result is a number of {0}: nothing is lost."},
    {"beyond", "{0} is beyond {1}, where {2} ends."},
    {"overflows", "Rounding {1}, it overflows to {0}."},
    {"overflows_to_nan", "There is no infinity in this format: NaN takes its place."},
    {"saturates", "The result stops there."},
    {"tie_power",
     "{0} lies between {1} and {2}, exactly halfway. Every number here is a power of two, an odd "
     "significand: the tie goes to the larger, {3}."},
    {"tie_even",
     "{0} lies between {1} and {2}, exactly halfway. A tie goes to the even one, {3}, whose last "
     "bit is 0."},
    {"tie_away",
     "{0} lies between {1} and {2}, exactly halfway. Here a tie goes to the one farther from zero, "
     "{3}."},
    {"nearer", "{0} lies between {1} and {2}, nearer to {3} than to {4}."},
    {"toward_zero",
     "{0} lies between {1} and {2}. Rounding toward zero drops the bits below the last place: "
     "{3}."},
    {"up", "{0} lies between {1} and {2}. Rounding up takes the larger, {3}."},
    {"down", "{0} lies between {1} and {2}. Rounding down takes the smaller, {3}."},
    {"odd",
     "{0} lies between {1} and {2}. Rounding to odd takes the one whose last bit is 1, {3}."},
    {"carry",
     "{0} lies between {1} and {2}. The random bits added to the dropped ones carry: {3}."},
    {"no_carry",
     "{0} lies between {1} and {2}. The random bits added to the dropped ones do not carry: {3}."},
    {"subnormal",
     "Below the smallest normal number the last place stays the same: fewer bits are kept."},
});

bool any_operand(const OperationView& view, FpClass cls) {
  return std::any_of(view.operands.begin(), view.operands.end(),
                     [cls](const InputNumber& operand) { return operand.number.cls == cls; });
}

RoundingReason reason(std::string_view key, std::vector<std::string> values = {},
                      std::optional<Rounding> rounding = {}) {
  return {key, std::move(values), rounding};
}

/// No rounding took place: NaN, an infinite operand, a division by zero.
RoundingReason explain_special(const OperationView& view) {
  const NumberView& result = view.result;
  if (any_operand(view, FpClass::nan) && result.finite())
    return reason("no_nan", {result.format_name});
  if (any_operand(view, FpClass::nan)) return reason(view.flags.invalid ? "signalling" : "nan");
  if (view.operation == Arithmetic::div && !any_operand(view, FpClass::infinity)) {
    if (view.operands[0].number.cls == FpClass::zero) return reason("zero_by_zero");
    return reason("by_zero", {result.display});
  }
  if (view.operation == Arithmetic::sqrt && view.operands[0].number.sign_bits == "1")
    return reason("negative_root");
  if (result.cls == FpClass::nan && view.operation == Arithmetic::convert)
    return reason("no_infinity", {result.format_name});
  if (result.cls == FpClass::nan) return reason("no_value", {view.expression});
  if (result.cls == FpClass::infinity) return reason("infinite", {result.display});
  if (any_operand(view, FpClass::infinity) && result.cls != FpClass::zero)
    return reason("infinite_becomes", {result.display, result.format_name});
  return reason("by_infinity", {result.display});
}

std::vector<RoundingReason> explain_overflow(const OperationView& view) {
  const Format& format = view.result.format;
  const std::string limit = display_decimal(format, format.max_finite());
  RoundingReason beyond = reason(
      "beyond",
      {view.exact_label, (view.exact.front() == '-' ? "-" : "") + limit, view.result.format_name});
  if (view.result.cls == FpClass::infinity)
    return {std::move(beyond), reason("overflows", {view.result.display}, view.rounding)};
  return {std::move(beyond),
          reason(view.result.cls == FpClass::nan ? "overflows_to_nan" : "saturates")};
}

RoundingReason explain_choice(const OperationView& view) {
  const RoundingStep& step = view.step;
  const std::string& taken = step.incremented ? step.outer : step.inner;
  const std::string& other = step.incremented ? step.inner : step.outer;
  const bool tie = step.guard && !step.round && !step.sticky;
  const bool negative = view.exact.front() == '-';
  const auto choice = [&](std::string_view key) {
    return reason(key, {view.exact_label, negative ? step.outer : step.inner,
                        negative ? step.inner : step.outer, taken});
  };
  const auto nearer = [&] {
    RoundingReason out = choice("nearer");
    out.values.push_back(other);
    return out;
  };
  switch (view.rounding) {
    case Rounding::nearest_even:
      if (!tie) return nearer();
      return choice(view.result.format.fraction_bits == 0 ? "tie_power" : "tie_even");
    case Rounding::nearest_away:
      return tie ? choice("tie_away") : nearer();
    case Rounding::zero:
      return choice("toward_zero");
    case Rounding::up:
      return choice("up");
    case Rounding::down:
      return choice("down");
    case Rounding::odd:
      return choice("odd");
    case Rounding::stochastic:
      break;
  }
  return choice(step.incremented ? "carry" : "no_carry");
}

std::string english(const RoundingReason& reason) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const ReasonText& t) { return t.key == reason.key; });
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const std::string& value : reason.values) values.push_back(value);
  if (reason.rounding) values.push_back(std::string(rounding_phrase(*reason.rounding)));
  return fmt::vformat(found->text, values);
}

}  // namespace

std::vector<std::string_view> rounding_reason_keys() {
  std::vector<std::string_view> keys;
  for (const ReasonText& text : texts) keys.push_back(text.key);
  return keys;
}

std::string_view rounding_phrase(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return "to nearest even";
    case Rounding::nearest_away:
      return "to nearest, ties away from zero";
    case Rounding::zero:
      return "toward zero";
    case Rounding::up:
      return "up";
    case Rounding::down:
      return "down";
    case Rounding::odd:
      return "to odd";
    case Rounding::stochastic:
      return "stochastically";
  }
  return "";
}

std::vector<RoundingReason> rounding_reasons(const OperationView& view) {
  if (!view.exact.empty() && view.exact.front() == '-' && !view.result.format.is_signed)
    return {reason("no_sign", {view.result.format_name})};
  if (view.exact.empty()) return {explain_special(view)};
  if (!view.rounded) {
    const bool cancelled = view.operation != Arithmetic::mul && view.operation != Arithmetic::div &&
                           !any_operand(view, FpClass::zero);
    if (!cancelled) return {reason("zero")};
    return {reason("cancel", {view.rounding == Rounding::down ? "-0" : "+0"}, view.rounding)};
  }
  if (!view.flags.inexact) {
    if (view.exact_label == view.exact)
      return {reason("exact", {view.exact, view.result.format_name})};
    return {reason("exact_result", {view.result.format_name})};
  }
  if (view.flags.overflow) return explain_overflow(view);
  std::vector<RoundingReason> out{explain_choice(view)};
  if (view.flags.underflow) out.push_back(reason("subnormal"));
  return out;
}

std::string explain_rounding(const OperationView& view) {
  std::string out;
  for (const RoundingReason& reason : rounding_reasons(view))
    out += (out.empty() ? "" : " ") + english(reason);
  return out;
}

}  // namespace whybits
