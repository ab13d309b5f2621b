// LayerNorm of the same rows by two block shapes: what differs, stage by stage.
#pragma once

#include <memory>
#include <string>

#include "lab/element_functions.hpp"
#include "lab/stages.hpp"
#include "sim/libraries/norms/layer_norm.hpp"

namespace whybits {

struct LayerNormRequest {
  std::uint64_t rows = 1;
  std::shared_ptr<const CodeSource> x, w, bias;  ///< rows×h, 1×h, 1×h
  Bits eps = 0;                                  ///< an f32 code
  ElementFunctions functions = element_functions()[0];
  LayerNormConfig a, b;  ///< of one hidden size and type
};

/// mean, sum of squares, rstd, y. Errors: RecipeError.
std::vector<Stage> run_layer_norm_study(const LayerNormRequest& request);

/// Both block shapes give one order for this length: nothing may differ.
bool one_order(const LayerNormRequest& request);

}  // namespace whybits
