// Host side of a run: operands to the device, one launch plan from the parameters, outputs back.
#include <algorithm>
#include <cstring>
#include <fstream>

#include "gpu/device_buffer.cuh"
#include "gpu/device_info.hpp"
#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/sum_args.hpp"
#include "gpu/run_kernel.hpp"

namespace whybits::gpu {
namespace {

constexpr int poison = 0xff;  // a NaN in every format; not the one that GPUs produce
constexpr std::size_t row_alignment = 16;

cudaDeviceProp device_properties() {
  if (const GpuReport report = query_gpus(); report.devices.empty())
    throw NotAvailable("no usable GPU: " + report.reason);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return properties;
}

std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The driver's own version where the system tells it, else the newest CUDA it supports.
std::string driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  if (std::string text; file >> text) return text;
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  return "CUDA " + dotted(version);
}

/// Rows on the device: each at a multiple of 16 bytes, zeros between them.
struct DeviceMatrix {
  std::uint64_t ld = 0;  // elements
  DeviceBuffer buffer;

  DeviceMatrix() = default;
  DeviceMatrix(std::span<const std::uint8_t> words, std::uint64_t rows, std::uint64_t k,
               std::uint64_t element_bytes) {
    const std::uint64_t bytes = k * element_bytes;
    const std::uint64_t pitch = (bytes + row_alignment - 1) / row_alignment * row_alignment;
    ld = pitch / element_bytes;
    std::vector<std::uint8_t> padded(rows * pitch, 0);
    for (std::uint64_t r = 0; r < rows; ++r)
      std::memcpy(padded.data() + r * pitch, words.data() + r * bytes, bytes);
    buffer = DeviceBuffer(padded);
  }
};

std::uint64_t bytes_of(OutputType type) {
  return type == OutputType::f64 ? 8 : type == OutputType::f32 ? 4 : 2;
}

std::uint64_t count_poison(const std::vector<std::uint8_t>& words, std::uint64_t size) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < words.size(); i += size)
    if (std::all_of(words.begin() + static_cast<std::ptrdiff_t>(i),
                    words.begin() + static_cast<std::ptrdiff_t>(i + size),
                    [](std::uint8_t byte) { return byte == poison; }))
      ++found;
  return found;
}

/// What atomics add to. −0 is the identity of addition: `any` begins with the first arrival, and so
/// does the kernel. (+0, as libraries have it, differs where every slice's result is −0.)
DeviceBuffer negative_zeros(std::uint64_t count) {
  std::vector<std::uint8_t> words(count * sizeof(float), 0);
  for (std::size_t i = 3; i < words.size(); i += sizeof(float)) words[i] = 0x80;
  return DeviceBuffer(words);
}

struct Family {
  std::string_view kernel;
  void (*launch)(const LaunchPlan&);
};
constexpr Family families[] = {{"simt.gemm", launch_simt_gemm},
                               {"mma.gemm", launch_mma_gemm},
                               {"wgmma.gemm", launch_wgmma_gemm},
                               {"fixed.gemm", launch_fixed_gemm}};

}  // namespace

struct KernelRun::State {
  const Kernel* kernel;
  Shape shape;
  int capability;
  DeviceMatrix a, b;
  DeviceBuffer x;  // of row sums

  void require_capability(const LaunchParams& params) const {
    const Instruction& i = kernel->instruction(params);
    if (capability >= i.least_capability && capability <= i.last_capability) return;
    const auto version = [](int c) {
      return std::to_string(c / 10) + "." + std::to_string(c % 10);
    };
    throw NotAvailable(std::string(kernel->name) + " " + params.instruction +
                       " needs compute capability " + version(i.least_capability) +
                       (i.last_capability == i.least_capability ? "" : " or later") +
                       "; this GPU has " + version(capability));
  }
  KernelOutput run_gemm(const LaunchParams& params, bool probe);
  KernelOutput run_sums(const LaunchParams& params);
};

