// What a matrix instruction is claimed to compute, and wrong neighbours of the claim.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/instructions/run_tiles.hpp"
#include "sim/leaves.hpp"
#include "sim/reduction.hpp"

namespace whybits {

struct Claim {
  const gpu::MatrixInstruction* instruction = nullptr;
  bool with_c = true;
  Format a, b;    ///< of the words in memory: f32 for a tf32 operand
  Format c;       ///< of C and D
  Unit unit;      ///< what the instruction is said to be
  Reduction sum;  ///< over k products, from c or from +0

  std::uint64_t outputs() const {  ///< dot products of one tile
    return static_cast<std::uint64_t>(instruction->m) * static_cast<std::uint64_t>(instruction->n);
  }
};

/// Without c (wgmma only) the sum starts from +0.
Claim make_claim(const gpu::MatrixInstruction& instruction, bool with_c);
/// Its text in the notation: "fold(sm90.mma.bf16)", "fold(sm90.wgmma.bf16, from=0)".
std::string claim_topology(const gpu::MatrixInstruction& instruction, bool with_c);

/// A model that must be wrong, or the inputs could not decide.
struct ProbeControl {
  std::string name;
  std::function<Bits(const Leaves&, Bits claimed)> result;  ///< `claimed`: what the claim gives
};
/// Those of lab/controls.hpp, other exponents of zeros, and other rules for what is special.
std::vector<ProbeControl> claim_controls(const Claim& claim);

/// One tile's operands, taken from a batch, as the evaluator reads them.
class Tile {
 public:
  Tile(const Claim& claim, const gpu::TileBatch& batch, std::uint64_t index);
  /// Of output (i, j). Borrows from this tile.
  Leaves leaves(std::uint64_t i, std::uint64_t j) const;

 private:
  const Claim& claim_;
  std::vector<OperandVector> rows_, columns_;
  std::vector<Bits> c_;
};

/// `count` words from word `first` on, little endian, as codes of a format that fills its word.
std::vector<Bits> codes_of_words(const Format& format, const std::vector<std::uint8_t>& words,
                                 std::uint64_t first, std::uint64_t count);
void put_code(const Format& format, std::vector<std::uint8_t>& words, std::uint64_t index,
              Bits code);

/// Room for `tiles` tiles, all zero.
gpu::TileBatch empty_batch(const Claim& claim, std::uint64_t tiles);

}  // namespace whybits
