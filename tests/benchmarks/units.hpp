// The units whose products are measured, and what they are measured against: float matrices.
#pragma once

#include <span>

#include "tests/benchmarks/openblas.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {

struct MeasuredUnit {
  const char* topology;
  Format operand;
  bool rounded_products;  ///< the fold adds a·b rounded to f32
  double avx512, avx2;    ///< goals, as parts of sgemm's rate

  std::string name() const {
    return std::string(topology) + (rounded_products ? " of rounded products" : "");
  }
  Evaluation evaluation(const MatrixSize& size) const;
};

std::span<const MeasuredUnit> measured_units();

std::string sgemm_name();

/// a·b of uniform f32 numbers by OpenBLAS.
class Sgemm {
 public:
  /// Checks that OpenBLAS multiplies the matrices that it is given. Throws WrongResult.
  /// Precondition: OpenBlas::get().found().
  explicit Sgemm(const MatrixSize& size);
  void run();

 private:
  MatrixSize size_;
  std::vector<float> a_, b_, c_;
};

}  // namespace whybits::bench
