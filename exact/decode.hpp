// Words → numbers that the processor adds: doubles, or integers in a fixed unit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exact/operand_words.hpp"

namespace whybits::exact {

/// The values as doubles, exact; NaN for every NaN, a NaN or an infinity for infinities.
/// Preconditions: f64 or products_fit_double(format) (exact_path.hpp), equal sizes.
void decode(const OperandWords& words, std::span<double> out);
/// The same of unpacked operands. Returns false, with `out` unspecified, if one of them is no f32.
bool decode(std::span<const Unpacked> values, std::span<double> out);

/// x[i] *= y[i]. Equal sizes.
void multiply(std::span<double> x, std::span<const double> y);

/// Values in units of half the format's smallest subnormal. Precondition: fits_integer(format)
/// (exact_path.hpp).
class IntegerDecoder {
 public:
  /// `expected`: how many operands will come. A table pays when they are more than the codes.
  IntegerDecoder(const Format& format, std::size_t expected);
  /// Returns false, with `out` unspecified, if there is a NaN or an infinity. Equal sizes.
  bool operator()(const OperandWords& words, std::span<std::int64_t> out) const;

 private:
  bool by_table(const OperandWords& words, std::span<std::int64_t> out) const;

  Format format_;
  bool tabulated_;
  std::array<std::int64_t, 256> table_;
};
/// Exponent of that unit.
constexpr int integer_unit(const Format& format) {
  return format.quantum_exponent() - 1;
}

}  // namespace whybits::exact
