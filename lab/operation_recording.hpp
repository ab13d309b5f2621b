// Recordings of row operations and attention: one file an operation, many cases in it, a few rows
// and columns of every output. Libraries' are written by scripts/record_torch_ops.py, those of this
// project's kernels by whybits record; docs/recordings.md, "Operations", has the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/recipe_kernels.hpp"
#include "lab/inputs.hpp"
#include "lab/json_field.hpp"
#include "lab/vector_source.hpp"

namespace whybits {

/// Chosen elements of an output matrix: rows as listed, and of each the columns 0, stride,
/// 2·stride, … below `columns`.
struct RecordedTensor {
  Format type;
  std::vector<std::uint64_t> rows;  ///< ascending
  std::uint64_t column_stride = 1;
  VectorSource codes;  ///< rows in order
};

struct OperationCase {
  std::map<std::string, std::uint64_t> shape;  ///< by name; a truth value is 0 or 1
  Format type;
  std::map<std::string, InputSpec> inputs;
  std::map<std::string, double> parameters;
  gpu::LaunchParams launch;  ///< of a kernel of this project
  std::map<std::string, RecordedTensor> outputs;

  std::uint64_t size(const std::string& name) const { return shape.at(name); }
};

struct OperationRecording {
  std::string name;  ///< of the file
  std::map<std::string, std::string> source;
  std::string library, version;
  std::string operation;                      ///< "softmax"
  const gpu::RecipeKernel* kernel = nullptr;  ///< of this project; null: a library's operation
  std::vector<OperationCase> cases;
};

/// The sizes and inputs that cases of an operation have; null for an unknown one.
struct OperationShape {
  std::string_view operation;
  std::vector<std::string> sizes, inputs, parameters, outputs;
};
const OperationShape* operation_shape(std::string_view operation);

/// Of a kernel of this project.
OperationShape operation_shape(const gpu::RecipeKernel& kernel);
/// Errors: UsageError that lists the kernels.
const gpu::RecipeKernel& recipe_kernel_named(const std::string& name);
/// What the kernel is launched on. Errors: UsageError for what it refuses.
gpu::RecipeRun run_of(const gpu::RecipeKernel& kernel, const OperationCase& one);
/// A case of a kernel of this project that was not run yet; knobs that are left out are as usual.
/// Errors: UsageError with the place.
OperationCase read_planned_case(const JsonField& field, const gpu::RecipeKernel& kernel);

/// Is this text a recording of operations? Looks at the key that they begin with.
bool is_operation_recording(std::string_view text);
/// Errors: UsageError "FILE: PATH: …".
OperationRecording parse_operation_recording(std::string_view text, const std::string& name);
/// Of a kernel of this project; its inverse is the parser.
nlohmann::ordered_json operation_recording_json(const OperationRecording& recording);

}  // namespace whybits
