#include "gpu/special/wrappers.cuh"

namespace whybits::gpu::special {

std::vector<Function> wrappers_default() {
  return wrappers("default ");
}
std::vector<Function2> pair_wrappers_default() {
  return pair_wrappers("default ");
}

}  // namespace whybits::gpu::special
