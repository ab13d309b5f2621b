#include "lab/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/bit_width.hpp"

namespace whybits {

namespace {

mpz_class power(unsigned long base, long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), base, static_cast<unsigned long>(exponent));
  return result;
}

/// value · 10^exponent
mpq_class scaled(const mpq_class& value, long exponent) {
  return exponent >= 0 ? mpq_class(value * power(10, exponent))
                       : mpq_class(value / power(10, -exponent));
}

long size_in_bits(const mpz_class& value) {
  return static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2));
}

/// Largest e with 10^e ≤ value. Precondition: value > 0.
long decimal_exponent(const mpq_class& value) {
  const long bits = size_in_bits(value.get_num()) - size_in_bits(value.get_den());
  long exponent = bits * 301 / 1000 - 2;  // log10(2) = 0.30103: an estimate from below
  while (scaled(value, -(exponent + 1)) >= 1) ++exponent;
  while (scaled(value, -exponent) < 1) --exponent;
  return exponent;
}

/// A positive number between two integers, and which of them is nearest; a tie goes to the even
/// one.
struct Split {
  mpz_class floor;
  bool nearest_is_floor = true;
};

Split split_at_point(const mpq_class& value) {
  Split split;
  mpz_fdiv_q(split.floor.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  const int half = cmp(value - split.floor, mpq_class(1, 2));
  split.nearest_is_floor = half < 0 || (half == 0 && mpz_even_p(split.floor.get_mpz_t()) != 0);
  return split;
}

/// d.ddd · 10^exponent
struct Digits {
  std::string digits;
  long exponent = 0;
};

Digits trimmed(const mpz_class& units, long unit_exponent) {
  Digits result{units.get_str(), 0};
  result.exponent = unit_exponent + static_cast<long>(result.digits.size()) - 1;
  result.digits.erase(std::max<std::size_t>(result.digits.find_last_not_of('0') + 1, 1));
  return result;
}

std::string write(const Digits& number, bool negative) {
  const auto count = static_cast<long>(number.digits.size());
  std::string text = number.digits;
  if (number.exponent < -5 || number.exponent > 16) {
    if (count > 1) text.insert(1, 1, '.');
    text += fmt::format("e{}{:02}", number.exponent < 0 ? '-' : '+', std::abs(number.exponent));
  } else if (number.exponent < 0) {
    text.insert(0, "0." + std::string(static_cast<std::size_t>(-number.exponent - 1), '0'));
  } else if (number.exponent >= count - 1) {
    text.append(static_cast<std::size_t>(number.exponent - count + 1), '0');
  } else {
    text.insert(static_cast<std::size_t>(number.exponent + 1), 1, '.');
  }
  return negative ? "-" + text : text;
}

}  // namespace

mpq_class to_rational(const Dyadic& value) {
  mpq_class result = value.mantissa();
  if (value.exponent() >= 0)
    result <<= static_cast<mp_bitcnt_t>(value.exponent());
  else
    result >>= static_cast<mp_bitcnt_t>(-value.exponent());
  return result;
}

std::optional<std::string> exact_decimal(const mpq_class& value) {
  // A denominator 2^a · 5^b needs max(a, b) places.
  mpz_class rest = value.get_den();
  const auto twos = static_cast<long>(mpz_scan1(rest.get_mpz_t(), 0));
  rest >>= static_cast<mp_bitcnt_t>(twos);
  const mpz_class five = 5;
  const auto fives =
      static_cast<long>(mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), five.get_mpz_t()));
  if (rest != 1) return std::nullopt;

  const auto places = static_cast<std::size_t>(std::max(twos, fives));
  const mpq_class magnitude = abs(value);
  std::string text = mpz_class(scaled(magnitude, static_cast<long>(places))).get_str();
  if (places > 0) {
    if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
    text.insert(text.size() - places, 1, '.');
  }
  return sgn(value) < 0 ? "-" + text : text;
}

