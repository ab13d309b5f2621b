#include "lab/arithmetic.hpp"

#include "sim/arith.hpp"

namespace whybits {

std::string_view operation_name(Arithmetic operation) {
  constexpr std::array<std::string_view, all_arithmetic.size()> names = {
      "add", "sub", "mul", "fma", "div", "sqrt", "convert"};
  return names[static_cast<std::size_t>(operation)];
}

int operand_count(Arithmetic operation) {
  if (operation == Arithmetic::fma) return 3;
  return operation == Arithmetic::sqrt || operation == Arithmetic::convert ? 1 : 2;
}

Bits compute(Arithmetic operation, const Format& format, const Format& result_format,
             std::span<const Bits> x, const RoundRule& rule, RoundTrace* trace) {
  switch (operation) {
    case Arithmetic::add:
      return add(format, x[0], x[1], rule, trace);
    case Arithmetic::sub:
      return sub(format, x[0], x[1], rule, trace);
    case Arithmetic::mul:
      return mul(format, x[0], x[1], rule, trace);
    case Arithmetic::fma:
      return fma(format, x[0], x[1], x[2], rule, trace);
    case Arithmetic::div:
      return div(format, x[0], x[1], rule, trace);
    case Arithmetic::sqrt:
      return sqrt(format, x[0], rule, trace);
    case Arithmetic::convert:
      return convert(format, result_format, x[0], rule, trace);
  }
  return 0;
}

std::string flag_names(const Flags& flags) {
  std::string names;
  const auto append = [&names](bool raised, std::string_view name) {
    if (raised) names.append(names.empty() ? "" : ", ").append(name);
  };
  append(flags.invalid, "invalid");
  append(flags.divide_by_zero, "divide by zero");
  append(flags.overflow, "overflow");
  append(flags.underflow, "underflow");
  append(flags.inexact, "inexact");
  return names.empty() ? "none" : names;
}

std::string_view tininess_name(Tininess tininess) {
  return tininess == Tininess::before ? "before" : "after";
}

std::optional<Tininess> parse_tininess(std::string_view name) {
  for (const Tininess tininess : {Tininess::before, Tininess::after})
    if (name == tininess_name(tininess)) return tininess;
  return std::nullopt;
}

}  // namespace whybits
