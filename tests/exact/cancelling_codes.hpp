// Operands for exact sums: all exponents, subnormals, and much that cancels.
#pragma once

#include <vector>

#include "sim/format.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {

inline Format random_format(Random& random) {
  if (random.coin()) return random.pick(named_formats()).format;
  return {static_cast<int>(random.between(2, 11)), static_cast<int>(random.between(1, 52))};
}

/// Any code, a small one, or the negative of the one before; with `specials` also NaN and
/// infinities, as often as chance gives them.
inline std::vector<Bits> cancelling_codes(Random& random, const Format& format, std::size_t count,
                                          bool specials) {
  std::vector<Bits> codes(count);
  for (std::size_t i = 0; i < count; ++i) {
    Bits code = random() & format.code_mask();
    if (random.below(4) == 0) code &= format.sign_mask() | format.fraction_mask();
    if (i > 0 && random.below(3) == 0) code = codes[i - 1] ^ format.sign_mask();
    if (!specials && !unpack(format, code).finite()) code &= format.sign_mask();
    codes[i] = code;
  }
  return codes;
}

}  // namespace whybits::test
