#include "sim/fast/lane_operands.hpp"

#include <numeric>

#include "sim/saturating.hpp"

namespace whybits::fast {
namespace {

std::vector<Bits> codes_of_row(const CodeMatrix& matrix, std::uint64_t row) {
  std::vector<Bits> codes(matrix.columns());
  for (std::uint64_t i = 0; i < codes.size(); ++i) codes[i] = matrix.at(row, i);
  return codes;
}

std::vector<Bits> codes_of_column(const CodeMatrix& matrix, std::uint64_t column) {
  std::vector<Bits> codes(matrix.rows());
  for (std::uint64_t i = 0; i < codes.size(); ++i) codes[i] = matrix.at(i, column);
  return codes;
}

OperandVector first_vector(const LaneOperands& operands, std::uint64_t row, std::uint64_t column) {
  if (operands.a) return {operands.a->format(), codes_of_row(*operands.a, row)};
  const CodeMatrix& values = operands.paired ? *operands.paired : operands.b;
  return {values.format(), codes_of_column(values, column)};
}

std::vector<std::uint64_t> counting(std::uint64_t n) {
  std::vector<std::uint64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  return numbers;
}

}  // namespace

LeafTypes LaneOperands::types() const {
  LeafTypes types;
  types.a = a ? a->format() : paired ? paired->format() : b.format();
  if (a || paired) types.b = b.format();
  types.product = product;
  if (c) types.c = c->format();
  for (const auto& [name, matrix] : operands) types.operands.emplace_back(name, matrix.format());
  return types;
}

LaneOperands lane_operands(const GemmOperands& operands, const ChosenOutputs& chosen) {
  const GemmShape& shape = operands.shape;
  LaneOperands lanes;
  lanes.rows = chosen.rows.size();
  lanes.columns = chosen.columns.size();
  lanes.length = shape.k;
  const std::vector<std::uint64_t> all = counting(shape.k);
  lanes.a = CodeMatrix::read(*operands.a, shape.k, chosen.rows, all);
  lanes.b = CodeMatrix::read(*operands.b, shape.n, all, chosen.columns);
  lanes.product = operands.product;
  if (operands.c) lanes.c = CodeMatrix::read(*operands.c, shape.n, chosen.rows, chosen.columns);
  if (operands.bias) {
    const std::uint64_t only[] = {0};
    lanes.operands.emplace_back("bias",
                                CodeMatrix::read(*operands.bias, shape.n, only, chosen.columns)
                                    .broadcast(lanes.rows, lanes.columns));
  }
  return lanes;
}

std::uint64_t lane_operand_bytes(const GemmOperands& operands, const ChosenOutputs& chosen) {
  const std::uint64_t m = chosen.rows.size(), n = chosen.columns.size(), k = operands.shape.k;
  const auto bytes = [](std::uint64_t rows, std::uint64_t columns, const CodeSource* source) {
    return source ? saturating_product(saturating_product(rows, columns),
                                       source->format().word_bytes())
                  : 0;
  };
  return saturating_sum(saturating_sum(bytes(m, k, operands.a), bytes(k, n, operands.b)),
                        saturating_sum(bytes(m, n, operands.c), bytes(1, n, operands.bias)));
}

OutputLeaves::OutputLeaves(const LaneOperands& operands, std::uint64_t row, std::uint64_t column)
    : first_(first_vector(operands, row, column)) {
  leaves_.a = &first_;
  if (operands.a || operands.paired)
    leaves_.b = &second_.emplace(operands.b.format(), codes_of_column(operands.b, column));
  leaves_.product = operands.product;
  if (operands.c) leaves_.c = Scalar{operands.c->format(), operands.c->at(row, column)};
  for (const auto& [name, matrix] : operands.operands)
    leaves_.operands.emplace_back(name, Scalar{matrix.format(), matrix.at(row, column)});
}

}  // namespace whybits::fast
