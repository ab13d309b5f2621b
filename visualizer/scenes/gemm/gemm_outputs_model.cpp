#include <fmt/format.h>

#include <cstring>

#include "exact/exact_gemm.hpp"
#include "exact/leaf_sums.hpp"
#include "sim/fast/evaluate.hpp"
#include "visualizer/scenes/gemm/gemm_outputs.hpp"

namespace whybits::viz {
namespace {

/// Ends an exact product that nobody waits for any more.
struct Stopped {};

template <class Word>
exact::OperandWords words_of(const fast::CodeMatrix& matrix) {
  // Words are stored as the processor has them, and aligned as allocated.
  const auto* first = reinterpret_cast<const Word*>(matrix.word(0, 0));
  return {matrix.format(), std::span(first, matrix.rows() * matrix.columns())};
}

exact::OperandWords operand_words(const fast::CodeMatrix& matrix) {
  switch (matrix.word_bytes()) {
    case 1:
      return words_of<std::uint8_t>(matrix);
    case 2:
      return words_of<std::uint16_t>(matrix);
    case 4:
      return words_of<std::uint32_t>(matrix);
    default:
      return words_of<Bits>(matrix);
  }
}

ExactSums exact_products(const fast::LaneOperands& operands, const std::stop_token& stop) {
  ExactSums sums(static_cast<std::size_t>(operands.rows * operands.columns));
  const auto visit = [&](std::size_t row, std::size_t column, const Superaccumulator& sum) {
    if (stop.stop_requested()) throw Stopped{};
    if (sum.is_finite()) sums[row * operands.columns + column] = sum.value();
  };
  try {
    exact::exact_gemm(operand_words(*operands.a), operand_words(operands.b),
                      {operands.rows, operands.columns, operands.length}, visit);
  } catch (const Stopped&) {
    return {};
  }
  return sums;
}

ExactSums exact_one_by_one(const fast::LaneOperands& operands, const exact::OperandUses& uses,
                           const std::stop_token& stop) {
  ExactSums sums;
  for (std::uint64_t row = 0; row < operands.rows; ++row)
    for (std::uint64_t column = 0; column < operands.columns; ++column) {
      if (stop.stop_requested()) return {};
      sums.push_back(exact::exact_value(fast::OutputLeaves(operands, row, column).get(), uses));
    }
  return sums;
}

OperandVector row_of(const fast::CodeMatrix& matrix, std::uint64_t row) {
  std::vector<Bits> codes(matrix.columns());
  if (!codes.empty()) matrix.read_codes(row, 0, codes);
  return {matrix.format(), std::move(codes)};
}

OperandVector column_of(const fast::CodeMatrix& matrix, std::uint64_t column) {
  std::vector<Bits> codes;
  codes.reserve(matrix.rows());
  for (std::uint64_t row = 0; row < matrix.rows(); ++row) codes.push_back(matrix.at(row, column));
  return {matrix.format(), std::move(codes)};
}

std::vector<Bits> codes_of(const fast::CodeMatrix& matrix) {
  std::vector<Bits> codes;
  codes.reserve(matrix.rows() * matrix.columns());
  for (std::uint64_t row = 0; row < matrix.rows(); ++row)
    for (std::uint64_t column = 0; column < matrix.columns(); ++column)
      codes.push_back(matrix.at(row, column));
  return codes;
}

}  // namespace

PairInputs gemm_inputs(const std::shared_ptr<const fast::LaneOperands>& operands) {
  PairInputs inputs;
  inputs.types = operands->types();
  inputs.addends = operands->length;
  inputs.rows = operands->rows;
  inputs.columns = operands->columns;
  inputs.evaluate = [operands](const Reduction& reduction, const GemmOptions& options) {
    return codes_of(
        fast::evaluate(fast::compile(reduction, operands->types()), *operands, options));
  };
  inputs.exact = [operands](const exact::OperandUses& uses, const std::stop_token& stop) {
    const bool plain =
        !operands->product && operands->a->dense() && operands->b.dense() && operands->length > 0;
    return plain ? exact_products(*operands, stop) : exact_one_by_one(*operands, uses, stop);
  };
  inputs.leaves = [operands](std::uint64_t output) {
    return KeptLeaves{row_of(*operands->a, output / operands->columns),
                      column_of(operands->b, output % operands->columns), operands->product};
  };
  inputs.name = [operands](std::uint64_t output) {
    return fmt::format("[{},{}]", output / operands->columns, output % operands->columns);
  };
  return inputs;
}

}  // namespace whybits::viz
