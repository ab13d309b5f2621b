#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/operands.hpp"

// Cases by structure instead of chance. Arithmetic goes wrong where a carry runs through, where
// bits cancel, at ties and at the ends of the exponents; so a code is a sign, an exponent near an
// end, near 1 or a whole significand away from it, and a fraction that is a run of ones at either
// end, one bit, all but one, or one of a few patterns without structure. All pairs (or triples) of
// such codes are walked with a stride that is coprime to their number: every prefix of the walk is
// spread over all of them.

namespace whybits::test {

inline std::vector<Bits> structured_exponents(const Format& format) {
  const long top = (1L << format.exponent_bits) - 1, one = top / 2, p = format.fraction_bits + 1;
  std::vector<Bits> exponents;
  for (const long exponent :
       {0L,      1L,      2L,      3L,      one - p - 1, one - p,     one - p + 1, one - p / 2,
        one - 2, one - 1, one,     one + 1, one + p / 2, one + p - 1, one + p,     one + p + 1,
        p,       p + 1,   top - 3, top - 2, top - 1,     top})
    if (exponent >= 0 && exponent <= top) exponents.push_back(static_cast<Bits>(exponent));
  std::sort(exponents.begin(), exponents.end());
  exponents.erase(std::unique(exponents.begin(), exponents.end()), exponents.end());
  return exponents;
}

inline std::vector<Bits> structured_fractions(const Format& format) {
  const Bits mask = (Bits{1} << format.fraction_bits) - 1;
  std::vector<Bits> fractions{0, mask};
  for (int i = 0; i < format.fraction_bits; ++i) {
    const Bits bit = Bits{1} << i;
    for (const Bits fraction : {bit, mask ^ bit, bit - 1, mask ^ (bit - 1)})
      fractions.push_back(fraction);
  }
  Random random(2026);
  for (int i = 0; i < 8; ++i) fractions.push_back(random() & mask);
  std::sort(fractions.begin(), fractions.end());
  fractions.erase(std::unique(fractions.begin(), fractions.end()), fractions.end());
  return fractions;
}

inline std::vector<Bits> structured_codes(const Format& format) {
  std::vector<Bits> codes;
  for (const Bits sign : {Bits{0}, Bits{1}})
    for (const Bits exponent : structured_exponents(format))
      for (const Bits fraction : structured_fractions(format))
        codes.push_back((((sign << format.exponent_bits) | exponent) << format.fraction_bits) |
                        fraction);
  return codes;
}

/// An endless walk over all pairs, or over all triples, of structured codes, every second case
/// instead being one of structured_operands(): random, with near exponents and near cancellation.
class CaseWalk {
 public:
  CaseWalk(const Format& format, bool triples, std::uint64_t seed)
      : format_(format), codes_(structured_codes(format)), random_(seed) {
    const std::uint64_t n = codes_.size();
    count_ = triples ? n * n * n : n * n;
    stride_ = static_cast<std::uint64_t>(0.6180339887 * static_cast<double>(count_));
    while (std::gcd(stride_, count_) != 1) ++stride_;
  }

  Operands next() {
    chance_ = !chance_;
    if (chance_) return structured_operands(random_, format_);
    at_ += stride_;
    if (at_ >= count_) at_ -= count_;
    const std::uint64_t n = codes_.size();
    const auto code = [&](std::uint64_t i) { return codes_[static_cast<std::size_t>(i % n)]; };
    return {code(at_), code(at_ / n), code(at_ / n / n)};
  }

 private:
  Format format_;
  std::vector<Bits> codes_;
  Random random_;
  std::uint64_t count_ = 0, stride_ = 0, at_ = 0;
  bool chance_ = false;
};

}  // namespace whybits::test
