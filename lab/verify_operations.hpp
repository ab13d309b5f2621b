// Checks recordings of operations: every case predicted from its configuration.
#pragma once

#include "lab/operation_recording.hpp"
#include "lab/predict_operations.hpp"
#include "lab/verify.hpp"

namespace whybits {

/// One verification an output ("y", "rstd", …), over all cases; named FILE#OUTPUT. Cases that no
/// model covers are counted in its rule. Controls: the same cases by wrong neighbours. Kernels of
/// this project are predicted by the recipe that they claim, `functions` are libraries'.
std::vector<Verification> verify_operations(const OperationRecording& recording,
                                            const ElementFunctions& functions, bool with_controls);

}  // namespace whybits
