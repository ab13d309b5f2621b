#include "lab/layer_norm_study.hpp"

namespace whybits {
namespace {

InputTensors inputs_of(const LayerNormRequest& request, const LayerNormConfig& config,
                       std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t hidden = config.hidden;
  const auto x = part_of(request.x, row * hidden, rows * hidden);
  std::vector<Bits> mean, squares, codes(hidden);
  for (std::uint64_t i = 0; i < rows; ++i) {
    x->read(i * hidden, 1, codes);
    const Moments moments = layer_norm_moments(config, codes);
    mean.push_back(moments.mean);
    squares.push_back(moments.squares);
  }
  return {{"x", {rows, hidden, x}},
          {"w", {1, hidden, request.w}},
          {"bias", {1, hidden, request.bias}},
          {"mean", input_tensor({rows, 1}, std::move(mean))},
          {"squares", input_tensor({rows, 1}, std::move(squares))}};
}

}  // namespace

std::vector<Stage> run_layer_norm_study(const LayerNormRequest& request) {
  std::vector<Stage> stages{{"mean", "mean", formats::f32},
                            {"squares", "Σ (x − mean)²", formats::f32},
                            {"rstd", "1/√(variance + ε)", formats::f32},
                            {"y", "output y", request.a.type}};
  const auto side = [&](const LayerNormConfig& config) {
    return StageSide{layer_norm_recipe(config, request.eps, request.functions.rsqrt),
                     [&](std::uint64_t row, std::uint64_t rows) {
                       return inputs_of(request, config, row, rows);
                     }};
  };
  count_stages(stages, {request.rows, request.a.hidden, side(request.a), side(request.b)});
  return stages;
}

bool one_order(const LayerNormRequest& request) {
  return request.a.threads == request.b.threads && request.a.vector == request.b.vector;
}

}  // namespace whybits
