#include "lab/norm_study.hpp"

#include <algorithm>

namespace whybits {
namespace {

InputTensors inputs_of(const NormRequest& request, std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t hidden = request.a.config.hidden;
  const auto part = [&](const std::shared_ptr<const CodeSource>& all) {
    return InputTensor{rows, hidden, part_of(all, row * hidden, rows * hidden)};
  };
  InputTensors inputs{{"x", part(request.x)}, {"w", {1, hidden, request.w}}};
  if (request.residual) inputs.emplace("residual", part(request.residual));
  return inputs;
}

Recipe recipe_of(const NormRequest& request, const NormSide& side) {
  return rms_norm_recipe(side.config, side.order, request.eps, request.functions.rsqrt);
}

std::vector<Stage> stages_of(const NormRequest& request) {
  const Format& type = request.a.config.type;
  std::vector<Stage> stages;
  if (request.residual) stages.push_back({"z", "x + residual", type});
  stages.push_back({"sum", "sum of squares", formats::f32});
  stages.push_back({"scale", "1/√(mean + ε)", formats::f32});
  stages.push_back({"y", "output y", type});
  return stages;
}

bool one_computation(const NormRequest& request) {
  const auto tree = [](const NormSide& side) {
    return make_reduction(side.order.sum, side.config.hidden, square_types(side)).tree;
  };
  const NormSide &a = request.a, &b = request.b;
  const RmsNormKernel &x = a.config.kernel, &y = b.config.kernel;
  return a.order.rounded_squares == b.order.rounded_squares && x.epilogue == y.epilogue &&
         x.ieee_scale == y.ieee_scale && tree(a) == tree(b);
}

}  // namespace

LeafTypes square_types(const NormSide& side) {
  LeafTypes types{.a = side.config.type, .b = side.config.type};
  if (side.order.rounded_squares) types.product = Conversion{formats::f32, {}};
  return types;
}

const Stage& NormStudy::stage(std::string_view tensor) const {
  return *std::ranges::find(stages, tensor, &Stage::tensor);
}

NormStudy run_norm_study(const NormRequest& request) {
  NormStudy study{stages_of(request), one_computation(request)};
  const auto inputs = [&](std::uint64_t row, std::uint64_t rows) {
    return inputs_of(request, row, rows);
  };
  count_stages(study.stages, {request.rows,
                              request.a.config.hidden,
                              {recipe_of(request, request.a), inputs},
                              {recipe_of(request, request.b), inputs}});
  return study;
}

OutputStory tell_norm_row(const NormRequest& request, std::uint64_t row) {
  const InputTensors inputs = inputs_of(request, row, 1);
  const SingleReduction squares = single_reduction(
      bind_recipe(recipe_of(request, request.a), types_of(inputs)), inputs, "sum", 0, 0);
  const Leaves leaves = squares.leaves();
  return tell_output(LeafTypes::of(leaves), leaves, request.a.order.sum, request.b.order.sum);
}

}  // namespace whybits
