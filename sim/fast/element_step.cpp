// Which kernel has an operation's bits.
//
// Double lanes are close enough where no rounding can tell them from the exact result. Rounding
// asks how a result stands to points of a grid: numbers of p bits and the points halfway between
// them. Double's own rounding keeps that order, and it must not move a result onto a point:
//   add, sub, fma   are rounded to odd (kernels/rounding-inl.hpp)
//   mul             is exact up to p = 26
//   div             x/y misses a point m of p + 1 bits by |x − m·y| / |y|, at least one unit in
//                   2p + 1 bits: up to p = 24, that is 16 times double's error
//   sqrt            √x misses m by |x − m²| / (√x + m), at least one unit in 2p + 3 bits: up to
//                   p = 24, that is 4 times double's error
// Nothing may leave double's range on the way: a quotient of numbers with 9 exponent bits does not,
// nor a product of numbers with 10 (Rounder admits no more).
#include "sim/fast/element_step.hpp"

#include <algorithm>

#include "sim/leaves.hpp"

namespace whybits::fast {
namespace {

using Kind = MapOperation::Kind;
using Kernel = ElementStep::Kernel;

std::optional<Lane> lane_of(const MapOperation& operation) {
  const auto all = [&](bool (*fits)(const Format&)) {
    return fits(operation.result) &&
           std::all_of(operation.operands.begin(), operation.operands.end(), fits);
  };
  if (all(fits_f32)) return Lane::f32;
  if (all(fits_f64)) return Lane::f64;
  return {};
}

bool close_enough(Kind kind, const Format& format) {
  switch (kind) {
    case Kind::mul:
    case Kind::fma:
      return format.precision() <= 26;
    case Kind::div:
    case Kind::sqrt:
      return format.precision() <= 24 && format.exponent_bits <= 9;
    default:
      return true;
  }
}

/// Operands enter in the format of the result.
void choose_arithmetic(ElementStep& step) {
  const MapOperation& operation = step.operation;
  const Format& format = operation.result;
  const auto same = [&](const Format& operand) { return operand == format; };
  if (!std::all_of(operation.operands.begin(), operation.operands.end(), same)) return;
  const bool close = close_enough(step.kind, format);
  if (close) step.rounder = rounder(format, format, operation.rule);
  if (format == lane_format(step.lane) && as_the_processor(operation.rule))
    step.kernel = Kernel::native;
  else if (step.rounder)
    step.kernel = Kernel::rounded;
}

void choose_conversion(ElementStep& step) {
  const MapOperation& operation = step.operation;
  const Format& from = operation.operands[0];
  const RoundRule& rule = operation.rule;
  if (widens_exactly(from, operation.result) && rule.flush == Flush::none &&
      rule.overflow != Overflow::saturate) {
    step.kernel = Kernel::native;
    return;
  }
  step.rounder = rounder(from, operation.result, rule);
  if (step.rounder) step.kernel = Kernel::rounded;
}

/// What a NaN result is, if every one is the same. Where NaN stands for infinity, it has a sign.
std::optional<Bits> nan_of(const MapOperation& operation, Kind kind) {
  if (kind == Kind::negate) return {};
  if (kind != Kind::max && !operation.result.has_infinity()) return {};
  return nan_code(operation.result, operation.rule.nan);
}

}  // namespace

ElementStep element_step(const MapOperation& operation) {
  ElementStep step;
  step.operation = operation;
  step.kind = operation.kind;
  const std::optional<Lane> lane = lane_of(operation);
  if (!lane || step.kind == Kind::given) return step;
  step.lane = *lane;
  step.nan = nan_of(operation, step.kind);
  switch (step.kind) {
    case Kind::max:
    case Kind::negate:
      step.kernel = Kernel::native;
      break;
    case Kind::convert:
      choose_conversion(step);
      break;
    default:
      choose_arithmetic(step);
      break;
  }
  return step;
}

ElementStep product_step(const Format& a, const Format& b, const Conversion& product) {
  ElementStep step;
  step.operation = operations::given("product > " + conversion_name(product), {a, b}, product.to,
                                     [=](std::span<const Bits> x) {
                                       const OperandVector first(a, {x[0]}), second(b, {x[1]});
                                       Leaves leaves;
                                       leaves.a = &first;
                                       leaves.b = &second;
                                       leaves.product = product;
                                       return rounded_product(leaves, 0);
                                     });
  step.operation.rule = product.rule;
  const std::optional<Lane> lane = lane_of(step.operation);
  if (!lane || !fits_f32(a) || !fits_f32(b)) return step;
  step.lane = *lane;
  step.kind = Kind::mul;
  step.nan = nan_of(step.operation, step.kind);
  // Double has the product exactly, float rounds it once.
  step.rounder = rounder(formats::f64, product.to, product.rule);
  if (product.to == lane_format(step.lane) && as_the_processor(product.rule))
    step.kernel = Kernel::native;
  else if (step.rounder)
    step.kernel = Kernel::rounded;
  return step;
}

std::string kernel_name(const ElementStep& step) {
  std::string lanes = step.lane == Lane::f32 ? "f32 lanes" : "f64 lanes";
  switch (step.kernel) {
    case Kernel::native:
      return lanes;
    case Kernel::rounded:
      if (step.kind == Kind::convert && step.lane == Lane::f32 &&
          step.rounder->shortcut != Shortcut::none)
        return lanes;
      return lanes + ", any rounding";
    case Kernel::reference:
      break;
  }
  return step.operation.kind == Kind::given && step.kind == Kind::given
             ? "function, one element at a time"
             : "reference, one element at a time";
}

}  // namespace whybits::fast
