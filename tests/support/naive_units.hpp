// Matrix units from the published rules, for expected values. Parameters are not a copy of the
// device table: they follow from the three rules in which the literature sums them up (MMA-Sim,
// arXiv:2511.10909 and its code; Khattak, Mikaitis, arXiv:2512.07004):
//   L    = bytes of A that one step takes / bytes of an operand: 8 (Volta), 16 (Turing to Ada),
//          32 (Hopper on); a shorter k makes a shorter step
//   F    = 23, 24 or 25 by generation; 13 for fp8 on Ada and in Hopper's wgmma
//   e0   = −108 − (23, 24, 25), and 4 − (23, 24, 25) where mma and wgmma accumulate in f16
// An H200 confirmed them (docs/measured-h200.md), and added: a zero result is +0, and f64 keeps a
// NaN operand.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/format.hpp"
#include "sim/rounding.hpp"

namespace whybits::test {

struct NaiveMatrixUnit {
  enum class Model { aligned, fma_chain, fp8_by_f16 };
  Model model = Model::aligned;
  int products = 0;       ///< L; for fp8_by_f16 the k of the instruction
  int fraction_bits = 0;  ///< F
  int zero_exponent = 0;  ///< e0
  Format out;             ///< what the sum is converted to
  Rounding rounding = Rounding::zero;
  Format accumulator;  ///< the register that carries it
  Format a, b;

  /// The same text for units that compute the same.
  std::string identity() const;
};

/// By name: "sm90.mma.bf16.k8", "sm89.mma.e4m3xe5m2.acc16". nullopt if it is no such name.
std::optional<NaiveMatrixUnit> naive_matrix_unit(const std::string& name);

/// One step: accumulator in unit.accumulator, products of codes in unit.a and unit.b (L or fewer).
Bits naive_matrix_step(const NaiveMatrixUnit& unit, Bits accumulator,
                       const std::vector<std::pair<Bits, Bits>>& products);

}  // namespace whybits::test
