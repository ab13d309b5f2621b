#include "gpu/cublaslt/heuristics.hpp"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstring>

namespace whybits::gpu {
namespace {

void require(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw CublasltError(std::string(what) + ": " + cublasLtGetStatusString(status));
}
void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw CublasltError(std::string(what) + ": " + cudaGetErrorString(status));
}

cudaDataType_t data_type(const Format& format) {
  if (format == formats::bf16) return CUDA_R_16BF;
  if (format == formats::f16) return CUDA_R_16F;
  if (format == formats::e4m3) return CUDA_R_8F_E4M3;
  if (format == formats::f32) return CUDA_R_32F;
  throw CublasltError("cublasLt is not called with " + format_name(format));
}

cublasComputeType_t compute_type(cublaslt::Compute compute) {
  switch (compute) {
    case cublaslt::Compute::f16:
      return CUBLAS_COMPUTE_16F;
    case cublaslt::Compute::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case cublaslt::Compute::f32:
      break;
  }
  return CUBLAS_COMPUTE_32F;
}

/// Descriptors of one product. Column-major: our B is the first operand, our A the second.
class Descriptors {
 public:
  explicit Descriptors(const cublaslt::Problem& problem) {
    const GemmShape& s = problem.shape;
    const bool half = problem.compute == cublaslt::Compute::f16;
    require(cublasLtMatmulDescCreate(&operation, compute_type(problem.compute),
                                     half ? CUDA_R_16F : CUDA_R_32F),
            "cublasLtMatmulDescCreate");
    const bool transposed = problem.storage_b == cublaslt::StorageB::nk;
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    if (problem.fast_accumulation)
      set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(1));
    if (problem.bias) set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    create(first, problem.b, transposed ? s.k : s.n, transposed ? s.n : s.k);
    create(second, problem.a, s.k, s.m);
    create(output, problem.out, s.n, s.m);
  }
  ~Descriptors() {
    for (cublasLtMatrixLayout_t layout : {first, second, output})
      if (layout) cublasLtMatrixLayoutDestroy(layout);
    if (operation) cublasLtMatmulDescDestroy(operation);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    require(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)),
            "cublasLtMatmulDescSetAttribute");
  }

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, output = nullptr;

 private:
  static void create(cublasLtMatrixLayout_t& layout, const Format& format, std::uint64_t rows,
                     std::uint64_t columns) {
    require(cublasLtMatrixLayoutCreate(&layout, data_type(format), rows, columns,
                                       static_cast<std::int64_t>(rows)),
            "cublasLtMatrixLayoutCreate");
  }
};

class Preference {
 public:
  explicit Preference(const Preferences& preferences) {
    require(cublasLtMatmulPreferenceCreate(&value), "cublasLtMatmulPreferenceCreate");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, preferences.workspace_bytes);
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, preferences.reduction_schemes);
  }
  ~Preference() {
    if (value) cublasLtMatmulPreferenceDestroy(value);
  }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  cublasLtMatmulPreference_t value = nullptr;

 private:
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, Value setting) {
    require(cublasLtMatmulPreferenceSetAttribute(value, attribute, &setting, sizeof(setting)),
            "cublasLtMatmulPreferenceSetAttribute");
  }
};

/// Attributes of two and four bytes, read by their own size.
std::uint32_t attribute(const cublasLtMatmulAlgo_t& algo,
                        cublasLtMatmulAlgoConfigAttributes_t name) {
  std::uint32_t value = 0;
  std::size_t written = 0;
  const bool narrow =
      name == CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID || name == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID;
  require(cublasLtMatmulAlgoConfigGetAttribute(
              &algo, name, &value, narrow ? sizeof(std::uint16_t) : sizeof(value), &written),
          "cublasLtMatmulAlgoConfigGetAttribute");
  return value;
}

