// C = A·B (+ c) under one or more reductions by the optimized evaluator, panel by panel: operands
// are read in storage words, as many columns at a time as memory allows.
#pragma once

#include <span>
#include <vector>

#include "sim/gemm.hpp"
#include "sim/reduction.hpp"

namespace whybits::fast {

/// Words of operands that are held at once, if not told otherwise.
inline constexpr std::uint64_t default_panel_bytes = std::uint64_t{512} << 20;

/// For each reduction the codes of the chosen outputs, in the order of the chosen rows, then
/// columns. Every operand word is read once a panel, for all reductions. Progress counts outputs
/// under all of them. Fewer columns than lanes need are left to the reference evaluator; of
/// operands so long that not even one column fits, one at a time is read. Preconditions: those of
/// for_each_output; each reduction was made for operands.types().
std::vector<std::vector<Bits>> evaluate_gemm(std::span<const Reduction> reductions,
                                             const GemmOperands& operands,
                                             const ChosenOutputs& chosen,
                                             const GemmOptions& options = {},
                                             std::uint64_t panel_bytes = default_panel_bytes);

/// The same for the sums of the rows of a matrix of rows × n values.
std::vector<std::vector<Bits>> evaluate_rows(std::span<const Reduction> reductions,
                                             const CodeSource& values, std::uint64_t rows,
                                             std::uint64_t n, const GemmOptions& options = {},
                                             std::uint64_t panel_bytes = default_panel_bytes);

/// What evaluate_gemm holds besides its results, in bytes, at most.
std::uint64_t evaluate_gemm_bytes(const GemmOperands& operands, const ChosenOutputs& chosen,
                                  unsigned threads,
                                  std::uint64_t panel_bytes = default_panel_bytes);
/// The same of evaluate_rows.
std::uint64_t evaluate_rows_bytes(const CodeSource& values, std::uint64_t rows, std::uint64_t n,
                                  unsigned threads,
                                  std::uint64_t panel_bytes = default_panel_bytes);

}  // namespace whybits::fast
