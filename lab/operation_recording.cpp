#include "lab/operation_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "lab/base64.hpp"
#include "lab/json_field.hpp"
#include "lab/kernel_request.hpp"
#include "lab/recording.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t operation_element_limit = std::uint64_t{1} << 40;

const std::array<OperationShape, 8>& shapes() {
  const std::vector<std::string> matrix{"rows", "columns"};
  static const std::array<OperationShape, 8> all{
      OperationShape{"sum", matrix, {"x"}, {}, {"y", "f32"}},
      OperationShape{"mean", matrix, {"x"}, {}, {"y", "f32"}},
      OperationShape{"sum_of_squares", matrix, {"x"}, {}, {"f32"}},
      OperationShape{"softmax", matrix, {"x"}, {}, {"y"}},
      OperationShape{"log_softmax", matrix, {"x"}, {}, {"y"}},
      OperationShape{"rms_norm", matrix, {"x", "w"}, {"eps"}, {"rstd", "y"}},
      OperationShape{"layer_norm", matrix, {"x", "w", "bias"}, {"eps"}, {"mean", "rstd", "y"}},
      OperationShape{"attention",
                     {"batch", "heads", "kv_heads", "queries", "keys", "head_size", "causal"},
                     {"q", "k", "v"},
                     {"scale"},
                     {"lse", "y"}}};
  return all;
}

Format read_type(const JsonField& field) {
  const auto format = parse_format(field.text());
  if (!format) field.fail(fmt::format("'{}' is not a number format", field.text()), "as in bf16");
  return *format;
}

/// Rows and columns of an output.
std::pair<std::uint64_t, std::uint64_t> extent(const OperationCase& c, const std::string& output,
                                               const OperationShape& shape,
                                               const gpu::RecipeKernel* kernel) {
  if (kernel != nullptr)
    for (const gpu::KernelTensor& t : kernel->outputs(run_of(*kernel, c)))
      if (t.name == output) return {t.groups * t.rows, t.columns};
  const bool attention = shape.operation == "attention";
  const std::uint64_t rows =
      attention ? c.size("batch") * c.size("heads") * c.size("queries") : c.size("rows");
  const bool sums = shape.operation.starts_with("sum") || shape.operation == "mean";
  if (output != "y" || sums) return {rows, 1};
  return {rows, attention ? c.size("head_size") : c.size("columns")};
}

RecordedTensor read_tensor(const JsonField& field, std::uint64_t rows, std::uint64_t columns) {
  field.allow_only({"type", "rows", "column_stride", "bits"});
  const Format type = read_type(field.at("type"));
  std::vector<std::uint64_t> chosen;
  for (const JsonField& row : field.at("rows").elements()) {
    if (rows == 0) row.fail("the output has no rows");
    chosen.push_back(row.number(0, rows - 1));
    if (chosen.size() > 1 && chosen.back() <= chosen[chosen.size() - 2])
      row.fail("rows must ascend");
  }
  const std::uint64_t stride = field.at("column_stride").number(1, dimension_limit);
  const std::uint64_t count = chosen.size() * ceil_div(columns, stride);
  const JsonField bits = field.at("bits");
  bits.allow_only({"base64"});
  const JsonField text = bits.at("base64");
  auto words = base64_decode(text.text());
  if (!words) text.fail("not base64 text", "use the standard alphabet with padding");
  if (words->size() != count * type.word_bytes())
    text.fail(fmt::format("{} bytes given, {} needed for {} words of {}", words->size(),
                          count * type.word_bytes(), count, format_name(type)));
  return {type, std::move(chosen), stride, VectorSource(type, *std::move(words))};
}

double read_real(const JsonField& field) {
  if (!field.value().is_number()) field.fail("must be a number");
  return field.value().get<double>();
}

void require_known(const JsonField& field, const std::vector<std::string>& known,
                   const char* what) {
  for (const std::string& key : field.keys())
    if (std::ranges::find(known, key) == known.end())
      field.fail(fmt::format("'{}' is no {} here", key, what),
                 fmt::format("allowed: {}", fmt::join(known, ", ")));
}

/// Made from the text alone, so that a recording can be checked anywhere.
bool holds_its_words(const InputSpec& spec) {
  return !std::holds_alternative<FileInput>(spec) && !std::holds_alternative<NpyInput>(spec) &&
         !std::holds_alternative<SafetensorsInput>(spec);
}

