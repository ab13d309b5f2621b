// Random operands: mostly ordinary numbers, and everything at the edges.
#pragma once

#include "sim/leaves.hpp"
#include "tests/support/naive_topology.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {

enum class LeafKind {
  ordinary,  ///< of similar size, so that every order rounds differently
  wide,      ///< all exponents, subnormals, zeros of both signs
  special    ///< as wide, with infinities and NaN
};

Bits random_code(Random& random, const Format& format, LeafKind kind);
std::vector<Bits> random_codes(Random& random, const Format& format, std::uint64_t n,
                               LeafKind kind);

/// What a failing case prints: how many, and a few of them.
std::string describe(const NaiveLeaves& leaves);

/// The same operands for the evaluator under test.
class SimLeaves {
 public:
  explicit SimLeaves(const NaiveLeaves& naive);
  SimLeaves(const SimLeaves&) = delete;
  const Leaves& get() const { return leaves_; }
  LeafTypes types() const { return LeafTypes::of(leaves_); }

 private:
  OperandVector a_;
  std::optional<OperandVector> b_;
  Leaves leaves_;
};

}  // namespace whybits::test
