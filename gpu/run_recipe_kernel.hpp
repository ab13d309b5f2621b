// Runs a row of recipe_kernels.hpp on the GPU of this machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpu/not_available.hpp"
#include "gpu/recipe_kernels.hpp"

namespace whybits::gpu {

/// Storage words by tensor, little endian, as KernelTensor lays them out.
using TensorWords = std::map<std::string, std::vector<std::uint8_t>, std::less<>>;

/// The outputs. They are poisoned before the kernel starts: an unwritten one is an error.
/// Errors: ConfigurationError for what the kernel cannot be launched with; NotAvailable (no GPU, no
/// CUDA in this build, too old a GPU); ProbeError if other blocks of threads ran than the
/// parameters demand; std::runtime_error for outputs that were not written, and CudaError.
TensorWords run_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                              const TensorWords& inputs);

/// A time is the median of so many series of launches, one after the other without a pause.
inline constexpr int timed_series = 11, timed_launches = 20;
/// Microseconds of a launch. Operands that fit the second-level cache stay in it. Errors: as above;
/// outputs are not looked at.
double time_recipe_kernel(const RecipeKernel& kernel, const RecipeRun& run,
                          const TensorWords& inputs);

}  // namespace whybits::gpu
