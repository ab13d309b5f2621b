// Width of a 128-bit integer: what <bit> does not offer for it in strict C++20.
#pragma once

#include <bit>

#include "sim/format.hpp"

namespace whybits {

/// Position of the leading one plus one; 0 for 0.
constexpr int bit_width(Uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  if (high != 0) return 128 - std::countl_zero(high);
  return 64 - std::countl_zero(static_cast<std::uint64_t>(value));
}

}  // namespace whybits