void read_launch(const JsonField& launch, const gpu::RecipeKernel& kernel, OperationCase& c) {
  for (const std::string& knob : launch.keys()) set_knob(kernel, c.launch, knob, launch.at(knob));
}

OperationCase read_case(const JsonField& field, const OperationShape& shape,
                        const gpu::RecipeKernel* kernel) {
  field.allow_only({"shape", "type", "inputs", "parameters", "launch", "outputs"});
  OperationCase c;
  if (kernel != nullptr) {
    c.launch = kernel->usual;
    if (const auto launch = field.find("launch")) read_launch(*launch, *kernel, c);
  } else if (const auto launch = field.find("launch")) {
    launch->fail("only kernels of this project have it");
  }
  c.type = read_type(field.at("type"));
  const JsonField sizes = field.at("shape");
  require_known(sizes, shape.sizes, "size");
  std::uint64_t elements = 1;
  for (const std::string& name : shape.sizes) {
    const JsonField size = sizes.at(name);
    const bool truth = size.value().is_boolean();
    c.shape[name] = truth ? size.value().get<bool>() : size.number(0, dimension_limit);
    if (!truth && c.shape[name] != 0) {
      if (elements > operation_element_limit / c.shape[name])
        size.fail(fmt::format("the shape has more than {} elements", operation_element_limit));
      elements *= c.shape[name];
    }
  }
  const JsonField inputs = field.at("inputs");
  require_known(inputs, shape.inputs, "input");
  for (const std::string& name : shape.inputs) {
    const InputSpec spec = input_spec_from_json(inputs.at(name).value());
    const bool stream =
        std::holds_alternative<UniformInput>(spec) || std::holds_alternative<WideInput>(spec);
    if (kernel == nullptr ? !stream : !holds_its_words(spec))
      inputs.at(name).fail("must be a generated stream", "as in uniform:1");
    c.inputs.emplace(name, spec);
  }
  const JsonField parameters = field.at("parameters");
  require_known(parameters, shape.parameters, "parameter");
  for (const std::string& name : shape.parameters)
    c.parameters[name] = read_real(parameters.at(name));
  const auto outputs = field.find("outputs");
  if (!outputs && kernel != nullptr) return c;  // planned, not run yet
  const JsonField recorded = field.at("outputs");
  require_known(recorded, shape.outputs, "output");
  for (const std::string& name : recorded.keys()) {
    const auto [rows, columns] = extent(c, name, shape, kernel);
    c.outputs.emplace(name, read_tensor(recorded.at(name), rows, columns));
  }
  return c;
}

}  // namespace

const OperationShape* operation_shape(std::string_view operation) {
  const auto found = std::ranges::find(shapes(), operation, &OperationShape::operation);
  return found == shapes().end() ? nullptr : &*found;
}

OperationShape operation_shape(const gpu::RecipeKernel& kernel) {
  OperationShape shape{kernel.operation, {}, {}, {}, {}};
  gpu::RecipeRun smallest{kernel.usual, {}, formats::f32, 0};
  for (const std::string_view name : kernel.extents) {
    shape.sizes.emplace_back(name);
    smallest.extents[std::string(name)] = 1;
  }
  for (const gpu::KernelTensor& t : kernel.inputs(smallest)) shape.inputs.push_back(t.name);
  for (const gpu::KernelTensor& t : kernel.outputs(smallest)) shape.outputs.push_back(t.name);
  if (!kernel.parameter.empty()) shape.parameters.emplace_back(kernel.parameter);
  return shape;
}

const gpu::RecipeKernel& recipe_kernel_named(const std::string& name) {
  if (const gpu::RecipeKernel* kernel = gpu::find_recipe_kernel(name)) return *kernel;
  std::vector<std::string_view> names;
  for (const gpu::RecipeKernel& kernel : gpu::recipe_kernels()) names.push_back(kernel.name);
  throw UsageError(fmt::format("kernel '{}' is not known", name),
                   fmt::format("allowed: {}", fmt::join(names, ", ")));
}

