#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tests/support/opaque.hpp"
#include "tests/support/operands.hpp"

// The processor's own IEEE operations as the expected value.

namespace whybits::test {

template <class Float>
using WordOf =
    std::conditional_t<sizeof(Float) == 8, std::uint64_t,
                       std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint16_t>>;

template <class Float>
Float from_bits(Bits code) {
  return std::bit_cast<Float>(static_cast<WordOf<Float>>(code));
}

/// Bits of a result. Processors disagree on NaN's sign and payload; ours is all ones.
template <class Float>
Bits to_bits(Float value) {
  const Bits code = std::bit_cast<WordOf<Float>>(value);
  constexpr int sign_position = 8 * sizeof(Float) - 1;
  return value != value ? (Bits{1} << sign_position) - 1 : code;
}

/// Keeps the compiler from computing at compile time or moving across a change of rounding mode.
template <class Float>
WHYBITS_OPAQUE Float on_processor(Operation operation, Float a, Float b, Float c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::sub:
      return a - b;
    case Operation::mul:
      return a * b;
    case Operation::div:
      return a / b;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::fma:
      return std::fma(a, b, c);
  }
  return a;
}

}  // namespace whybits::test
