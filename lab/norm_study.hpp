// RMSNorm of the same rows by two kernels: how many sums, scales and outputs differ, stage by
// stage, and one row whose sums part.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/element_functions.hpp"
#include "lab/stages.hpp"
#include "lab/story.hpp"
#include "sim/libraries/norms/rms_norm.hpp"

namespace whybits {

/// One side: a kernel with the tokens of its launch, or a topology of one's own for the squares.
struct NormSide {
  std::string spec;  ///< as given: "vllm@256", "pairs(f32.fma)"
  RmsNormConfig config;
  RmsNormOrder order;
  bool own_topology = false;  ///< then threads and tokens mean nothing
};

struct NormRequest {
  std::uint64_t rows = 1;
  std::shared_ptr<const CodeSource> x, residual, w;  ///< rows×h, rows×h or null, 1×h
  Bits eps = 0;                                      ///< an f32 code
  ElementFunctions functions = element_functions()[0];
  NormSide a, b;  ///< of one hidden size and type
};

struct NormStudy {
  std::vector<Stage> stages;
  bool same_computation = false;  ///< one tree, one epilogue: nothing may differ

  const Stage& output() const { return stages.back(); }
  /// Precondition: there is one of that tensor.
  const Stage& stage(std::string_view tensor) const;
};

/// What the sum of a side adds up.
LeafTypes square_types(const NormSide& side);

/// Both kernels over all rows, some rows at a time. Errors: RecipeError.
NormStudy run_norm_study(const NormRequest& request);

/// The sums of squares of one row. Errors: RecipeError.
OutputStory tell_norm_row(const NormRequest& request, std::uint64_t row);

std::string norm_text(const NormRequest& request, const NormStudy& study);
nlohmann::ordered_json norm_json(const NormRequest& request, const NormStudy& study);

}  // namespace whybits
