// Recordings of row operations and attention: one file an operation, many cases in it, a few rows
// and columns of every output. scripts/record_torch_ops.py writes them; docs/recordings.md,
// "Operations", has the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/inputs.hpp"
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
  std::map<std::string, RecordedTensor> outputs;

  std::uint64_t size(const std::string& name) const { return shape.at(name); }
};

struct OperationRecording {
  std::string name;  ///< of the file
  std::map<std::string, std::string> source;
  std::string library, version;
  std::string operation;  ///< "softmax"
  std::vector<OperationCase> cases;
};

/// The sizes and inputs that cases of an operation have; null for an unknown one.
struct OperationShape {
  std::string_view operation;
  std::vector<std::string> sizes, inputs, parameters, outputs;
};
const OperationShape* operation_shape(std::string_view operation);

/// Is this text a recording of operations? Looks at the key that they begin with.
bool is_operation_recording(std::string_view text);
/// Errors: UsageError "FILE: PATH: …".
OperationRecording parse_operation_recording(std::string_view text, const std::string& name);

}  // namespace whybits