gpu::RecipeRun run_of(const gpu::RecipeKernel& kernel, const OperationCase& one) {
  gpu::RecipeRun run{one.launch, {one.shape.begin(), one.shape.end()}, one.type, 0};
  if (!kernel.parameter.empty()) {
    const auto value = static_cast<float>(one.parameters.at(std::string(kernel.parameter)));
    run.parameter = std::bit_cast<std::uint32_t>(value);
  }
  try {
    kernel.check(kernel, run);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{}: {}", kernel.name, error.what()),
                     fmt::format("see whybits kernels {}", kernel.name));
  }
  return run;
}

OperationCase read_planned_case(const JsonField& field, const gpu::RecipeKernel& kernel) {
  field.allow_only({"shape", "type", "inputs", "parameters", "launch"});
  OperationCase c = read_case(field, operation_shape(kernel), &kernel);
  run_of(kernel, c);
  return c;
}

bool is_operation_recording(std::string_view text) {
  constexpr std::size_t beginning = 256;
  return text.substr(0, beginning).find("\"whybits_operations\"") != std::string_view::npos;
}

OperationRecording parse_operation_recording(std::string_view text, const std::string& name) {
  const nlohmann::json document =
      parse_strict_json(text, name, {}, "docs/recordings.md describes recordings of operations");
  const JsonField root(document, name);
  root.at("whybits_operations").number(1, 1);
  root.allow_only(
      {"whybits_operations", "source", "library", "kernel", "guarantee", "operation", "cases"});
  OperationRecording recording;
  recording.name = name;
  for (const std::string_view key : {"device", "date"}) root.at("source").at(key).text();
  for (const std::string& key : root.at("source").keys())
    recording.source[key] = root.at("source").at(key).text();
  recording.library = root.at("library").at("name").text();
  recording.version = root.at("library").at("version").text();
  root.at("guarantee").text();
  const JsonField operation = root.at("operation");
  if (const auto kernel = root.find("kernel")) {
    recording.kernel = &recipe_kernel_named(kernel->text());
    if (recording.library != "whybits") kernel->fail("only kernels of whybits are known by name");
    if (operation.text() != recording.kernel->operation)
      operation.fail(fmt::format("'{}' is not what {} computes", operation.text(), kernel->text()),
                     std::string(recording.kernel->operation));
    recording.operation = operation.text();
    const OperationShape own = operation_shape(*recording.kernel);
    for (const JsonField& one : root.at("cases").elements()) {
      one.at("outputs");
      recording.cases.push_back(read_case(one, own, recording.kernel));
    }
    return recording;
  }
  const OperationShape* shape = operation_shape(operation.text());
  if (shape == nullptr) {
    std::vector<std::string_view> names;
    for (const OperationShape& known : shapes()) names.push_back(known.operation);
    operation.fail(fmt::format("'{}' is not known", operation.text()),
                   fmt::format("allowed: {}", fmt::join(names, ", ")));
  }
  recording.operation = operation.text();
  for (const JsonField& one : root.at("cases").elements())
    recording.cases.push_back(read_case(one, *shape, nullptr));
  return recording;
}

nlohmann::ordered_json operation_recording_json(const OperationRecording& recording) {
  nlohmann::ordered_json json{
      {"whybits_operations", 1},
      {"source", recording.source},
      {"library", {{"name", recording.library}, {"version", recording.version}}},
      {"kernel", recording.kernel->name},
      {"guarantee", "same_capability"},
      {"operation", recording.operation},
      {"cases", nlohmann::ordered_json::array()}};
  for (const OperationCase& c : recording.cases) {
    nlohmann::ordered_json one{{"launch", knobs_json(*recording.kernel, c.launch)},
                               {"shape", c.shape},
                               {"type", format_name(c.type)},
                               {"inputs", nlohmann::ordered_json::object()},
                               {"parameters", c.parameters},
                               {"outputs", nlohmann::ordered_json::object()}};
    for (const auto& [name, spec] : c.inputs) one["inputs"][name] = input_spec_to_json(spec);
    for (const auto& [name, t] : c.outputs)
      one["outputs"][name] = {{"type", format_name(t.type)},
                              {"rows", t.rows},
                              {"column_stride", t.column_stride},
                              {"bits", {{"base64", base64_encode(t.codes.words())}}}};
    json["cases"].push_back(std::move(one));
  }
  return json;
}

}  // namespace whybits
