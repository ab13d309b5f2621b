#include "sim/dyadic.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace whybits {

namespace {

mpz_class from_u64(std::uint64_t value) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), 1, 1, sizeof value, 0, 0, &value);
  return result;
}

Uint128 to_u128(const mpz_class& magnitude) {
  std::uint64_t words[2] = {0, 0};  // least significant first
  mpz_export(words, nullptr, -1, sizeof words[0], 0, 0, magnitude.get_mpz_t());
  return (Uint128{words[1]} << 64) | words[0];
}

mpz_class shifted_left(const mpz_class& value, long bits) {
  return value << static_cast<mp_bitcnt_t>(bits);
}

long width(const mpz_class& value) {
  return value == 0 ? 0 : static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2));
}

}  // namespace

Dyadic::Dyadic(mpz_class mantissa, long exponent)
    : mantissa_(std::move(mantissa)), exponent_(exponent) {
  normalise();
}

void Dyadic::normalise() {
  if (mantissa_ == 0) {
    exponent_ = 0;
    return;
  }
  const mp_bitcnt_t zeros = mpz_scan1(mantissa_.get_mpz_t(), 0);
  mantissa_ >>= zeros;
  exponent_ += static_cast<long>(zeros);
}

Dyadic Dyadic::from_code(const Format& format, Bits code) {
  const Unpacked value = unpack(format, code);
  if (!value.finite()) throw std::domain_error("an infinity or NaN is not an exact number");
  const mpz_class magnitude = from_u64(value.significand);
  return {value.negative ? mpz_class(-magnitude) : magnitude, value.exponent};
}

Dyadic Dyadic::from_double(double value) {
  return from_code(formats::f64, std::bit_cast<std::uint64_t>(value));
}

Dyadic& Dyadic::operator+=(const Dyadic& other) {
  if (other.is_zero()) return *this;
  if (is_zero()) return *this = other;
  const long common = std::min(exponent_, other.exponent_);
  mantissa_ = shifted_left(mantissa_, exponent_ - common) +
              shifted_left(other.mantissa_, other.exponent_ - common);
  exponent_ = common;
  normalise();
  return *this;
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  return {a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_};
}

std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  return (a - b).sign() <=> 0;
}

Bits Dyadic::round_to(const Format& format, const RoundRule& rule) const {
  // The top 126 bits and "is there more" are all that a rounding can ask. An exponent far beyond
  // every format's is replaced by one that still is.
  constexpr long most_bits = 126;
  constexpr long far = 1'000'000;
  const mpz_class magnitude = ::abs(mantissa_);
  const long excess = std::max(0L, width(magnitude) - most_bits);
  const mpz_class leading = magnitude >> static_cast<mp_bitcnt_t>(excess);
  const long exponent = std::clamp(exponent_ + excess, -far, far);
  // mantissa_ is odd: whatever is cut off is not zero.
  return round_pack(format, {sign() < 0, excess > 0, static_cast<int>(exponent), to_u128(leading)},
                    rule);
}

double Dyadic::to_double() const {
  return std::bit_cast<double>(round_to(formats::f64));
}

std::string Dyadic::to_decimal() const {
  if (exponent_ >= 0) return shifted_left(mantissa_, exponent_).get_str();
  // m / 2^k = m·5^k / 10^k: exactly k digits after the point, the last one a 5.
  const auto places = static_cast<std::size_t>(-exponent_);
  mpz_class digits;
  mpz_ui_pow_ui(digits.get_mpz_t(), 5, places);
  digits *= ::abs(mantissa_);
  std::string text = digits.get_str();
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, 1, '.');
  return (sign() < 0 ? "-" : "") + text;
}

}  // namespace whybits
