#include "sim/superaccumulator.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace whybits {
namespace {

constexpr std::uint64_t limb_mask = 0xffffffff;
constexpr Unpacked times_one{FpClass::normal, false, 0, 1};

/// value, or −value, without a branch: the signs of real data cannot be predicted.
std::int64_t with_sign(std::uint64_t value, std::uint64_t minus) {
  return static_cast<std::int64_t>((value ^ minus) - minus);
}

/// Makes limbs low … high lie in [0, 2^32). Returns what is carried out of them.
template <class Limbs>
std::int64_t carry(Limbs& limbs, int low, int high) {
  std::int64_t above = 0;
  for (int i = low; i <= high; ++i) {
    std::int64_t& limb = limbs[static_cast<std::size_t>(i)];
    const std::int64_t sum = limb + above;
    above = sum >> 32;
    limb = sum & static_cast<std::int64_t>(limb_mask);
  }
  return above;
}

}  // namespace

std::uint8_t Superaccumulator::kind_of(bool is_nonzero, bool negative) {
  return is_nonzero ? nonzero : negative ? negative_zero : positive_zero;
}

void Superaccumulator::deposit(std::uint64_t significand, int exponent, bool negative) {
  const auto position = static_cast<unsigned>(exponent - lowest_exponent);
  const std::size_t limb = position / 32;
  const unsigned shift = position % 32;
  const std::uint64_t minus = negative ? ~std::uint64_t{0} : 0;
  const Uint128 shifted = Uint128{significand} << shift;
  const auto low = static_cast<std::uint64_t>(shifted);
  const auto high = static_cast<std::uint64_t>(shifted >> 64);
  limbs_[limb] += with_sign(low & limb_mask, minus);
  limbs_[limb + 1] += with_sign(low >> 32, minus);
  limbs_[limb + 2] += with_sign(high, minus);
  low_ = std::min(low_, static_cast<int>(limb));
  high_ = std::max(high_, static_cast<int>(limb) + 2);
  if (++deposits_ == deposits_before_carry) renormalise();
}

void Superaccumulator::add(const Unpacked& value) {
  add_product(value, times_one);
}

void Superaccumulator::add_special(const Unpacked& a, const Unpacked& b) {
  const bool is_nan = a.cls == FpClass::nan || b.cls == FpClass::nan || a.cls == FpClass::zero ||
                      b.cls == FpClass::zero;
  specials_ |= is_nan ? nan : a.negative != b.negative ? negative_infinity : positive_infinity;
  if ((specials_ & positive_infinity) != 0 && (specials_ & negative_infinity) != 0)
    specials_ |= nan;
}

void Superaccumulator::add_product(const Unpacked& a, const Unpacked& b) {
  if (!a.finite() || !b.finite()) return add_special(a, b);
  const bool negative = a.negative != b.negative;
  const int exponent = a.exponent + b.exponent;
  const Uint128 product = Uint128{a.significand} * b.significand;
  const auto high = static_cast<std::uint64_t>(product >> 64);
  kinds_ |= kind_of(product != 0, negative);
  deposit(static_cast<std::uint64_t>(product), exponent, negative);
  if (high != 0) deposit(high, exponent + 64, negative);
}

void Superaccumulator::add_integer(Int128 value, int exponent) {
  kinds_ |= nonzero;
  const auto bits = static_cast<Uint128>(value < 0 ? -value : value);
  deposit(static_cast<std::uint64_t>(bits), exponent, value < 0);
  const auto high = static_cast<std::uint64_t>(bits >> 64);
  if (high != 0) deposit(high, exponent + 64, value < 0);
}

Superaccumulator& Superaccumulator::operator+=(const Superaccumulator& other) {
  renormalise();
  Superaccumulator addend = other;
  addend.renormalise();
  for (int i = addend.low_; i <= addend.high_; ++i)
    limbs_[static_cast<std::size_t>(i)] += addend.limbs_[static_cast<std::size_t>(i)];
  low_ = std::min(low_, addend.low_);
  high_ = std::max(high_, addend.high_);
  deposits_ = 1;  // each limb took one number below 2^32
  kinds_ |= other.kinds_;
  specials_ |= other.specials_;
  if ((specials_ & positive_infinity) != 0 && (specials_ & negative_infinity) != 0)
    specials_ |= nan;
  return *this;
}

void Superaccumulator::renormalise() {
  deposits_ = 0;
  const int last = std::min(high_, limb_count - 2);
  const std::int64_t above = carry(limbs_, low_, last);
  if (above == 0) return;
  limbs_[static_cast<std::size_t>(last) + 1] += above;
  high_ = last + 1;
}

Superaccumulator::Magnitude Superaccumulator::magnitude() const {
  Magnitude result;
  if (high_ < low_) return result;
  result.low = low_;
  std::copy(limbs_.begin() + low_, limbs_.begin() + high_ + 1, result.limbs.begin() + low_);
  int high = high_;
  std::int64_t above = carry(result.limbs, low_, high);
  result.negative = above < 0;
  if (result.negative) {
    for (int i = low_; i <= high; ++i) {
      std::int64_t& limb = result.limbs[static_cast<std::size_t>(i)];
      limb = -limb;
    }
    above = carry(result.limbs, low_, high) - above;
  }
  for (; above != 0; above >>= 32)
    result.limbs[static_cast<std::size_t>(++high)] = above & static_cast<std::int64_t>(limb_mask);
  result.top = high;
  while (result.top >= 0 && result.limbs[static_cast<std::size_t>(result.top)] == 0) --result.top;
  return result;
}

Dyadic Superaccumulator::value() const {
  if (!is_finite()) throw std::domain_error("the sum is infinite or NaN");
  const Magnitude sum = magnitude();
  mpz_class mantissa;
  // The low four bytes of each limb, least significant limb first.
  mpz_import(mantissa.get_mpz_t(), static_cast<std::size_t>(sum.top) + 1, -1, sizeof(std::int64_t),
             0, 32, sum.limbs.data());
  return {sum.negative ? mpz_class(-mantissa) : mantissa, lowest_exponent};
}

bool Superaccumulator::zero_is_negative(Rounding rounding) const {
  if (kinds_ == negative_zero) return true;
  const bool all_positive_zeros = (kinds_ & ~positive_zero) == 0;
  return !all_positive_zeros && rounding == Rounding::down;
}

Bits Superaccumulator::round_to(const Format& format, const RoundRule& rule) const {
  if ((specials_ & nan) != 0) return nan_code(format, rule.nan);
  if (specials_ != 0) return infinity_code(format, (specials_ & negative_infinity) != 0, rule);

  const Magnitude sum = magnitude();
  Unrounded rounded;
  rounded.negative = sum.top < 0 ? zero_is_negative(rule.rounding) : sum.negative;
  // The top four limbs hold the leading one at bit 96 or above; what lies below is sticky.
  const int lowest_kept = sum.top - 3;
  for (int i = sum.top; i >= lowest_kept; --i) {
    const std::int64_t limb = i >= 0 ? sum.limbs[static_cast<std::size_t>(i)] : 0;
    rounded.significand = rounded.significand << 32 | static_cast<std::uint64_t>(limb);
  }
  for (int i = sum.low; i < lowest_kept; ++i)
    rounded.sticky = rounded.sticky || sum.limbs[static_cast<std::size_t>(i)] != 0;
  rounded.exponent = lowest_exponent + 32 * lowest_kept;
  return round_pack(format, rounded, rule);
}

}  // namespace whybits