KernelOutput KernelRun::State::run_gemm(const LaunchParams& p, bool probe) {
  LaunchPlan plan;
  plan.instruction = p.instruction;
  plan.warps = u32(p.warps);
  plan.accumulators = u32(p.accumulators);
  GemmArgs& g = plan.args;
  g.m = u32(shape.m);
  g.n = u32(shape.n);
  g.k = u32(shape.k);
  g.a = a.buffer.data();
  g.b = b.buffer.data();
  g.lda = u32(a.ld);
  g.ldb = u32(b.ld);
  take_params(g, p);
  const auto borders = slice_borders(p, shape);
  const std::uint64_t tiles = borders.size();
  const bool stream_k = g.split == Split::stream_k;
  const std::uint64_t slices = stream_k ? 1 : borders[0].size() - 1;
  g.slice = stream_k ? g.k : u32(borders[0][1]);
  g.workers = u32(p.ctas);
  plan.grid = u32(p.ctas != 0 ? p.ctas : p.cluster * tiles * slices);

  const std::uint64_t outputs = shape.m * shape.n, size = bytes_of(g.output);
  const bool atomic = g.split == Split::atomic && slices > 1;
  const DeviceBuffer out = atomic ? negative_zeros(outputs) : DeviceBuffer(outputs * size, poison);
  const bool by_workspace =
      slices > 1 && (g.split == Split::workspace || g.split == Split::workspace_output);
  const OutputType held = g.split == Split::workspace_output ? g.output : OutputType::f32;
  const FixedNeeds fixed = kernel->name == "fixed.gemm" ? fixed_needs(g, plan.grid) : FixedNeeds{};
  if (fixed.grid > 0) plan.grid = fixed.grid;
  const std::uint64_t partials = fixed.grid > 0 ? fixed.workspace_bytes
                                 : by_workspace ? slices * outputs * bytes_of(held)
                                 : stream_k     ? outputs * sizeof(float)
                                                : 0;
  const DeviceBuffer workspace(partials, poison);
  const DeviceBuffer tickets(std::max<std::uint64_t>(tiles, fixed.tickets) * sizeof(std::uint32_t),
                             0);
  g.out = out.data();
  g.workspace = workspace.data();
  g.tickets = tickets.as<std::uint32_t>();

  constexpr std::size_t log_capacity = std::size_t{1} << 21;
  DeviceBuffer log, count;
  if (probe) {
    log = DeviceBuffer(log_capacity * sizeof(ProbeRecord));
    count = DeviceBuffer(sizeof(unsigned long long), 0);
    g.probe = {count.as<unsigned long long>(), log.as<ProbeRecord>(), log_capacity};
  }
  for (const Family& family : families)
    if (kernel->name == family.kernel) family.launch(plan);
  if (by_workspace) launch_add_slices(g, held, u32(slices));

  KernelOutput result;
  result.words = out.read();
  if (!atomic) result.unwritten = count_poison(result.words, size);
  if (probe) {
    unsigned long long written = 0;
    std::memcpy(&written, count.read().data(), sizeof written);
    if (written > log_capacity)
      throw ConfigurationError("probe", written, "more k tiles than the log holds: smaller shape");
    result.probe.resize(written);
    const auto bytes = log.read(written * sizeof(ProbeRecord));
    if (!bytes.empty()) std::memcpy(result.probe.data(), bytes.data(), bytes.size());
  }
  return result;
}

KernelOutput KernelRun::State::run_sums(const LaunchParams& p) {
  const DeviceBuffer out(shape.m * sizeof(float), poison);
  SumPlan plan;
  plan.instruction = p.instruction;
  plan.warps = u32(p.warps);
  plan.args = {x.as<const float>(), u32(shape.m),   u32(shape.k),
               u32(p.vector),       u32(p.block_k), out.as<float>()};
  kernel->name == "block.sum" ? launch_block_sum(plan) : launch_atomic_sum(plan);
  KernelOutput result;
  result.words = out.read();
  result.unwritten = count_poison(result.words, sizeof(float));
  return result;
}

KernelRun::KernelRun(const Kernel& kernel, const Shape& shape, const OperandWords& operands,
                     std::uint64_t element_bytes)
    : state_(std::make_unique<State>()) {
  const cudaDeviceProp properties = device_properties();
  state_->kernel = &kernel;
  state_->shape = shape;
  state_->capability = 10 * properties.major + properties.minor;
  if (kernel.computation == Computation::gemm) {
    state_->a = DeviceMatrix(operands.a, shape.m, shape.k, element_bytes);
    state_->b = DeviceMatrix(operands.b, shape.n, shape.k, element_bytes);
  } else {
    state_->x = DeviceBuffer(operands.a);
  }
}
KernelRun::KernelRun(KernelRun&&) noexcept = default;
KernelRun& KernelRun::operator=(KernelRun&&) noexcept = default;
KernelRun::~KernelRun() = default;

KernelOutput KernelRun::run(const LaunchParams& params, bool probe) {
  state_->kernel->check(*state_->kernel, params, state_->shape);
  state_->require_capability(params);
  return state_->kernel->computation == Computation::gemm ? state_->run_gemm(params, probe)
                                                          : state_->run_sums(params);
}

GpuEnvironment gpu_environment() {
  const cudaDeviceProp properties = device_properties();
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  GpuEnvironment environment;
  environment.device = properties.name;
  environment.driver = driver_version();
  environment.runtime = dotted(runtime);
  environment.compiler = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                         std::to_string(__CUDACC_VER_MINOR__) + "." +
                         std::to_string(__CUDACC_VER_BUILD__);
  environment.major = properties.major;
  environment.minor = properties.minor;
  return environment;
}

}  // namespace whybits::gpu
