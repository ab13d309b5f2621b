#include "lab/norm_study.hpp"

#include <algorithm>

#include "lab/progress.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/special/operation.hpp"

namespace whybits {
namespace {

/// The rows first … last of a matrix, without copying them.
class RowsOf final : public CodeSource {
 public:
  RowsOf(std::shared_ptr<const CodeSource> all, std::uint64_t begin, std::uint64_t size)
      : all_(std::move(all)), begin_(begin), size_(size) {}
  Format format() const override { return all_->format(); }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    all_->read(begin_ + first, stride, out);
  }

 private:
  std::shared_ptr<const CodeSource> all_;
  std::uint64_t begin_, size_;
};

InputTensors inputs_of(const NormRequest& request, std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t hidden = request.a.config.hidden;
  const auto part = [&](const std::shared_ptr<const CodeSource>& all) {
    return InputTensor{rows, hidden,
                       std::make_shared<const RowsOf>(all, row * hidden, rows * hidden)};
  };
  InputTensors inputs{{"x", part(request.x)}, {"w", {1, hidden, request.w}}};
  if (request.residual) inputs.emplace("residual", part(request.residual));
  return inputs;
}

Recipe recipe_of(const NormRequest& request, const NormSide& side) {
  return rms_norm_recipe(side.config, side.order, request.eps, special::operation("rsqrtf"));
}

std::vector<NormStage> stages_of(const NormRequest& request) {
  const Format& type = request.a.config.type;
  std::vector<NormStage> stages;
  if (request.residual) stages.push_back({"z", "x + residual", type});
  stages.push_back({"sum", "sum of squares", formats::f32});
  stages.push_back({"scale", "1/√(mean + ε)", formats::f32});
  stages.push_back({"y", "output y", type});
  return stages;
}

/// Counts what differs in a patch whose first row is row `row0` of the whole.
void count(NormStage& stage, const Patch& a, const Patch& b, std::uint64_t row0) {
  const OutputComparison compared = compare_outputs(a.type.format, a.codes, b.type.format, b.codes);
  stage.elements += a.codes.size();
  stage.differ += compared.differ;
  stage.largest_ulp = std::max(stage.largest_ulp, compared.ulp.largest());
  std::optional<std::uint64_t> last;
  for (const std::size_t index : compared.where) {
    const std::uint64_t row = row0 + index / a.columns.size();
    if (row == last) continue;
    last = row;
    ++stage.rows_differ;
    if (!stage.first_row) stage.first_row = row;
  }
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

const NormStage& NormStudy::stage(std::string_view tensor) const {
  return *std::ranges::find(stages, tensor, &NormStage::tensor);
}

NormStudy run_norm_study(const NormRequest& request) {
  constexpr std::uint64_t elements_at_once = std::uint64_t{1} << 21;
  const std::uint64_t hidden = request.a.config.hidden;
  const std::uint64_t at_once = std::max<std::uint64_t>(1, elements_at_once / hidden);
  const Recipe a = recipe_of(request, request.a), b = recipe_of(request, request.b);
  NormStudy study{stages_of(request), one_computation(request)};
  Selection chosen;
  for (const NormStage& stage : study.stages) chosen.push_back({stage.tensor});
  Progress progress("rows", request.rows);
  for (std::uint64_t row = 0; row < request.rows; row += at_once) {
    const std::uint64_t rows = std::min(at_once, request.rows - row);
    const InputTensors inputs = inputs_of(request, row, rows);
    const TensorTypes types = types_of(inputs);
    const Patches of_a = fast::run(bind_recipe(a, types), inputs, chosen);
    const Patches of_b = fast::run(bind_recipe(b, types), inputs, chosen);
    for (NormStage& stage : study.stages)
      count(stage, of_a.at(stage.tensor), of_b.at(stage.tensor), row);
    progress.update(row + rows);
  }
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
