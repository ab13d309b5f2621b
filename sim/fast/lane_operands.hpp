// What a plan runs on: outputs in rows and columns that share their leaves' numbers.
#pragma once

#include <optional>
#include <vector>

#include "sim/fast/code_matrix.hpp"
#include "sim/gemm.hpp"

namespace whybits::fast {

/// Output (r, c) reduces a[r][i]·b[i][c] over i; without a, the values b[i][c]. With `paired`,
/// which then is the first operand, there is one row, and output c reduces paired[i][c]·b[i][c].
struct LaneOperands {
  std::uint64_t rows = 0, columns = 0, length = 0;
  std::optional<CodeMatrix> a;                               ///< rows × length
  CodeMatrix b;                                              ///< length × columns
  std::optional<CodeMatrix> paired;                          ///< length × columns
  std::optional<Conversion> product;                         ///< products are rounded first
  std::optional<CodeMatrix> c;                               ///< rows × columns
  std::vector<std::pair<std::string, CodeMatrix>> operands;  ///< each rows × columns

  LeafTypes types() const;
};

/// Reads what the chosen outputs need, in storage words.
LaneOperands lane_operands(const GemmOperands& operands, const ChosenOutputs& chosen);
/// The bytes that it reads.
std::uint64_t lane_operand_bytes(const GemmOperands& operands, const ChosenOutputs& chosen);

/// The leaves of one output, for the reference evaluator.
class OutputLeaves {
 public:
  OutputLeaves(const LaneOperands& operands, std::uint64_t row, std::uint64_t column);
  ~OutputLeaves() = default;
  OutputLeaves(const OutputLeaves&) = delete;
  OutputLeaves& operator=(const OutputLeaves&) = delete;
  const Leaves& get() const { return leaves_; }

 private:
  OperandVector first_;
  std::optional<OperandVector> second_;
  Leaves leaves_;
};

}  // namespace whybits::fast
