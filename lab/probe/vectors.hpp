// Dot products built by hand, a set for each open question about a matrix instruction: the smallest
// inputs whose answer decides it.
#pragma once

#include <string>
#include <vector>

#include "lab/probe/claim.hpp"

namespace whybits {

struct ProbeVector {
  std::string question;    ///< "alignment", "zero exponent", …
  std::string text;        ///< what is added, for people: "2^0 + 15 x 2^-25"
  std::vector<Bits> a, b;  ///< k codes each, of claim.a and claim.b
  Bits c = 0;              ///< of claim.c
};

/// Everything that the operands' formats can say. Without c those that differ in c alone are left
/// out.
std::vector<ProbeVector> probe_vectors(const Claim& claim);

/// Vector v as output (row, column) of its tile: vectors lie on diagonals, so that the other
/// outputs of a tile mix their operands.
struct VectorPlace {
  std::uint64_t tile, row, column;
};
VectorPlace vector_place(const Claim& claim, std::uint64_t v);
gpu::TileBatch vector_tiles(const Claim& claim, const std::vector<ProbeVector>& vectors);

}  // namespace whybits
