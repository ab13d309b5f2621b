#include "lab/predict_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "lab/attention_study.hpp"
#include "sim/builders/torch_sum.hpp"
#include "sim/dyadic.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/libraries/inductor/row_sum.hpp"
#include "sim/libraries/norms/layer_norm.hpp"
#include "sim/libraries/norms/rms_norm.hpp"
#include "sim/libraries/softmax/softmax.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

using formats::f32;
using Predicted = std::map<std::string, std::vector<Bits>>;

constexpr std::uint64_t other_threads = 256;

Bits f32_code(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
Bits whole(std::uint64_t n) {
  return Dyadic(mpz_class(static_cast<unsigned long>(n)), 0).round_to(f32);
}

/// A case of a row operation, with the rows that any of its outputs was kept of.
class RowCase {
 public:
  explicit RowCase(const OperationCase& one) : case_(one) {
    std::set<std::uint64_t> all;
    for (const auto& [name, tensor] : one.outputs)
      all.insert(tensor.rows.begin(), tensor.rows.end());
    rows_.assign(all.begin(), all.end());
  }

  std::uint64_t columns() const { return case_.size("columns"); }
  const std::vector<std::uint64_t>& rows() const { return rows_; }

  /// The kept rows of x, or all of a vector of columns.
  InputTensor input(const std::string& name) const {
    const bool vector = name != "x";
    const std::uint64_t of = vector ? 1 : case_.size("rows");
    const auto source = open_input(case_.inputs.at(name), case_.type, {of * columns(), {}});
    if (vector) return input_tensor({1, columns(), case_.type}, read_all(*source));
    std::vector<Bits> codes(rows_.size() * columns());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      source->read(rows_[i] * columns(), 1, std::span(codes).subspan(i * columns(), columns()));
    return input_tensor({rows_.size(), columns(), case_.type}, std::move(codes));
  }

  /// Runs a recipe and keeps what was recorded; `tensors`: output → tensor of the recipe.
  Predicted run(const Recipe& recipe, const InputTensors& inputs,
                const std::map<std::string, std::string>& tensors) const {
    const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
    Predicted out;
    for (const auto& [output, tensor] : tensors) {
      const auto recorded = case_.outputs.find(output);
      if (recorded == case_.outputs.end()) continue;
      out[output] = kept(bound, inputs, tensor, recorded->second);
    }
    return out;
  }

 private:
  std::vector<Bits> kept(const BoundRecipe& bound, const InputTensors& inputs,
                         const std::string& tensor, const RecordedTensor& recorded) const {
    std::vector<std::uint64_t> rows, columns;
    for (const std::uint64_t row : recorded.rows)
      rows.push_back(
          static_cast<std::uint64_t>(std::ranges::lower_bound(rows_, row) - rows_.begin()));
    for (std::uint64_t c = 0; c < bound.type(tensor).columns; c += recorded.column_stride)
      columns.push_back(c);
    return fast::run(bound, inputs, {{tensor, IndexSet::of(rows), IndexSet::of(columns)}})
        .at(tensor)
        .codes;
  }

  const OperationCase& case_;
  std::vector<std::uint64_t> rows_;
};

/// A logarithm hides all but gross errors of the sum: only one long sequence makes enough of them.
SchemaPtr neighbour_sum(std::string_view operation) {
  return parse_topology(operation == "log_softmax" ? "fold(f32)" : "pairs(f32)");
}

/// Whether torch.compile ran it, and not PyTorch's own kernels.
bool compiled(const OperationRecording& recording) {
  return recording.library == "torch.compile";
}

/// Errors: ConfigurationError for what is not known of the library.
SchemaPtr order_of_sum(const OperationRecording& recording, const OperationCase& one) {
  const std::uint64_t rows = one.size("rows"), columns = one.size("columns");
  if (compiled(recording) && recording.operation == "mean")
    throw ConfigurationError(
        "operation mean: of torch.compile known are sum and sum_of_squares; rms_norm is read in "
        "source");
  if (compiled(recording))
    return inductor_row_sum(inductor_launch({rows, columns, one.type}), columns, ieee_add(f32));
  TorchSum sum{.rows = rows, .length = columns, .type = one.type};
  sum.rounded = false;
  return torch_row_sum(sum);
}

/// By threads of four elements, however many there are.
SchemaPtr other_squares() {
  return parse_topology(fmt::format(
      "lanes({}, by=4, fold(f32.fma), slices(32, halves(f32), halves(f32)))", other_threads));
}

Predicted sum_of_squares(const OperationRecording& recording, const OperationCase& one,
                         OperationModel model) {
  if (!compiled(recording))
    throw ConfigurationError("operation sum_of_squares: known of torch.compile only");
  if (one.type == f32)
    throw ConfigurationError(
        "type = f32: which squares the compiler fuses with their additions is not known; those of "
        "f16 and bf16 are exact");
  const std::uint64_t rows = one.size("rows"), columns = one.size("columns");
  const SchemaPtr order =
      inductor_row_sum(inductor_launch({rows, columns, one.type}), columns, ieee_fma(f32));
  Recipe recipe{{"x"}, {}, {"sum"}};
  recipe.steps.push_back(
      {{"sum"},
       Reduce{
           .by = model == OperationModel::library ? order : other_squares(), .a = "x", .b = "x"}});
  const RowCase rows_of(one);
  return rows_of.run(recipe, {{"x", rows_of.input("x")}}, {{"f32", "sum"}});
}

Predicted sums(const OperationRecording& recording, const OperationCase& one,
               OperationModel model) {
  const bool mean = recording.operation == "mean";
  const std::uint64_t rows = one.size("rows"), columns = one.size("columns");
  const SchemaPtr order = order_of_sum(recording, one);
  Recipe recipe{{"x"}, {}, {"total"}};
  const bool library = model == OperationModel::library;
  recipe.steps.push_back(
      {{"sum"}, Reduce{.by = library ? order : neighbour_sum(recording.operation), .a = "x"}});
  std::string total = "sum";
  if (mean) {
    // The factor is the number of outputs over the number of inputs, both as f32.
    recipe.steps.push_back({{"outputs"}, Constant{{f32, whole(rows)}}});
    recipe.steps.push_back({{"elements"}, Constant{{f32, whole(rows * columns)}}});
    recipe.steps.push_back({{"factor"}, Map{operations::div(f32), {"outputs", "elements"}}});
    recipe.steps.push_back({{"mean"}, Map{operations::mul(f32), {"sum", "factor"}}});
    total = "mean";
  }
  recipe.steps.push_back({{"rounded"}, Map{operations::convert(f32, {one.type, {}}), {total}}});
  recipe.outputs = {"rounded"};
  const RowCase rows_of(one);
  return rows_of.run(recipe, {{"x", rows_of.input("x")}},
                     {{"y", one.type == f32 ? total : "rounded"}, {"f32", total}});
}

Predicted softmax(const OperationRecording& recording, const OperationCase& one,
                  const ElementFunctions& functions, OperationModel model) {
  const SoftmaxConfig config{*find_softmax_kernel("torch"), one.size("rows"), one.size("columns"),
                             one.type, recording.operation == "log_softmax"};
  SoftmaxOrder order = softmax_order(config);
  if (model == OperationModel::neighbour) order.sum = neighbour_sum(recording.operation);
  const RowCase rows(one);
  return rows.run(softmax_recipe(config, order, functions), {{"x", rows.input("x")}}, {{"y", "y"}});
}

Predicted rms_norm(const OperationRecording& recording, const OperationCase& one,
                   const ElementFunctions& functions, OperationModel model) {
  const char* kernel = compiled(recording) ? "inductor" : "torch";
  const RmsNormConfig config{*find_rms_norm_kernel(kernel), one.size("rows"), one.size("columns"),
                             one.type};
  RmsNormOrder order = rms_norm_order(config);
  if (model == OperationModel::neighbour) order.sum = other_squares();
  const RowCase rows(one);
  return rows.run(
      rms_norm_recipe(config, order, f32_code(one.parameters.at("eps")), functions.rsqrt),
      {{"x", rows.input("x")}, {"w", rows.input("w")}}, {{"rstd", "scale"}, {"y", "y"}});
}

Predicted layer_norm(const OperationCase& one, const ElementFunctions& functions,
                     OperationModel model) {
  LayerNormConfig config{one.size("columns"), one.type};
  if (model == OperationModel::neighbour) config.threads = other_threads;
  check_layer_norm(config);
  const RowCase rows(one);
  InputTensors inputs{{"x", rows.input("x")}, {"w", rows.input("w")}, {"bias", rows.input("bias")}};
  std::vector<Bits> mean, squares, row(config.hidden);
  for (std::size_t i = 0; i < rows.rows().size(); ++i) {
    inputs.at("x").codes->read(i * config.hidden, 1, row);
    const Moments moments = layer_norm_moments(config, row);
    mean.push_back(moments.mean);
    squares.push_back(moments.squares);
  }
  inputs["mean"] = input_tensor({mean.size(), 1}, mean);
  inputs["squares"] = input_tensor({squares.size(), 1}, squares);
  Predicted out =
      rows.run(layer_norm_recipe(config, f32_code(one.parameters.at("eps")), functions.rsqrt),
               inputs, {{"rstd", "rstd"}, {"y", "y"}});
  if (const auto recorded = one.outputs.find("mean"); recorded != one.outputs.end())
    for (const std::uint64_t r : recorded->second.rows)
      out["mean"].push_back(mean[static_cast<std::size_t>(std::ranges::lower_bound(rows.rows(), r) -
                                                          rows.rows().begin())]);
  return out;
}

Predicted attention(const OperationCase& one, const ElementFunctions& functions,
                    OperationModel model) {
  AttentionRequest request;
  AttentionShape& s = request.shape;
  s = {one.size("batch"), one.size("heads"),     one.size("kv_heads"),    one.size("queries"),
       one.size("keys"),  one.size("head_size"), one.size("causal") != 0, one.type};
  const FlashKernel& kernel = *find_flash_kernel("torch");
  FlashPlan plan = flash_plan(kernel, s);
  if (model == OperationModel::neighbour)
    plan = flash_plan(kernel, s, {.block = plan.block / 2, .splits = plan.splits});
  const auto open = [&](const char* name, std::uint64_t heads, std::uint64_t length) {
    return std::shared_ptr<const CodeSource>(
        open_input(one.inputs.at(name), s.type, {s.batch * heads * length * s.head_size, {}}));
  };
  request.inputs = {open("q", s.heads, s.queries), open("k", s.kv_heads, s.keys),
                    open("v", s.kv_heads, s.keys)};
  request.scale = f32_code(one.parameters.at("scale"));
  request.functions = functions;
  std::set<std::uint64_t> all;
  for (const auto& [name, tensor] : one.outputs) all.insert(tensor.rows.begin(), tensor.rows.end());
  request.rows.assign(all.begin(), all.end());
  const AttentionOutputs outputs = run_attention(request, plan);
  Predicted out;
  for (const auto& [name, tensor] : one.outputs)
    for (const std::uint64_t row : tensor.rows) {
      const auto place = static_cast<std::size_t>(std::ranges::lower_bound(request.rows, row) -
                                                  request.rows.begin());
      if (name == "lse") {
        out[name].push_back(outputs.lse[place]);
        continue;
      }
      for (std::uint64_t c = 0; c < s.head_size; c += tensor.column_stride)
        out[name].push_back(outputs.y[place * s.head_size + c]);
    }
  return out;
}

}  // namespace

std::string_view neighbour_name(std::string_view operation) {
  if (operation == "attention") return "half the block of keys";
  if (operation == "rms_norm" || operation == "layer_norm" || operation == "sum_of_squares")
    return "256 threads";
  return operation == "log_softmax" ? "one sequence" : "neighbouring pairs";
}

std::map<std::string, std::vector<Bits>> predict_operation(const OperationRecording& recording,
                                                           const OperationCase& one,
                                                           const ElementFunctions& functions,
                                                           OperationModel model) {
  const std::string& operation = recording.operation;
  if (operation == "sum" || operation == "mean") return sums(recording, one, model);
  if (operation == "rms_norm") return rms_norm(recording, one, functions, model);
  if (operation == "sum_of_squares") return sum_of_squares(recording, one, model);
  if (operation == "layer_norm") return layer_norm(one, functions, model);
  if (operation == "attention") return attention(one, functions, model);
  return softmax(recording, one, functions, model);
}

}  // namespace whybits
