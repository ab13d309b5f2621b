#include "lab/operation_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gpu/run_kernel.hpp"
#include "gpu/run_recipe_kernel.hpp"
#include "lab/gpu_source.hpp"
#include "lab/kernel_request.hpp"
#include "lab/predict_claim.hpp"
#include "lab/usage_error.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

/// What is kept of an output: rows, ascending, and every so manieth column.
struct Kept {
  std::vector<std::uint64_t> rows;
  std::uint64_t column_stride = 1;
};

std::vector<std::uint64_t> all_rows(const gpu::KernelTensor& tensor) {
  std::vector<std::uint64_t> rows(tensor.groups * tensor.rows);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  return rows;
}

/// `whole`: all rows and columns of the tensor.
RecordedTensor part(const gpu::KernelTensor& tensor, const VectorSource& whole, const Kept& keep) {
  std::vector<Bits> codes;
  std::vector<Bits> row(ceil_div(tensor.columns, keep.column_stride));
  for (const std::uint64_t r : keep.rows) {
    whole.read(r * tensor.columns, keep.column_stride, row);
    codes.insert(codes.end(), row.begin(), row.end());
  }
  return {tensor.format, keep.rows, keep.column_stride,
          VectorSource::from_codes(tensor.format, codes)};
}

gpu::TensorWords input_words(const gpu::RecipeKernel& kernel, const OperationCase& planned) {
  gpu::TensorWords words;
  for (const gpu::KernelTensor& t : kernel.inputs(run_of(kernel, planned)))
    words[t.name] = words_from_codes(t.format, input_codes(planned, t));
  return words;
}

/// The case's outputs, whole.
OperationCase run_case(const gpu::RecipeKernel& kernel, const OperationCase& planned) {
  const gpu::RecipeRun run = run_of(kernel, planned);
  const gpu::TensorWords results =
      gpu::run_recipe_kernel(kernel, run, input_words(kernel, planned));
  OperationCase one = planned;
  one.outputs.clear();
  for (const gpu::KernelTensor& t : kernel.outputs(run))
    one.outputs.emplace(t.name, RecordedTensor{t.format, all_rows(t), 1,
                                               VectorSource(t.format, results.at(t.name))});
  return one;
}

/// `keep` says what of each output.
template <class Keep>
void cut(const gpu::RecipeKernel& kernel, OperationCase& one, Keep keep) {
  for (const gpu::KernelTensor& t : kernel.outputs(run_of(kernel, one))) {
    RecordedTensor& recorded = one.outputs.at(t.name);
    recorded = part(t, recorded.codes, keep(t));
  }
}

}  // namespace

OperationRuns read_operation_runs(const JsonField& entry) {
  entry.allow_only({"name", "kernel", "cases", "keep_rows", "column_stride"});
  OperationRuns request;
  request.name = read_file_name(entry.at("name"));
  request.kernel = &recipe_kernel_named(entry.at("kernel").text());
  if (const auto rows = entry.find("keep_rows")) request.keep_rows = rows->number();
  if (const auto stride = entry.find("column_stride")) request.column_stride = stride->number(1);
  for (const JsonField& one : entry.at("cases").elements())
    request.cases.push_back(read_planned_case(one, *request.kernel));
  if (request.cases.empty()) entry.at("cases").fail("has no cases");
  return request;
}

OperationRecording record_operations(const OperationRuns& request, const std::string& command) {
  const gpu::GpuEnvironment gpu = gpu::gpu_environment();
  OperationRecording recording;
  recording.name = request.name;
  recording.source = compiled_source(gpu, command);
  recording.library = "whybits";
  recording.version = WHYBITS_VERSION;
  recording.operation = request.kernel->operation;
  recording.kernel = request.kernel;
  for (const OperationCase& one : request.cases)
    recording.cases.push_back(run_case(*request.kernel, one));
  return recording;
}

OperationRecording kept(const OperationRecording& whole, const OperationRuns& request) {
  OperationRecording recording = whole;
  for (OperationCase& one : recording.cases)
    cut(*request.kernel, one, [&](const gpu::KernelTensor& t) {
      const std::uint64_t rows = t.groups * t.rows;
      if (request.keep_rows == 0 || request.keep_rows >= rows)
        return Kept{all_rows(t), request.column_stride};
      Kept keep{{}, request.column_stride};
      for (std::uint64_t i = 0; i < request.keep_rows; ++i)
        keep.rows.push_back(i * rows / request.keep_rows);
      return keep;
    });
  return recording;
}

double time_case(const gpu::RecipeKernel& kernel, const OperationCase& planned) {
  return gpu::time_recipe_kernel(kernel, run_of(kernel, planned), input_words(kernel, planned));
}

OperationRecording record_again(const OperationRecording& recorded) {
  if (recorded.kernel == nullptr)
    throw UsageError(recorded.name +
                         ": --live runs this project's own kernels, not a library's "
                         "operations",
                     "record it again with scripts/record_torch_ops.py");
  OperationRuns request{recorded.name, recorded.kernel, recorded.cases};
  OperationRecording now = record_operations(request, "whybits verify --live");
  for (std::size_t i = 0; i < now.cases.size(); ++i)
    cut(*recorded.kernel, now.cases[i], [&](const gpu::KernelTensor& t) {
      const RecordedTensor& before = recorded.cases[i].outputs.at(t.name);
      return Kept{before.rows, before.column_stride};
    });
  return now;
}

}  // namespace whybits
