// Counts take part in signed distances.
#pragma once

#include <cstdint>

namespace whybits {

/// Precondition: n < 2^63.
constexpr std::int64_t as_signed(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}

}  // namespace whybits
