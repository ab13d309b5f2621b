#include "gpu/kernels/mma_gemm.cuh"

namespace whybits::gpu {

std::span<const MmaRow> mma_fp8_rows() {
  static constexpr MmaRow rows[] = {
      {"e4m3.k16", launch_mma<MmaE4m3K16>},
      {"e4m3", launch_mma<MmaE4m3>},
      {"e4m3xe5m2", launch_mma<MmaE4m3E5m2>},
      {"e5m2xe4m3", launch_mma<MmaE5m2E4m3>},
      {"e5m2.k16", launch_mma<MmaE5m2K16>},
      {"e5m2", launch_mma<MmaE5m2>},
      {"e4m3.k16.acc16", launch_mma<MmaE4m3K16Acc16>},
      {"e4m3.acc16", launch_mma<MmaE4m3Acc16>},
      {"e5m2.k16.acc16", launch_mma<MmaE5m2K16Acc16>},
      {"e5m2.acc16", launch_mma<MmaE5m2Acc16>},
  };
  return rows;
}

}  // namespace whybits::gpu
