#include "lab/operation_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lab/base64.hpp"
#include "lab/json_field.hpp"
#include "lab/recording.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t operation_element_limit = std::uint64_t{1} << 40;

const std::array<OperationShape, 7>& shapes() {
  const std::vector<std::string> matrix{"rows", "columns"};
  static const std::array<OperationShape, 7> all{
      OperationShape{"sum", matrix, {"x"}, {}, {"y", "f32"}},
      OperationShape{"mean", matrix, {"x"}, {}, {"y", "f32"}},
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
                                               const OperationShape& shape) {
  const bool attention = shape.operation == "attention";
  const std::uint64_t rows =
      attention ? c.size("batch") * c.size("heads") * c.size("queries") : c.size("rows");
  const bool sums = shape.operation == "sum" || shape.operation == "mean";
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

OperationCase read_case(const JsonField& field, const OperationShape& shape) {
  field.allow_only({"shape", "type", "inputs", "parameters", "outputs"});
  OperationCase c;
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
    if (!std::holds_alternative<UniformInput>(spec) && !std::holds_alternative<WideInput>(spec))
      inputs.at(name).fail("must be a generated stream", "as in uniform:1");
    c.inputs.emplace(name, spec);
  }
  const JsonField parameters = field.at("parameters");
  require_known(parameters, shape.parameters, "parameter");
  for (const std::string& name : shape.parameters)
    c.parameters[name] = read_real(parameters.at(name));
  const JsonField outputs = field.at("outputs");
  require_known(outputs, shape.outputs, "output");
  for (const std::string& name : outputs.keys()) {
    const auto [rows, columns] = extent(c, name, shape);
    c.outputs.emplace(name, read_tensor(outputs.at(name), rows, columns));
  }
  return c;
}

}  // namespace

const OperationShape* operation_shape(std::string_view operation) {
  const auto found = std::ranges::find(shapes(), operation, &OperationShape::operation);
  return found == shapes().end() ? nullptr : &*found;
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
  root.allow_only({"whybits_operations", "source", "library", "guarantee", "operation", "cases"});
  OperationRecording recording;
  recording.name = name;
  for (const std::string_view key : {"device", "date"}) root.at("source").at(key).text();
  for (const std::string& key : root.at("source").keys())
    recording.source[key] = root.at("source").at(key).text();
  recording.library = root.at("library").at("name").text();
  recording.version = root.at("library").at("version").text();
  root.at("guarantee").text();
  const JsonField operation = root.at("operation");
  const OperationShape* shape = operation_shape(operation.text());
  if (shape == nullptr) {
    std::vector<std::string_view> names;
    for (const OperationShape& known : shapes()) names.push_back(known.operation);
    operation.fail(fmt::format("'{}' is not known", operation.text()),
                   fmt::format("allowed: {}", fmt::join(names, ", ")));
  }
  recording.operation = operation.text();
  for (const JsonField& one : root.at("cases").elements())
    recording.cases.push_back(read_case(one, *shape));
  return recording;
}

}  // namespace whybits