cublaslt::Algorithm fields_of(const cublasLtMatmulAlgo_t& algo) {
  return {.id = attribute(algo, CUBLASLT_ALGO_CONFIG_ID),
          .tile = attribute(algo, CUBLASLT_ALGO_CONFIG_TILE_ID),
          .stages = attribute(algo, CUBLASLT_ALGO_CONFIG_STAGES_ID),
          .split_k = attribute(algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
          .reduction_scheme = attribute(algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
          .cta_swizzling = attribute(algo, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
          .custom_option = attribute(algo, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION),
          .inner_shape = attribute(algo, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID),
          .cluster_shape = attribute(algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID)};
}

/// Memory of the device whose content does not matter.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) {
    require(cudaMalloc(&data, bytes > 0 ? bytes : 1), "cudaMalloc");
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data = nullptr;
};

/// Where a product's operands, output and workspace lie on the device, and the stream it runs on.
struct Places {
  const void *a, *b;
  void *out, *workspace;
  std::uint64_t workspace_bytes;
  cudaStream_t stream;
};

void matmul(cublasLtHandle_t handle, const cublaslt::Problem& problem, const Descriptors& d,
            const cublasLtMatmulAlgo_t& algo, const Places& at) {
  const float one = 1, zero = 0;
  const std::uint16_t half_one = 0x3c00, half_zero = 0;
  const bool half = problem.compute == cublaslt::Compute::f16;
  const void* const alpha = half ? static_cast<const void*>(&half_one) : &one;
  const void* const beta = half ? static_cast<const void*>(&half_zero) : &zero;
  require(cublasLtMatmul(handle, d.operation, alpha, at.b, d.first, at.a, d.second, beta, at.out,
                         d.output, at.out, d.output, &algo, at.workspace, at.workspace_bytes,
                         at.stream),
          "cublasLtMatmul");
}

}  // namespace

struct Cublaslt::Handle {
  cublasLtHandle_t value = nullptr;
  Handle() { require(cublasLtCreate(&value), "cublasLtCreate"); }
  ~Handle() { cublasLtDestroy(value); }
};

Cublaslt::Cublaslt() {
  int devices = 0;
  require(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices == 0) throw CublasltError("there is no CUDA device");
  handle_ = std::make_unique<Handle>();
}

Cublaslt::~Cublaslt() = default;

std::string Cublaslt::version() const {
  const std::size_t number = cublasLtGetVersion();  // 10000 · major + 100 · minor + patch
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

std::vector<Proposal> Cublaslt::proposals(const cublaslt::Problem& problem,
                                          const Preferences& preferences, int count) const {
  const Descriptors d(problem);
  const Preference preference(preferences);
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(count));
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(handle_->value, d.operation, d.first, d.second, d.output,
                                     d.output, preference.value, count, results.data(), &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  require(status, "cublasLtMatmulAlgoGetHeuristic");
  std::vector<Proposal> proposals;
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results[static_cast<std::size_t>(i)];
    if (result.state != CUBLAS_STATUS_SUCCESS) continue;
    Proposal proposal{fields_of(result.algo), result.workspaceSize, result.wavesCount, 0, {}};
    std::size_t written = 0;
    require(cublasLtMatmulAlgoCapGetAttribute(&result.algo, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS,
                                              &proposal.numerical_flags,
                                              sizeof(proposal.numerical_flags), &written),
            "cublasLtMatmulAlgoCapGetAttribute");
    proposal.opaque.resize(sizeof(result.algo) / sizeof(std::uint64_t));
    static_assert(sizeof(result.algo) % sizeof(std::uint64_t) == 0);
    std::memcpy(proposal.opaque.data(), &result.algo, sizeof(result.algo));
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

DeviceWords::DeviceWords(const std::vector<std::uint8_t>& words) {
  require(cudaMalloc(&data_, words.empty() ? 1 : words.size()), "cudaMalloc");
  const cudaError_t copied = cudaMemcpy(data_, words.data(), words.size(), cudaMemcpyHostToDevice);
  if (copied == cudaSuccess) return;
  cudaFree(data_);
  require(copied, "cudaMemcpy");
}

DeviceWords::~DeviceWords() {
  cudaFree(data_);
}

void DeviceWords::write_column(std::uint64_t offset, std::uint64_t pitch, std::uint64_t rows,
                               const std::vector<std::uint8_t>& word) {
  std::vector<std::uint8_t> column;
  for (std::uint64_t row = 0; row < rows; ++row)
    column.insert(column.end(), word.begin(), word.end());
  require(cudaMemcpy2D(static_cast<std::uint8_t*>(data_) + offset, pitch, column.data(),
                       word.size(), word.size(), rows, cudaMemcpyHostToDevice),
          "cudaMemcpy2D");
}

void Cublaslt::launch(const cublaslt::Problem& problem, const Proposal& proposal, const void* a,
                      const void* b, void* out, void* workspace, CUstream_st* stream) const {
  cublasLtMatmulAlgo_t algo;
  std::memcpy(&algo, proposal.opaque.data(), sizeof(algo));
  matmul(handle_->value, problem, Descriptors(problem), algo,
         {a, b, out, workspace, proposal.workspace_bytes, stream});
}

struct PreparedProduct::State {
  State(const Cublaslt& with, const cublaslt::Problem& of, const Proposal& proposal,
        const DeviceOperands& on)
      : library(with),
        problem(of),
        operands(on),
        descriptors(of),
        workspace(proposal.workspace_bytes),
        workspace_bytes(proposal.workspace_bytes),
        row_bytes(of.shape.n * of.out.word_bytes()),
        output(of.shape.m * row_bytes) {
    std::memcpy(&algo, proposal.opaque.data(), sizeof(algo));
    if (of.bias) descriptors.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, on.bias->data());
  }
  const Cublaslt& library;
  cublaslt::Problem problem;
  DeviceOperands operands;
  Descriptors descriptors;
  cublasLtMatmulAlgo_t algo;
  Buffer workspace;
  std::uint64_t workspace_bytes, row_bytes;
  Buffer output;
};

PreparedProduct::PreparedProduct(const Cublaslt& library, const cublaslt::Problem& problem,
                                 const Proposal& proposal, const DeviceOperands& operands)
    : state_(std::make_unique<State>(library, problem, proposal, operands)) {}

PreparedProduct::~PreparedProduct() = default;

void PreparedProduct::run() {
  State& s = *state_;
  // Poisoned, so that an output that nobody writes is seen.
  require(cudaMemset(s.output.data, 0xff, s.problem.shape.m * s.row_bytes), "cudaMemset");
  matmul(s.library.handle_->value, s.problem, s.descriptors, s.algo,
         {s.operands.a->data(), s.operands.b->data(), s.output.data, s.workspace.data,
          s.workspace_bytes, nullptr});
}

std::vector<std::uint8_t> PreparedProduct::rows(std::uint64_t step, std::uint64_t count) const {
  std::vector<std::uint8_t> words(count * state_->row_bytes);
  require(cudaMemcpy2D(words.data(), state_->row_bytes, state_->output.data,
                       step * state_->row_bytes, state_->row_bytes, count, cudaMemcpyDeviceToHost),
          "cudaMemcpy2D");
  return words;
}

}  // namespace whybits::gpu
