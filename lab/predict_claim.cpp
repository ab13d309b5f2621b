#include "lab/predict_claim.hpp"

#include <algorithm>
#include <optional>

#include "sim/fast/run_recipe.hpp"

namespace whybits {
namespace {

/// A tensor of the run with its codes.
struct Operand {
  gpu::KernelTensor tensor;
  std::vector<Bits> codes;
};

/// What the recipe of group g takes of the operands.
InputTensors inputs_of_group(const gpu::RecipeClaim& claim, const std::vector<Operand>& operands,
                             std::uint64_t g, std::uint64_t groups) {
  InputTensors inputs = claim.made;
  for (const gpu::RecipeInput& input : claim.inputs) {
    const auto found =
        std::ranges::find(operands, input.tensor, [](const Operand& o) { return o.tensor.name; });
    const gpu::KernelTensor& t = found->tensor;
    const std::uint64_t matrix = g * t.groups / groups;
    const auto first = found->codes.begin() +
                       static_cast<std::ptrdiff_t>((matrix * t.rows + input.first_row) * t.columns);
    inputs[input.name] =
        input_tensor({input.rows, t.columns, t.format},
                     {first, first + static_cast<std::ptrdiff_t>(input.rows * t.columns)});
  }
  return inputs;
}

/// The recorded rows of an output that lie in group g, counted within it.
std::vector<std::uint64_t> rows_of_group(const RecordedTensor& recorded, std::uint64_t g,
                                         std::uint64_t rows) {
  std::vector<std::uint64_t> list;
  for (const std::uint64_t row : recorded.rows)
    if (row / rows == g) list.push_back(row % rows);
  return list;
}

}  // namespace

std::vector<Bits> input_codes(const OperationCase& one, const gpu::KernelTensor& tensor) {
  const std::uint64_t count = tensor.groups * tensor.rows * tensor.columns;
  return read_all(*open_input(one.inputs.at(tensor.name), tensor.format, {count, {}}));
}

std::map<std::string, std::vector<Bits>> predict_claim(const gpu::RecipeKernel& kernel,
                                                       const OperationCase& one,
                                                       const gpu::RecipeClaim& claim) {
  const gpu::RecipeRun run = run_of(kernel, one);
  std::vector<Operand> operands;
  for (const gpu::KernelTensor& t : kernel.inputs(run))
    operands.push_back({t, input_codes(one, t)});
  const std::vector<gpu::KernelTensor> outputs = kernel.outputs(run);
  const std::uint64_t groups = gpu::run_groups(kernel, run);
  std::map<std::string, std::vector<Bits>> predicted;
  std::optional<BoundRecipe> bound;
  std::optional<fast::RecipePlan> plan;
  for (std::uint64_t g = 0; g < groups; ++g) {
    Selection chosen;
    for (const gpu::KernelTensor& t : outputs) {
      const auto recorded = one.outputs.find(t.name);
      if (recorded == one.outputs.end()) continue;
      const auto rows = rows_of_group(recorded->second, g, t.rows);
      if (rows.empty()) continue;
      std::vector<std::uint64_t> columns;
      for (std::uint64_t c = 0; c < t.columns; c += recorded->second.column_stride)
        columns.push_back(c);
      chosen.push_back({t.name, IndexSet::of(rows), IndexSet::of(columns)});
    }
    if (chosen.empty()) continue;
    const InputTensors inputs = inputs_of_group(claim, operands, g, groups);
    if (!bound) {
      bound = bind_recipe(claim.recipe, types_of(inputs));
      plan = fast::compile(*bound);
    }
    for (const auto& [name, patch] : fast::run(*bound, *plan, inputs, chosen))
      predicted[name].insert(predicted[name].end(), patch.codes.begin(), patch.codes.end());
  }
  return predicted;
}

}  // namespace whybits
