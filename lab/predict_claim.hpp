// What a kernel of this project must give, by the recipe that it claims or by a wrong neighbour.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/recipe_kernels.hpp"
#include "lab/operation_recording.hpp"

namespace whybits {

/// Codes of a whole input, as the case generates it. Errors: UsageError.
std::vector<Bits> input_codes(const OperationCase& one, const gpu::KernelTensor& tensor);

/// The codes of the case's recorded elements of every output, in their order.
/// Precondition: the claim is of run_of(kernel, one).
std::map<std::string, std::vector<Bits>> predict_claim(const gpu::RecipeKernel& kernel,
                                                       const OperationCase& one,
                                                       const gpu::RecipeClaim& claim);

}  // namespace whybits
