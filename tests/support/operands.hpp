#pragma once

#include <array>

#include "sim/arith.hpp"
#include "tests/support/mpfr_oracle.hpp"
#include "tests/support/property.hpp"

// Operands that look for trouble, and the operations by name.

namespace whybits::test {

inline Bits apply(Operation operation, const Format& format, Bits a, Bits b, Bits c,
                  const RoundRule& rule = {}, RoundTrace* trace = nullptr) {
  switch (operation) {
    case Operation::add:
      return add(format, a, b, rule, trace);
    case Operation::sub:
      return sub(format, a, b, rule, trace);
    case Operation::mul:
      return mul(format, a, b, rule, trace);
    case Operation::div:
      return div(format, a, b, rule, trace);
    case Operation::sqrt:
      return sqrt(format, a, rule, trace);
    case Operation::fma:
      return fma(format, a, b, c, rule, trace);
  }
  return 0;
}

inline const char* operation_name(Operation operation) {
  constexpr const char* names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
  return names[static_cast<std::size_t>(operation)];
}

/// Fraction patterns after TestFloat: few ones, few zeros, or anything.
inline Bits structured_fraction(Random& random, int width) {
  const Bits mask = (Bits{1} << width) - 1;
  const Bits one_bit = Bits{1} << random.below(static_cast<std::uint64_t>(width));
  switch (random.below(7)) {
    case 0:
      return 0;
    case 1:
      return mask;
    case 2:
      return one_bit;
    case 3:
      return mask ^ one_bit;
    case 4:
      return one_bit - 1;  // ones at the bottom
    case 5:
      return mask & ~(one_bit - 1);  // ones at the top
    default:
      return random() & mask;
  }
}

/// Exponents at both ends, about one, near `near`, or any.
inline Bits structured_exponent(Random& random, const Format& format, Bits near) {
  const Bits top = (Bits{1} << format.exponent_bits) - 1;
  switch (random.below(6)) {
    case 0:
      return random.below(3);
    case 1:
      return top - random.below(3);
    case 2:
      return top / 2 + random.below(3);
    case 3:
    case 4: {
      const auto spread = static_cast<Bits>(format.fraction_bits) + 3;
      return (near + top + 1 + random.below(2 * spread) - spread) & top;
    }
    default:
      return random() & top;
  }
}

/// A code of any class. Its exponent is often close to that of `near`, so that sums interact.
inline Bits structured_code(Random& random, const Format& format, Bits near = 0) {
  if (random.below(8) == 0) return random() & (2 * (Bits{1} << (format.code_bits() - 1)) - 1);
  const Bits near_exponent =
      (near >> format.fraction_bits) & ((Bits{1} << format.exponent_bits) - 1);
  const Bits exponent = structured_exponent(random, format, near_exponent);
  const Bits sign = random.coin() ? 1 : 0;
  return (((sign << format.exponent_bits) | exponent) << format.fraction_bits) |
         structured_fraction(random, format.fraction_bits);
}

struct Operands {
  Bits a = 0, b = 0, c = 0;
};

/// Three codes; c is sometimes close to −a·b, where a fused multiply-add cancels.
inline Operands structured_operands(Random& random, const Format& format) {
  Operands operands;
  operands.a = structured_code(random, format);
  operands.b = structured_code(random, format, operands.a);
  if (random.coin()) {
    operands.c = structured_code(random, format, operands.a);
  } else {
    const Bits sign = Bits{1} << (format.code_bits() - 1);
    operands.c = (mul(format, operands.a, operands.b) ^ sign) + random.below(5) - 2;
    operands.c &= 2 * sign - 1;
  }
  return operands;
}

inline constexpr std::array all_overflows = {Overflow::ieee, Overflow::infinity,
                                             Overflow::saturate};

/// Formats with names, and some without: narrow, lopsided, the largest.
inline std::vector<Format> formats_to_test() {
  std::vector<Format> formats;
  for (const NamedFormat& named : named_formats()) formats.push_back(named.format);
  for (const auto& [exponent_bits, fraction_bits] :
       {std::pair{2, 2}, {2, 52}, {3, 3}, {5, 9}, {8, 13}, {8, 1}, {11, 1}, {11, 20}})
    formats.push_back({exponent_bits, fraction_bits, Specials::ieee});
  return formats;
}

}  // namespace whybits::test
