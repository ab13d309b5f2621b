// Attention of the same queries by two launches: how many outputs and logarithms of sums differ.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/element_functions.hpp"
#include "lab/stages.hpp"
#include "sim/libraries/attention/flash.hpp"

namespace whybits {

/// One side: how a launch cuts the keys.
struct AttentionSide {
  std::string spec;  ///< as given: "torch", "torch:splits=4"
  FlashPlan plan;
};

/// q (batch, heads, queries, D), k and v (batch, kv heads, keys, D), row-major.
struct AttentionInputs {
  std::shared_ptr<const CodeSource> q, k, v;
};
struct AttentionRequest {
  AttentionShape shape;  ///< of the inputs
  AttentionInputs inputs;
  std::vector<std::uint64_t> rows;  ///< compared ones: (batch · heads + head) · queries + query
  Bits scale = 0;                   ///< an f32 code
  ElementFunctions functions = element_functions()[0];
  AttentionSide a, b;
};

struct AttentionOutputs {
  std::vector<Bits> y;    ///< rows × D
  std::vector<Bits> lse;  ///< one a row, f32
};
/// The rows of a request as one launch gives them. Errors: RecipeError.
AttentionOutputs run_attention(const AttentionRequest& request, const FlashPlan& plan);

struct AttentionStudy {
  std::vector<Stage> stages;  ///< lse, y
  bool same_plan = false;     ///< one block, one cut of the keys: nothing may differ

  const Stage& output() const { return stages.back(); }
};
/// Errors: RecipeError.
AttentionStudy run_attention_study(const AttentionRequest& request);

/// `count` rows, the first and the last among them.
std::vector<std::uint64_t> spread_rows(std::uint64_t rows, std::uint64_t count);

/// One block, one cut of the keys: no bit may differ.
bool same_attention(const FlashPlan& a, const FlashPlan& b);

/// "blocks of 128 keys, 7 splits of 640".
std::string plan_text(const FlashPlan& plan);
/// The same as keys: block, splits, filled_splits, split_keys, grouped.
nlohmann::ordered_json plan_json(const FlashPlan& plan);
std::string attention_text(const AttentionRequest& request, const AttentionStudy& study);
nlohmann::ordered_json attention_json(const AttentionRequest& request, const AttentionStudy& study);

}  // namespace whybits
