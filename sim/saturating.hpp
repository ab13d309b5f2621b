// Products and sums of sizes that stop at 2^64 − 1 instead of wrapping around: what would be needed
// is told before anything is allocated, however much it is.
#pragma once

#include <cstdint>

namespace whybits {

constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

}  // namespace whybits
