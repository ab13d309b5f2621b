#include "gpu/special/wrappers.cuh"

namespace whybits::gpu::special {

std::vector<Function> wrappers_fast() {
  return wrappers("fast ");
}
std::vector<Function2> pair_wrappers_fast() {
  return pair_wrappers("fast ");
}

}  // namespace whybits::gpu::special
