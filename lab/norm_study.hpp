// RMSNorm of the same rows by two kernels: how many sums, scales and outputs differ, stage by
// stage, and one row whose sums part.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

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
  NormSide a, b;                                     ///< of one hidden size and type
};

/// A tensor on the way from x to y.
struct NormStage {
  std::string tensor, what;  ///< "sum", "sum of squares"
  Format format;
  std::uint64_t elements = 0, differ = 0;
  std::uint64_t rows_differ = 0;  ///< rows with at least one element that differs
  std::uint64_t largest_ulp = 0;
  std::optional<std::uint64_t> first_row = {};  ///< that differs
};

struct NormStudy {
  std::vector<NormStage> stages;
  bool same_computation = false;  ///< one tree, one epilogue: nothing may differ

  const NormStage& output() const { return stages.back(); }
  /// Precondition: there is one of that tensor.
  const NormStage& stage(std::string_view tensor) const;
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
