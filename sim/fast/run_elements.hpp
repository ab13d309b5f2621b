// Runs an elementwise operation on matrices of codes, a stretch of a row at a time; and a left fold
// by an operation, such as the maximum, lanes over its outputs.
#pragma once

#include <stop_token>
#include <vector>

#include "sim/fast/code_matrix.hpp"
#include "sim/fast/element_step.hpp"

namespace whybits::fast {

/// Elementwise operations in one pass: what one gives and another takes never leaves the lanes.
struct ElementProgram {
  struct Operand {
    bool is_result = false;  ///< of an earlier step, else a matrix
    std::size_t index = 0;
  };
  struct Step {
    const ElementStep* step;
    std::vector<Operand> operands;
  };
  std::vector<Step> steps;
  std::vector<CodeMatrix> matrices;

  /// Takes over what another computes; returns where its result is.
  Operand join(const ElementProgram& other);
};

/// Whether lanes can hand results of one operation to another: it must not ask which NaN they are.
bool joins(const ElementStep& from, const ElementStep& to);

/// Every matrix has rows × columns elements (broadcast ones have a stride of 0); several steps must
/// join. Otherwise as below.
CodeMatrix run_elements(const ElementProgram& program, std::uint64_t rows, std::uint64_t columns,
                        unsigned threads, const std::stop_token& stop);

/// One operation. Every operand has rows × columns elements (broadcast ones have a stride of 0), in
/// formats that widen to the operation's. Stopped early, the elements that are left are of any
/// value. O(elements). Memory: the result and some stretches a thread.
CodeMatrix run_elements(const ElementStep& step, const std::vector<CodeMatrix>& operands,
                        std::uint64_t rows, std::uint64_t columns, unsigned threads,
                        const std::stop_token& stop);

/// Output c folds x[0][c], x[1][c], … from start[0][c], or from x[0][c] if there is no start.
/// x is length × columns, start 1 × columns; their formats widen to the operation's result. The
/// result is 1 × columns. Precondition: length > 0 or a start.
CodeMatrix run_fold(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                    unsigned threads, const std::stop_token& stop);
/// The code of one of its outputs, as the operation itself has it.
Bits folded_element(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                    std::uint64_t output);

}  // namespace whybits::fast
