// What recorded row operations and attentions must give, from their configuration alone: shape,
// type and the library's version.
#pragma once

#include <map>

#include "lab/element_functions.hpp"
#include "lab/operation_recording.hpp"

namespace whybits {

/// Which model is run: the right one or a wrong neighbour, whose count says what a count of 0 is
/// worth.
enum class OperationModel : std::uint8_t {
  library,
  neighbour  ///< sums by neighbouring pairs (log_softmax's in one sequence), norms and sums of
             ///< squares by 256 threads, attention by half its blocks
};
std::string_view neighbour_name(std::string_view operation);

/// The codes of every recorded output, as recorded. Errors: ConfigurationError for what no model
/// covers.
std::map<std::string, std::vector<Bits>> predict_operation(const OperationRecording& recording,
                                                           const OperationCase& one,
                                                           const ElementFunctions& functions,
                                                           OperationModel model);

}  // namespace whybits
