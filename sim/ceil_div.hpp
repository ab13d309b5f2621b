// Whole pieces that cover a length.
#pragma once

#include <cstdint>

namespace whybits {

/// ⌈a / b⌉, for all a. Precondition: b is not 0.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// The smallest multiple of `unit` that is not below a.
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t unit) {
  return ceil_div(a, unit) * unit;
}

}  // namespace whybits