std::string short_decimal(const mpq_class& value, int digits) {
  if (value == 0) return "0";
  const mpq_class magnitude = abs(value);
  const long unit = decimal_exponent(magnitude) - digits + 1;
  const Split split = split_at_point(scaled(magnitude, -unit));
  const mpz_class rounded = split.nearest_is_floor ? split.floor : mpz_class(split.floor + 1);
  return write(trimmed(rounded, unit), sgn(value) < 0);
}

std::string decimal_label(const mpq_class& value, std::size_t length) {
  const std::optional<std::string> exact = exact_decimal(value);
  if (exact && exact->size() <= length) return *exact;
  std::string text = short_decimal(value, static_cast<int>(length) - 3);
  text.insert(std::min(text.find('e'), text.size()), "…");
  return text;
}

std::string shortest_decimal(const Format& format, Bits code) {
  const Unpacked unpacked = unpack(format, code);
  const std::string sign = unpacked.negative ? "-" : "";
  if (unpacked.cls == FpClass::nan) return "nan";
  if (unpacked.cls == FpClass::infinity) return sign + "inf";
  if (unpacked.cls == FpClass::zero) return sign + "0";

  const mpq_class value = abs(to_rational(Dyadic::from_code(format, code)));
  const Bits magnitude = code & format.magnitude_mask();
  const long exponent = decimal_exponent(value);
  for (long count = 1;; ++count) {
    const long unit = exponent - count + 1;
    const auto [floor, nearest_is_floor] = split_at_point(scaled(value, -unit));
    // At a power of two the upper neighbour is farther away than the lower one: try both sides.
    for (const bool take_floor : {nearest_is_floor, !nearest_is_floor}) {
      const mpz_class candidate = take_floor ? floor : mpz_class(floor + 1);
      if (candidate == 0 || round_rational(format, scaled(candidate, unit)) != magnitude) continue;
      return write(trimmed(candidate, unit), unpacked.negative);
    }
  }
}

std::string hex_float(const Format& format, Bits code) {
  const Unpacked unpacked = unpack(format, code);
  if (!unpacked.finite()) return shortest_decimal(format, code);
  const std::string sign = unpacked.negative ? "-" : "";
  if (unpacked.significand == 0) return sign + "0x0p+0";
  const int leading = bit_width(unpacked.significand) - 1;
  // The bits after the leading one, left-aligned in 52 = 13 hexadecimal digits.
  const std::uint64_t fraction = (unpacked.significand ^ (std::uint64_t{1} << leading))
                                 << (52 - leading);
  std::string digits = fmt::format("{:013x}", fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+}", sign, digits.empty() ? "" : ".", digits,
                     unpacked.exponent + leading);
}

Bits round_rational(const Format& format, const mpq_class& value, bool negative,
                    const RoundRule& rule, RoundTrace* trace) {
  if (value == 0) return round_pack(format, {negative, false, 0, 0}, rule, trace);
  // A quotient of 100 or 101 bits, and whether anything remains, is all that a rounding can ask.
  mpz_class numerator = abs(value.get_num());
  mpz_class denominator = value.get_den();
  const long shift = 100 - (size_in_bits(numerator) - size_in_bits(denominator));
  (shift >= 0 ? numerator : denominator) <<= static_cast<mp_bitcnt_t>(std::abs(shift));
  mpz_class quotient, remainder;
  mpz_tdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), numerator.get_mpz_t(),
              denominator.get_mpz_t());
  std::uint64_t words[2] = {0, 0};
  mpz_export(words, nullptr, -1, sizeof words[0], 0, 0, quotient.get_mpz_t());
  const Unrounded unrounded{sgn(value) < 0, remainder != 0, static_cast<int>(-shift),
                            (Uint128{words[1]} << 64) | words[0]};
  return round_pack(format, unrounded, rule, trace);
}

}  // namespace whybits
