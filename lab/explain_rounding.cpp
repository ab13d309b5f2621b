#include "lab/explain_rounding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whybits {

namespace {

bool any_operand(const OperationView& view, FpClass cls) {
  return std::any_of(view.operands.begin(), view.operands.end(),
                     [cls](const InputNumber& operand) { return operand.number.cls == cls; });
}

/// No rounding took place: NaN, an infinite operand, a division by zero.
std::string explain_special(const OperationView& view) {
  if (any_operand(view, FpClass::nan) && view.result.finite())
    return fmt::format("{} has no NaN: its largest number takes the place.",
                       view.result.format_name);
  if (any_operand(view, FpClass::nan) && !view.flags.invalid)
    return "An operand is NaN, and NaN stays NaN.";
  if (any_operand(view, FpClass::nan))
    return "An operand is a signalling NaN, or zero times infinity: an invalid operation, which "
           "gives NaN.";
  if (view.operation == Arithmetic::div && !any_operand(view, FpClass::infinity)) {
    if (view.operands[0].number.cls == FpClass::zero)
      return "0 / 0 has no value: an invalid operation, which gives NaN.";
    return fmt::format("A number divided by zero is infinite: the result is {}.",
                       view.result.display);
  }
  if (view.operation == Arithmetic::sqrt && view.operands[0].number.sign_bits == "1")
    return "A negative number has no square root: an invalid operation, which gives NaN.";
  if (view.result.cls == FpClass::nan && view.operation == Arithmetic::convert)
    return fmt::format("{} has no infinity: NaN takes its place.", view.result.format_name);
  if (view.result.cls == FpClass::nan)
    return fmt::format("{} has no value: an invalid operation, which gives NaN.", view.expression);
  if (view.result.cls == FpClass::infinity)
    return fmt::format("An infinite operand makes the result {}. Nothing is rounded.",
                       view.result.display);
  if (any_operand(view, FpClass::infinity) && view.result.cls != FpClass::zero)
    return fmt::format("The infinite result becomes {}, the largest number of {}.",
                       view.result.display, view.result.format_name);
  return fmt::format("A number divided by infinity is zero: {}.", view.result.display);
}

std::string explain_overflow(const OperationView& view) {
  const Format& format = view.result.format;
  const std::string beyond = fmt::format(
      "{} is beyond {}{}, where {} ends. ", view.exact_label, view.exact.front() == '-' ? "-" : "",
      display_decimal(format, format.max_finite()), view.result.format_name);
  if (view.result.cls == FpClass::infinity)
    return beyond + fmt::format("Rounding {}, it overflows to {}.", rounding_phrase(view.rounding),
                                view.result.display);
  if (view.result.cls == FpClass::nan)
    return beyond + "There is no infinity in this format: NaN takes its place.";
  return beyond + "The result stops there.";
}

std::string explain_choice(const OperationView& view) {
  const RoundingStep& step = view.step;
  const std::string& taken = step.incremented ? step.outer : step.inner;
  const std::string& other = step.incremented ? step.inner : step.outer;
  const bool tie = step.guard && !step.round && !step.sticky;
  const bool negative = view.exact.front() == '-';
  const std::string between =
      fmt::format("{} lies between {} and {}", view.exact_label, negative ? step.outer : step.inner,
                  negative ? step.inner : step.outer);
  switch (view.rounding) {
    case Rounding::nearest_even:
      if (tie && view.result.format.fraction_bits == 0)
        return between + fmt::format(
                             ", exactly halfway. Every number here is a power of two, an "
                             "odd significand: the tie goes to the larger, {}.",
                             taken);
      if (tie)
        return between + fmt::format(
                             ", exactly halfway. A tie goes to the even one, {}, whose last "
                             "bit is 0.",
                             taken);
      return between + fmt::format(", nearer to {} than to {}.", taken, other);
    case Rounding::nearest_away:
      if (tie)
        return between + fmt::format(
                             ", exactly halfway. Here a tie goes to the one farther from "
                             "zero, {}.",
                             taken);
      return between + fmt::format(", nearer to {} than to {}.", taken, other);
    case Rounding::zero:
      return between +
             fmt::format(". Rounding toward zero drops the bits below the last place: {}.", taken);
    case Rounding::up:
      return between + fmt::format(". Rounding up takes the larger, {}.", taken);
    case Rounding::down:
      return between + fmt::format(". Rounding down takes the smaller, {}.", taken);
    case Rounding::odd:
      return between +
             fmt::format(". Rounding to odd takes the one whose last bit is 1, {}.", taken);
    case Rounding::stochastic:
      return between + fmt::format(". The random bits added to the dropped ones {}: {}.",
                                   step.incremented ? "carry" : "do not carry", taken);
  }
  return "";
}

}  // namespace

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

std::string explain_rounding(const OperationView& view) {
  if (!view.exact.empty() && view.exact.front() == '-' && !view.result.format.is_signed)
    return fmt::format("{} has no sign: the magnitude is rounded, and the operation is invalid.",
                       view.result.format_name);
  if (view.exact.empty()) return explain_special(view);
  if (!view.rounded) {
    const bool cancelled = view.operation != Arithmetic::mul && view.operation != Arithmetic::div &&
                           !any_operand(view, FpClass::zero);
    if (!cancelled) return "The result is exactly zero; its sign follows from the operands.";
    return fmt::format("The operands cancel exactly. The zero is {}, as rounding {} has it.",
                       view.rounding == Rounding::down ? "-0" : "+0",
                       rounding_phrase(view.rounding));
  }
  if (!view.flags.inexact)
    return fmt::format("{} is a number of {}: nothing is lost.",
                       view.exact_label == view.exact ? view.exact : "The exact result",
                       view.result.format_name);
  if (view.flags.overflow) return explain_overflow(view);
  constexpr const char* underflow =
      " Below the smallest normal number the last place stays the same: fewer bits are kept.";
  return explain_choice(view) + (view.flags.underflow ? underflow : "");
}

}  // namespace whybits
