#include "exact/superaccumulator.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace whybits::exact {
namespace {

constexpr std::uint64_t limb_mask = 0xffffffff;
constexpr Unpacked one{FpClass::normal, false, 0, 1};

/// value, or −value, without a branch: the signs of real data cannot be predicted.
std::int64_t with_sign(std::uint64_t value, std::uint64_t minus) {
  return static_cast<std::int64_t>((value ^ minus) - minus);
}

/// One integer accumulator per exponent: a product of two narrow significands costs one addition.
/// Emptied into the limbs before an accumulator can overflow. (The large superaccumulator of Neal's
/// paper, for products instead of values.)
class ExponentBins {
 public:
  /// Below this many terms, emptying the bins costs more than they save.
  static constexpr std::size_t worthwhile = 512;
  /// Products of 24-bit significands are below 2^48: 2^15 of them stay below 2^63.
  static constexpr std::size_t capacity = std::size_t{1} << 15;

  static bool holds(const Unpacked& a, const Unpacked& b) {
    return (a.significand | b.significand) >> 24 == 0 && index(a, b) < count;
  }
  void add(std::uint64_t product, const Unpacked& a, const Unpacked& b) {
    bins_[index(a, b)] += with_sign(product, a.negative != b.negative ? ~std::uint64_t{0} : 0);
  }
  /// Calls deposit(magnitude, exponent, negative) for every bin.
  template <typename Deposit>
  void empty(Deposit deposit) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t sum = bins_[i];
      if (sum == 0) continue;
      const auto bits = static_cast<std::uint64_t>(sum);
      deposit(sum < 0 ? 0 - bits : bits, lowest + static_cast<int>(i), sum < 0);
      bins_[i] = 0;
    }
  }

 private:
  // Products of f32 and narrower: 2^−298 … 2^208.
  static constexpr int lowest = -304;
  static constexpr std::size_t count = 560;
  static std::size_t index(const Unpacked& a, const Unpacked& b) {
    return static_cast<unsigned>(a.exponent + b.exponent - lowest);
  }
  std::array<std::int64_t, count> bins_{};
};

/// Makes all limbs but the last lie in [0, 2^32). The sum stays the same.
template <std::size_t Count>
void carry(std::array<std::int64_t, Count>& limbs) {
  std::int64_t above = 0;
  for (std::size_t i = 0; i + 1 < Count; ++i) {
    const std::int64_t limb = limbs[i] + above;
    above = limb >> 32;
    limbs[i] = limb & static_cast<std::int64_t>(limb_mask);
  }
  limbs.back() += above;
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
  if (++deposits_ == deposits_before_carry) renormalise();
}

void Superaccumulator::add(const Unpacked& value) {
  add_product(value, one);
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

void Superaccumulator::add_products(std::span<const Unpacked> a, std::span<const Unpacked> b) {
  assert(a.size() == b.size());
  if (a.size() < ExponentBins::worthwhile) {
    for (std::size_t i = 0; i < a.size(); ++i) add_product(a[i], b[i]);
    return;
  }
  ExponentBins bins;
  std::uint8_t kinds = kinds_;
  for (std::size_t start = 0; start < a.size(); start += ExponentBins::capacity) {
    const std::size_t end = std::min(a.size(), start + ExponentBins::capacity);
    for (std::size_t i = start; i < end; ++i) {
      const Unpacked& x = a[i];
      const Unpacked& y = b[i];
      if (!x.finite() || !y.finite() || !ExponentBins::holds(x, y)) {
        add_product(x, y);
        continue;
      }
      const std::uint64_t product = x.significand * y.significand;
      kinds |= kind_of(product != 0, x.negative != y.negative);
      bins.add(product, x, y);
    }
    bins.empty([this](std::uint64_t m, int e, bool negative) { deposit(m, e, negative); });
  }
  kinds_ |= kinds;
}

Superaccumulator& Superaccumulator::operator+=(const Superaccumulator& other) {
  renormalise();
  Superaccumulator addend = other;
  addend.renormalise();
  for (std::size_t i = 0; i < limbs_.size(); ++i) limbs_[i] += addend.limbs_[i];
  deposits_ = 1;  // each limb took one number below 2^32
  kinds_ |= other.kinds_;
  specials_ |= other.specials_;
  if ((specials_ & positive_infinity) != 0 && (specials_ & negative_infinity) != 0)
    specials_ |= nan;
  return *this;
}

void Superaccumulator::renormalise() {
  carry(limbs_);
  deposits_ = 0;
}

Superaccumulator::Magnitude Superaccumulator::magnitude() const {
  Magnitude result;
  result.limbs = limbs_;
  carry(result.limbs);
  result.negative = result.limbs.back() < 0;
  if (result.negative) {
    for (std::int64_t& limb : result.limbs) limb = -limb;
    carry(result.limbs);
  }
  result.top = limb_count - 1;
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
  for (int i = 0; i < lowest_kept; ++i)
    rounded.sticky = rounded.sticky || sum.limbs[static_cast<std::size_t>(i)] != 0;
  rounded.exponent = lowest_exponent + 32 * lowest_kept;
  return round_pack(format, rounded, rule);
}

}  // namespace whybits::exact
