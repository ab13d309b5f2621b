// The same rows by two recipes: what differs, tensor by tensor on the way from inputs to outputs.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/run_recipe.hpp"

namespace whybits {

/// A tensor on the way from inputs to outputs, a line a row.
struct Stage {
  std::string tensor, what;  ///< "sum", "sum of squares"
  Format format;
  std::uint64_t elements = 0, differ = 0;
  std::uint64_t rows_differ = 0;  ///< rows with at least one element that differs
  std::uint64_t largest_ulp = 0;
  std::optional<std::uint64_t> first_row = {};  ///< that differs
};

/// Rows of a matrix without copying them: `size` codes from `begin` on.
std::shared_ptr<const CodeSource> part_of(std::shared_ptr<const CodeSource> all,
                                          std::uint64_t begin, std::uint64_t size);

/// A recipe and its inputs for rows [row, row + rows).
struct StageSide {
  Recipe recipe;
  std::function<InputTensors(std::uint64_t row, std::uint64_t rows)> inputs;
};
/// Rows that know nothing of each other, so that some of them can be computed at a time.
struct StageRun {
  std::uint64_t rows = 1;
  std::uint64_t row_elements = 1;  ///< of the largest tensor: says how many rows run at a time
  StageSide a, b;
};

/// Counts into the stages what differs. Errors: RecipeError.
void count_stages(std::vector<Stage>& stages, const StageRun& run);

/// One patch's part of it: its first row is row `row0` of the whole.
void count_stage(Stage& stage, const Patch& a, const Patch& b, std::uint64_t row0);

std::string stages_text(std::span<const Stage> stages, std::uint64_t rows);
nlohmann::ordered_json stages_json(std::span<const Stage> stages);

}  // namespace whybits
