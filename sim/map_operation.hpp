// Elementwise operations of recipes, as values.
//
// Reference arithmetic by kind, and whatever else is handed in: a correctly rounded exp from an
// oracle, a GPU's special-function table. None of the latter is wired in here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/unit.hpp"

namespace whybits {

struct MapOperation {
  enum class Kind : std::uint8_t { add, sub, mul, div, fma, sqrt, max, negate, convert, given };

  Kind kind = Kind::given;
  std::string name;              ///< as a recipe prints it: "mul.f32", "exp"
  std::vector<Format> operands;  ///< one an operand; narrower ones widen exactly
  Format result;
  RoundRule rule;
  std::function<Bits(std::span<const Bits>)> function;  ///< kind == given only; pure

  std::size_t arity() const { return operands.size(); }
  /// The result for codes in `operands`. Precondition: as many as the arity.
  Bits operator()(std::span<const Bits> codes) const;
};

namespace operations {

MapOperation add(const Format&, const RoundRule& = {});
MapOperation sub(const Format&, const RoundRule& = {});
MapOperation mul(const Format&, const RoundRule& = {});
MapOperation div(const Format&, const RoundRule& = {});
MapOperation fma(const Format&, const RoundRule& = {});  ///< x·y + z, one rounding
MapOperation sqrt(const Format&, const RoundRule& = {});
/// A NaN operand is ignored, +0 > −0 (arith.hpp).
MapOperation max(const Format&, NanRule = NanRule::gpu);
MapOperation negate(const Format&);  ///< the sign bit flipped, of NaN too
MapOperation convert(const Format& from, const Conversion& to);
/// A function handed in. It must be pure: the same operands always give the same code, also when
/// several threads call it.
MapOperation given(std::string name, std::vector<Format> operands, const Format& result,
                   std::function<Bits(std::span<const Bits>)> function);
/// A function of one operand of at most 16 bits, as its result for every code.
/// Throws std::invalid_argument if the number of codes is not 2^(bits of the operand).
MapOperation table(std::string name, const Format& operand, const Format& result,
                   std::vector<Bits> codes);

}  // namespace operations
}  // namespace whybits
