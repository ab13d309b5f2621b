#include "sim/map_operation.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/arith.hpp"
#include "sim/min_max.hpp"
#include "sim/unit.hpp"

namespace whybits {

Bits MapOperation::operator()(std::span<const Bits> x) const {
  using enum Kind;
  switch (kind) {
    case add:
      return whybits::add(result, x[0], x[1], rule);
    case sub:
      return whybits::sub(result, x[0], x[1], rule);
    case mul:
      return whybits::mul(result, x[0], x[1], rule);
    case div:
      return whybits::div(result, x[0], x[1], rule);
    case fma:
      return whybits::fma(result, x[0], x[1], x[2], rule);
    case sqrt:
      return whybits::sqrt(result, x[0], rule);
    case max:
      return whybits::max(result, x[0], x[1], {.nan = rule.nan});
    case negate:
      return x[0] ^ result.sign_mask();
    case convert:
      return whybits::convert(operands[0], result, x[0], rule);
    case given:
      break;
  }
  return function(x);
}

namespace operations {
namespace {

using Kind = MapOperation::Kind;

MapOperation arithmetic(Kind kind, const char* name, std::size_t arity, const Format& format,
                        const RoundRule& rule) {
  MapOperation operation;
  operation.kind = kind;
  operation.name = std::string(name) + "." + conversion_name({format, rule});
  operation.operands.assign(arity, format);
  operation.result = format;
  operation.rule = rule;
  return operation;
}

}  // namespace

MapOperation add(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::add, "add", 2, format, rule);
}
MapOperation sub(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::sub, "sub", 2, format, rule);
}
MapOperation mul(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::mul, "mul", 2, format, rule);
}
MapOperation div(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::div, "div", 2, format, rule);
}
MapOperation fma(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::fma, "fma", 3, format, rule);
}
MapOperation sqrt(const Format& format, const RoundRule& rule) {
  return arithmetic(Kind::sqrt, "sqrt", 1, format, rule);
}
MapOperation max(const Format& format, NanRule nan) {
  RoundRule rule;
  rule.nan = nan;
  return arithmetic(Kind::max, "max", 2, format, rule);
}
MapOperation negate(const Format& format) {
  return arithmetic(Kind::negate, "negate", 1, format, {});
}

MapOperation convert(const Format& from, const Conversion& to) {
  MapOperation operation = arithmetic(Kind::convert, "convert", 1, to.to, to.rule);
  operation.operands = {from};
  return operation;
}

MapOperation given(std::string name, std::vector<Format> operands, const Format& result,
                   std::function<Bits(std::span<const Bits>)> function) {
  MapOperation operation;
  operation.name = std::move(name);
  operation.operands = std::move(operands);
  operation.result = result;
  operation.function = std::move(function);
  return operation;
}

MapOperation table(std::string name, const Format& operand, const Format& result,
                   std::vector<Bits> codes) {
  const int bits = operand.code_bits();
  if (bits > 16 || codes.size() != std::size_t{1} << bits)
    throw std::invalid_argument("table " + name + ": " + std::to_string(codes.size()) +
                                " codes for an operand of " + std::to_string(bits) +
                                " bits; a table lists one for each code of at most 16 bits");
  const auto shared = std::make_shared<const std::vector<Bits>>(std::move(codes));
  return given(std::move(name), {operand}, result,
               [shared](std::span<const Bits> x) { return (*shared)[x[0]]; });
}

}  // namespace operations
}  // namespace whybits
