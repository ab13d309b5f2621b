#include "gpu/run_kernel.hpp"

namespace whybits::gpu {
namespace {

[[noreturn]] void not_built() {
  throw NotAvailable("no GPU kernels: built without CUDA (CONTRIBUTING.md: cmake --preset cuda)");
}

}  // namespace

struct KernelRun::State {};

GpuEnvironment gpu_environment() {
  not_built();
}

KernelRun::KernelRun(const Kernel&, const Shape&, const OperandWords&, std::uint64_t) {
  not_built();
}
KernelRun::KernelRun(KernelRun&&) noexcept = default;
KernelRun& KernelRun::operator=(KernelRun&&) noexcept = default;
KernelRun::~KernelRun() = default;

KernelOutput KernelRun::run(const LaunchParams&, bool) {
  not_built();
}

}  // namespace whybits::gpu
