// Sums of products of integers of up to 62 bits.
#pragma once

#include <cstdint>
#include <span>

#include "sim/format.hpp"

namespace whybits::exact {

/// Σ a[i]·b[i] in the chosen width, which the caller knows to suffice. Equal sizes.
template <class Sum>
Sum sum_of_products(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Sum sums[2] = {0, 0};  // two chains of additions wait for each other half as long
  std::size_t i = 0;
  for (; i + 1 < a.size(); i += 2) {
    sums[0] += Sum{a[i]} * b[i];
    sums[1] += Sum{a[i + 1]} * b[i + 1];
  }
  if (i < a.size()) sums[0] += Sum{a[i]} * b[i];
  return sums[0] + sums[1];
}

}  // namespace whybits::exact
