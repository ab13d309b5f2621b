// Words → numbers that the processor adds: doubles, or integers in a fixed unit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exact/operand_words.hpp"

namespace whybits::exact {

/// The values as doubles, exact; NaN for every NaN, a NaN or an infinity for infinities.
/// Preconditions: products_fit_double(format) (exact_path.hpp), equal sizes.
void decode(const OperandWords& words, std::span<double> out);
/// The same of unpacked operands. Returns false, with `out` unspecified, if one of them is no f32.
bool decode(std::span<const Unpacked> values, std::span<double> out);

/// Values in units of half the format's smallest subnormal: even integers; 1 or −1 for NaN and
/// infinities, so that the lowest bit tells. Precondition: integer_bits(format) < 62.
class IntegerDecoder {
 public:
  /// `expected`: how many operands will come. A table pays when they are more than the codes.
  IntegerDecoder(const Format& format, std::size_t expected);
  /// Equal sizes.
  void operator()(const OperandWords& words, std::span<std::int64_t> out) const;

 private:
  Format format_;
  bool tabulated_;
  std::array<std::int64_t, 256> table_;
};

/// Exponent of that unit.
constexpr int integer_unit(const Format& format) {
  return format.quantum_exponent() - 1;
}

}  // namespace whybits::exact
