#include "gpu/special/wrappers.cuh"

namespace whybits::gpu::special {

std::vector<Function> wrappers_ftz() {
  return wrappers("ftz ");
}
std::vector<Function2> pair_wrappers_ftz() {
  return pair_wrappers("ftz ");
}

}  // namespace whybits::gpu::special
