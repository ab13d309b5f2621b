// C = A·B (+ c) output by output: reads each operand once per block, decodes it once, and hands
// the leaves of every chosen output to a visitor. Nobody computes 1024 rows to look at one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sim/leaves.hpp"
#include "sim/source.hpp"

namespace whybits {

struct GemmShape {
  std::uint64_t m = 0, n = 0, k = 0;
};

/// Operands, row-major: a is m×k, b is k×n, c is m×n, bias has n elements.
struct GemmOperands {
  GemmShape shape;
  const CodeSource* a = nullptr;
  const CodeSource* b = nullptr;
  const CodeSource* c = nullptr;      ///< accumulator from outside, or null
  const CodeSource* bias = nullptr;   ///< the named operand `bias`, or null
  std::optional<Conversion> product;  ///< leaves are rounded products

  LeafTypes types() const;
};

/// Which outputs are wanted, in this order.
struct ChosenOutputs {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> columns;

  static ChosenOutputs all(const GemmShape& shape);
  std::uint64_t size() const { return rows.size() * columns.size(); }
};

struct GemmOptions {
  unsigned threads = 0;       ///< 0: as many as the machine has
  std::stop_token stop = {};  ///< when stopped, the remaining outputs are not visited
  /// Called now and then with outputs done so far, from any thread, one call at a time.
  std::function<void(std::uint64_t)> progress = {};
};

/// visit(i, j, leaves) for output (rows[i], columns[j]); called from several threads, each output
/// once. Leaves are borrowed for the call. Memory: gemm_working_bytes, whatever m and n. Threads
/// that the system does not give are done without. What visit, progress or a source throws ends the
/// run and is thrown again here, the first of them. Precondition: operand sizes match the shape,
/// chosen outputs lie in it.
void for_each_output(const GemmOperands& operands, const ChosenOutputs& chosen,
                     const GemmOptions& options,
                     const std::function<void(std::size_t, std::size_t, const Leaves&)>& visit);

/// What for_each_output holds in memory at once, in bytes; 2^64 − 1 for that and more.
std::uint64_t gemm_working_bytes(std::uint64_t k, std::uint64_t chosen_rows,
                                 std::uint64_t chosen_columns, unsigned threads);

}  // namespace whybits
