// Runs kernels of gpu/recipe_kernels.hpp on the GPU here and now.
#pragma once

#include <string>
#include <vector>

#include "lab/operation_recording.hpp"
#include "lab/verify.hpp"

namespace whybits {

/// An entry of a suite: one kernel, many cases, one recording.
struct OperationRuns {
  std::string name;  ///< of the recording's file, without .json
  const gpu::RecipeKernel* kernel = nullptr;
  std::vector<OperationCase> cases;  ///< without outputs
  std::uint64_t keep_rows = 0;       ///< of every output, evenly spread; 0: all
  std::uint64_t column_stride = 1;
};

/// Errors: UsageError with the place in the file.
OperationRuns read_operation_runs(const JsonField& entry);

/// Runs every case and keeps all of its outputs. `command` is how to do it again.
/// Errors: UsageError, gpu::NotAvailable, gpu::CudaError (a std::runtime_error).
OperationRecording record_operations(const OperationRuns& request, const std::string& command);
/// The same with no more of each output than the request keeps.
OperationRecording kept(const OperationRecording& whole, const OperationRuns& request);

/// Microseconds of a launch (gpu::time_recipe_kernel). Errors: as record_operations.
double time_case(const gpu::RecipeKernel& kernel, const OperationCase& planned);

/// Runs the recorded cases again and keeps the recorded elements. Errors: as above, and UsageError
/// for a library's operation.
OperationRecording record_again(const OperationRecording& recorded);

}  // namespace whybits
