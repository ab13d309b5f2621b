// Whole matrices through the optimized evaluator, with a check against the reference.
#pragma once

#include <stdexcept>
#include <string>

#include "sim/fast/evaluate.hpp"

namespace whybits::bench {

/// What was timed is not what the reference evaluator computes.
struct WrongResult : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct MatrixSize {
  std::uint64_t m, n, k;
  double products() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Numbers in (−1, 1), rounded to nearest, in storage words; a different stream, other numbers.
fast::CodeMatrix uniform_matrix(const Format& format, std::uint64_t rows, std::uint64_t columns,
                                std::uint64_t stream);

/// a·b of uniform numbers.
fast::LaneOperands uniform_operands(const Format& format, const MatrixSize& size);

/// A topology on operands, compiled.
class Evaluation {
 public:
  Evaluation(const SchemaPtr& topology, fast::LaneOperands operands);

  /// All outputs.
  fast::CodeMatrix run(unsigned threads = 1) const;
  /// Compares a few outputs with the reference evaluator. Throws WrongResult.
  void check(const fast::CodeMatrix& outputs) const;

  const fast::LaneOperands& operands() const { return operands_; }
  const Reduction& reduction() const { return reduction_; }
  const fast::Plan& plan() const { return plan_; }
  /// The kernels of the plan's steps, "aligned integers, add": a slow path cannot hide.
  std::string kernels() const;

 private:
  fast::LaneOperands operands_;
  Reduction reduction_;
  fast::Plan plan_;
};

}  // namespace whybits::bench
