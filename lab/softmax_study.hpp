// softmax or log_softmax of the same rows by two kernels: how many sums and outputs differ, one row
// whose sums part, and how far some outputs are from exact.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/element_functions.hpp"
#include "lab/stages.hpp"
#include "lab/story.hpp"
#include "sim/libraries/softmax/softmax.hpp"

namespace whybits {

/// One side: a kernel with the rows of its launch, or a topology of one's own for the sum.
struct SoftmaxSide {
  std::string spec;  ///< as given: "composed@64", "pairs(f32)"
  SoftmaxConfig config;
  SoftmaxOrder order;
  bool own_topology = false;
};

struct SoftmaxRequest {
  std::uint64_t rows = 1;
  std::shared_ptr<const CodeSource> x;  ///< rows × V
  ElementFunctions functions = element_functions()[0];
  SoftmaxSide a, b;  ///< of one V, type and function
};

/// Outputs beside the exact value rounded once.
struct SoftmaxErrors {
  struct Side {
    std::uint64_t other = 0;  ///< outputs that are not that value
    std::uint64_t largest_ulp = 0;
  };
  std::uint64_t looked_at = 0;
  Side a, b;
};

struct SoftmaxStudy {
  std::vector<Stage> stages;
  bool same_tree = false;               ///< nothing may differ
  std::optional<SoftmaxErrors> errors;  ///< of softmax; its logarithm has no oracle

  const Stage& output() const { return stages.back(); }
};

/// Errors: RecipeError.
SoftmaxStudy run_softmax_study(const SoftmaxRequest& request, bool with_exact);

/// The sums of exponentials of one row. Errors: RecipeError.
OutputStory tell_softmax_row(const SoftmaxRequest& request, std::uint64_t row);

std::string softmax_text(const SoftmaxRequest& request, const SoftmaxStudy& study);
nlohmann::ordered_json softmax_json(const SoftmaxRequest& request, const SoftmaxStudy& study);

}  // namespace whybits
