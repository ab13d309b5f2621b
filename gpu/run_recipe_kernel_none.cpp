#include "gpu/run_kernel.hpp"
#include "gpu/run_recipe_kernel.hpp"

namespace whybits::gpu {

TensorWords run_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                              const TensorWords&) {
  kernel.check(kernel, run);
  gpu_environment();  // refuses: this build has no CUDA
  return {};
}

double time_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run, const TensorWords&) {
  kernel.check(kernel, run);
  gpu_environment();  // refuses
  return 0;
}

}  // namespace whybits::gpu
