// Every element of a matrix product, exactly.
#pragma once

#include <cstddef>
#include <functional>

#include "exact/operand_words.hpp"
#include "sim/superaccumulator.hpp"

namespace whybits::exact {

struct MatrixShape {
  std::size_t m = 0, n = 0, k = 0;
};

/// visit(row, column, sum) for every element of A·B, A m×k and B k×n, both row-major; column
/// panels of 32, in each all rows. Each operand is decoded once a panel and then read as numbers:
/// about 1 ns a product and 0.2 µs an element. Memory: 33 · k numbers. Throws
/// std::invalid_argument if the operands do not have that shape.
void exact_gemm(
    const OperandWords& a, const OperandWords& b, const MatrixShape& shape,
    const std::function<void(std::size_t, std::size_t, const Superaccumulator&)>& visit);

}  // namespace whybits::exact
