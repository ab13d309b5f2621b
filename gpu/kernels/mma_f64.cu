#include "gpu/kernels/mma_gemm.cuh"

namespace whybits::gpu {

std::span<const MmaRow> mma_f64_rows() {
  static constexpr MmaRow rows[] = {{"f64.k4", launch_mma<MmaF64K4>},
                                    {"f64.k8", launch_mma<MmaF64K8>},
                                    {"f64", launch_mma<MmaF64>}};
  return rows;
}

}  // namespace whybits::gpu
