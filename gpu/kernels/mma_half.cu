#include "gpu/kernels/mma_gemm.cuh"

namespace whybits::gpu {

std::span<const MmaRow> mma_half_rows() {
  static constexpr MmaRow rows[] = {
      {"f16.k8", launch_mma<MmaF16K8>},
      {"f16", launch_mma<MmaF16>},
      {"bf16.k8", launch_mma<MmaBf16K8>},
      {"bf16", launch_mma<MmaBf16>},
      {"tf32.k4", launch_mma<MmaTf32K4>},
      {"tf32", launch_mma<MmaTf32>},
      {"f16.k8.acc16", launch_mma<MmaF16K8Acc16>},
      {"f16.acc16", launch_mma<MmaF16Acc16>},
  };
  return rows;
}

}  // namespace whybits::gpu
