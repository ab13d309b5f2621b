// Options of a softmax: softmax and its gates share them.
#pragma once

#include "lab/commands/command.hpp"
#include "lab/softmax_study.hpp"

namespace whybits {

struct SoftmaxOptions {
  std::uint64_t rows = 64, columns = 4096;
  std::string type = "f32", x = "uniform:1", functions{element_functions()[0].name};
  bool log = false;
};
/// --cols, --type, --x, --log, --functions; --rows is each command's own.
void add_softmax_options(Command command, SoftmaxOptions& options);

/// What a side is made for: the first kernel, one row. Errors: UsageError.
SoftmaxConfig plain_softmax(const SoftmaxOptions& options);

/// "composed@64", "torch", or a topology in the notation for the sum, with torch's steps around it.
/// Errors: UsageError naming `option`.
SoftmaxSide softmax_side(const std::string& option, const std::string& spec,
                         const SoftmaxConfig& plain);

/// The request without its second side. Errors: UsageError for inputs that cannot be opened.
SoftmaxRequest softmax_request(const SoftmaxOptions& options, SoftmaxSide a);

}  // namespace whybits
