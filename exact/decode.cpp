#include "exact/decode.hpp"

#include <bit>
#include <cassert>
#include <limits>

namespace whybits::exact {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Formats with f32's exponents are f32 with fewer fraction bits.
template <class Word>
void decode_e8(std::span<const Word> words, int left, Bits mask, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto word = static_cast<std::uint32_t>((words[i] & mask) << left);
    out[i] = std::bit_cast<float>(word);
  }
}

/// Any format of at most 8 exponent and 23 fraction bits. Its fields are moved to where a double
/// has them, as a very small number, subnormals included; a power of two moves the value back.
template <class Word>
void decode_narrow(std::span<const Word> words, const Format& f, int shift, std::span<double> out) {
  const int left = 52 - f.fraction_bits;
  const int to_sign = 64 - f.code_bits();
  const double scale = std::bit_cast<double>(static_cast<Bits>(2046 - f.bias()) << 52);
  const Bits magnitude_mask = f.sign_mask() - 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bits code = Bits{words[i]} >> shift;
    const Bits magnitude = code & magnitude_mask;
    const Bits sign = (code & f.sign_mask()) << to_sign;
    const double value = std::bit_cast<double>(sign | magnitude << left) * scale;
    out[i] = magnitude > f.max_finite() ? not_a_number : value;
  }
}

std::int64_t integer(const Format& f, Bits code) {
  const Bits magnitude = code & (f.sign_mask() - 1);
  const Bits field = magnitude >> f.fraction_bits;
  const Bits normal = field != 0 ? 1 : 0;
  const Bits significand = (magnitude & f.fraction_mask()) | normal << f.fraction_bits;
  const Bits value = magnitude > f.max_finite() ? 1 : significand << ((field - normal + 1) & 63);
  const Bits minus = (code & f.sign_mask()) != 0 ? ~Bits{0} : 0;
  return static_cast<std::int64_t>((value ^ minus) - minus);
}

}  // namespace

void decode(const OperandWords& operand, std::span<double> out) {
  assert(operand.size() == out.size());
  const Format& f = operand.format();
  const int shift = operand.shift();
  operand.visit([&](auto words) {
    if (f.exponent_bits == 8 && f.specials == Specials::ieee)
      decode_e8(words, 23 - f.fraction_bits - shift, f.code_mask() << shift, out);
    else
      decode_narrow(words, f, shift, out);
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
    const double power = std::bit_cast<double>(static_cast<Bits>(1023 + u.exponent) << 52);
    const double magnitude = static_cast<double>(static_cast<std::int64_t>(u.significand)) * power;
    out[i] = !u.finite() ? not_a_number : u.negative ? -magnitude : magnitude;
  }
  return all;
}

IntegerDecoder::IntegerDecoder(const Format& format, std::size_t expected)
    : format_(format), tabulated_(format.code_bits() <= 8 && expected >= table_.size()) {
  if (tabulated_)
    for (std::size_t code = 0; code < table_.size(); ++code) table_[code] = integer(format, code);
}

void IntegerDecoder::operator()(const OperandWords& operand, std::span<std::int64_t> out) const {
  assert(operand.size() == out.size());
  const int shift = operand.shift();
  operand.visit([&](auto words) {
    if (tabulated_) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table_[static_cast<std::uint8_t>(words[i] >> shift)];
    } else {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = integer(format_, Bits{words[i]} >> shift);
    }
  });
}

}  // namespace whybits::exact
