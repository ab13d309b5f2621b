// Puts a matrix instruction of this machine's GPU beside the unit that it is claimed to be, and
// counts the bits that differ: on vectors built by hand, then on random dot products.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/probe/data_kinds.hpp"
#include "lab/probe/vectors.hpp"

namespace whybits {

struct ProbeOptions {
  std::uint64_t dots = std::uint64_t{1} << 20;          ///< random ones an instruction
  std::uint64_t control_dots = std::uint64_t{1} << 17;  ///< how many of them controls see
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::size_t examples = 3;  ///< mismatches kept of each kind
};

/// One dot product that the model gets wrong, with all its operands.
struct ProbeExample {
  std::vector<Bits> a, b;  ///< of claim.a, claim.b
  Bits c = 0;
  Bits device = 0, model = 0;
  std::string place;  ///< "tile 5, [3,1]"
};

struct KindResult {
  DataKind kind = DataKind::uniform;
  std::uint64_t dots = 0, wrong = 0;
  std::uint64_t control_dots = 0;
  std::vector<std::uint64_t> control_wrong;  ///< by the controls of the claim
  std::vector<ProbeExample> examples;
};

struct VectorResult {
  ProbeVector vector;
  Bits device = 0, model = 0;
  std::vector<Bits> controls;  ///< what each would have given
};

struct ProbeResult {
  Claim claim;
  std::vector<std::string> controls;
  std::vector<VectorResult> vectors;
  /// The other outputs of the vectors' tiles: rows of one vector with columns of another.
  std::uint64_t mixed = 0, mixed_wrong = 0;
  std::vector<KindResult> kinds;
  double seconds = 0;

  std::uint64_t dots() const;
  std::uint64_t wrong() const;
};

/// Runs the device for one instruction. Errors: gpu::DeviceError. `run` stands for the device:
/// gpu::run_tiles, or a model in tests.
using RunTiles =
    std::function<std::vector<std::uint8_t>(const gpu::MatrixInstruction&, const gpu::TileBatch&)>;
ProbeResult probe_instruction(const gpu::MatrixInstruction& instruction, bool with_c,
                              const std::vector<DataKind>& kinds, const ProbeOptions& options,
                              const RunTiles& run);

/// What the claim gives for a batch, as words.
std::vector<std::uint8_t> predict_tiles(const Claim& claim, const gpu::TileBatch& batch,
                                        unsigned threads);

}  // namespace whybits
