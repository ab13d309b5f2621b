// Loops without branches over spans, for the compiler to vectorise (CMakeLists.txt asks for it).
#include "exact/decode.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace whybits::exact {
namespace {

constexpr std::uint32_t f32_nan = 0x7fc00000;

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<Bits>(1023 + exponent) << 52);
}

/// Formats with f32's exponents are f32 with fewer fraction bits.
template <class Word>
void decode_e8(std::span<const Word> words, int left, std::uint32_t mask, std::span<double> out) {
  const std::size_t n = out.size();
  for (std::size_t i = 0; i < n; ++i)
    out[i] = std::bit_cast<float>((static_cast<std::uint32_t>(words[i]) & mask) << left);
}

/// Formats of fewer exponent bits. Their fields are moved to where an f32 has them, as a very small
/// number, subnormals included; `scale` brings the value back. NaN and infinities become
/// `special` · scale, an f32 word.
template <class Word>
void decode_narrow(std::span<const Word> words, const Format& f, std::uint32_t special,
                   double scale, std::span<double> out) {
  const int left = 23 - f.fraction_bits;
  const int to_sign = 32 - f.code_bits();
  const auto sign_bit = static_cast<std::uint32_t>(f.sign_mask());
  const auto largest = static_cast<std::int32_t>(f.max_finite());
  const std::size_t n = out.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<std::uint32_t>(words[i]);
    const auto magnitude = code & (sign_bit - 1);
    const auto beyond =
        std::uint32_t{0} - (static_cast<std::int32_t>(magnitude) > largest ? 1U : 0U);
    const std::uint32_t moved = (beyond & special) | (~beyond & (magnitude << left));
    const std::uint32_t word = (code & sign_bit) << to_sign | moved;
    out[i] = static_cast<double>(std::bit_cast<float>(word)) * scale;
  }
}

}  // namespace

void decode(const OperandWords& operand, std::span<double> out) {
  assert(operand.size() == out.size());
  const Format& f = operand.format();
  operand.visit([&](auto words) {
    if (f == formats::f64)
      std::transform(words.begin(), words.end(), out.begin(),
                     [](auto word) { return std::bit_cast<double>(Bits{word}); });
    else if (f.exponent_bits == 8)
      decode_e8(words, 23 - f.fraction_bits - operand.shift(),
                static_cast<std::uint32_t>(f.code_mask() << operand.shift()), out);
    else
      decode_narrow(words, f, f32_nan, power_of_two(127 - f.bias()), out);
  });
}

bool decode(std::span<const Unpacked> values, std::span<double> out) {
  assert(values.size() == out.size());
  constexpr Format f32 = formats::f32;
  bool all = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Unpacked& u = values[i];
    const bool fits = u.significand >> f32.precision() == 0 &&
                      u.exponent >= f32.quantum_exponent() &&
                      u.exponent <= f32.max_exponent() - f32.fraction_bits;
    all = all && (fits || !u.finite());
    const double magnitude =
        static_cast<double>(static_cast<std::int64_t>(u.significand)) * power_of_two(u.exponent);
    out[i] = !u.finite()  ? double{std::bit_cast<float>(f32_nan)}
             : u.negative ? -magnitude
                          : magnitude;
  }
  return all;
}

void multiply(std::span<double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) x[i] *= y[i];
}

// Integers are decoded as doubles in the integers' unit. All are even; NaN and infinities become
// half of the smallest subnormal: 1, and the only odd numbers.
IntegerDecoder::IntegerDecoder(const Format& format, std::size_t expected)
    : format_(format), tabulated_(false) {
  if (format.code_bits() > 8 || expected < table_.size()) return;
  std::array<Bits, 256> codes;
  for (Bits code = 0; code < codes.size(); ++code) codes[code] = code;
  std::array<std::int64_t, 256> table;
  (*this)({format, std::span<const Bits>(codes)}, table);
  table_ = table;
  tabulated_ = true;
}

bool IntegerDecoder::operator()(const OperandWords& operand, std::span<std::int64_t> out) const {
  assert(operand.size() == out.size());
  if (tabulated_) return by_table(operand, out);
  const std::uint32_t one = std::uint32_t{1} << (22 - format_.fraction_bits);
  const double scale = power_of_two(127 - format_.bias() - integer_unit(format_));
  std::array<double, 64> values;
  std::int64_t seen = 0;
  for (std::size_t first = 0; first < out.size(); first += values.size()) {
    const std::size_t count = std::min(values.size(), out.size() - first);
    operand.part(first, count).visit([&](auto words) {
      decode_narrow(words, format_, one, scale, std::span(values).first(count));
    });
    for (std::size_t i = 0; i < count; ++i)
      seen |= out[first + i] = static_cast<std::int64_t>(values[i]);
  }
  return (seen & 1) == 0;
}

bool IntegerDecoder::by_table(const OperandWords& operand, std::span<std::int64_t> out) const {
  return operand.visit([&](auto words) {
    const std::size_t n = out.size();
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < n; ++i)
      seen |= out[i] = table_[static_cast<std::uint8_t>(words[i])];
    return (seen & 1) == 0;
  });
}

}  // namespace whybits::exact
