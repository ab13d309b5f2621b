#include "lab/softmax_study.hpp"

#include <algorithm>

#include "exact/distance.hpp"
#include "exact/measure.hpp"
#include "exact/oracle_elements.hpp"
#include "sim/reduction.hpp"

namespace whybits {
namespace {

InputTensors inputs_of(const SoftmaxRequest& request, std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t columns = request.a.config.columns;
  return {{"x", {rows, columns, part_of(request.x, row * columns, rows * columns)}}};
}

Recipe recipe_of(const SoftmaxRequest& request, const SoftmaxSide& side) {
  return softmax_recipe(side.config, side.order, request.functions);
}

bool same_steps(const SoftmaxRequest& request) {
  const auto tree = [&](const SoftmaxSide& side) {
    return make_reduction(side.order.sum, side.config.columns, {.a = formats::f32}).tree;
  };
  const auto rounds = [](const SoftmaxSide& side) {
    return side.config.type != formats::f32 &&
           side.config.kernel.sum == SoftmaxKernel::Sum::composed;
  };
  return rounds(request.a) == rounds(request.b) && tree(request.a) == tree(request.b);
}

/// The exact value of an output costs an exponential of many digits for every element of its row.
constexpr std::uint64_t exponentials = std::uint64_t{1} << 17;
constexpr std::uint64_t most_outputs = 16;

SoftmaxErrors errors_of(const SoftmaxRequest& request) {
  const std::uint64_t columns = request.a.config.columns;
  const Format& type = request.a.config.type;
  const std::uint64_t count = std::clamp<std::uint64_t>(exponentials / columns, 1, most_outputs);
  const Recipe a = recipe_of(request, request.a), b = recipe_of(request, request.b);
  SoftmaxErrors errors;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t row = i * request.rows / count;
    const std::uint64_t column = i * columns / count;
    const InputTensors inputs = inputs_of(request, row, 1);
    std::vector<Bits> x(columns);
    inputs.at("x").codes->read(0, 1, x);
    constexpr Bits one = 0x3f800000;
    const Bits exact = exact::oracle_softmax({type, x}, column, Scalar{formats::f32, one}, type);
    ++errors.looked_at;
    for (const auto& [recipe, side] : {std::pair{&a, &errors.a}, {&b, &errors.b}}) {
      const Bits y = run(*recipe, inputs, {chosen_element("y", 0, column)}).at("y").codes[0];
      if (y == exact) continue;
      ++side->other;
      side->largest_ulp =
          std::max(side->largest_ulp, exact::ulp_distance(type, y, exact).value_or(0));
    }
  }
  return errors;
}

}  // namespace

SoftmaxStudy run_softmax_study(const SoftmaxRequest& request, bool with_exact) {
  const SoftmaxConfig& config = request.a.config;
  SoftmaxStudy study;
  study.same_tree = same_steps(request);
  study.stages = {{"sum", "Σ exp(x − max)", formats::f32}, {"y", "output y", config.type}};
  const auto inputs = [&](std::uint64_t row, std::uint64_t rows) {
    return inputs_of(request, row, rows);
  };
  count_stages(study.stages, {request.rows,
                              config.columns,
                              {recipe_of(request, request.a), inputs},
                              {recipe_of(request, request.b), inputs}});
  if (with_exact && !config.log && request.rows > 0) study.errors = errors_of(request);
  return study;
}

OutputStory tell_softmax_row(const SoftmaxRequest& request, std::uint64_t row) {
  const InputTensors inputs = inputs_of(request, row, 1);
  const SingleReduction sum = single_reduction(
      bind_recipe(recipe_of(request, request.a), types_of(inputs)), inputs, "sum", 0, 0);
  const Leaves leaves = sum.leaves();
  return tell_output(LeafTypes::of(leaves), leaves, request.a.order.sum, request.b.order.sum);
}

}  // namespace whybits
