// Options of an RMSNorm: rmsnorm and its gates share them.
#pragma once

#include "lab/commands/command.hpp"
#include "lab/norm_study.hpp"

namespace whybits {

struct NormOptions {
  std::uint64_t rows = 64, hidden = 4096;
  std::string type = "bf16", x = "uniform:1", residual = "uniform:2", w = "uniform:3", eps = "1e-6";
  std::string functions{element_functions()[0].name};
};
/// --rows, --hidden, --type, --x, --residual, --w, --eps, --functions.
void add_norm_options(Command command, NormOptions& options);

/// "vllm@256", "torch", or a topology in the notation, which has the steps of `steps` around it.
/// Errors: UsageError naming `option`.
NormSide norm_side(const std::string& option, const std::string& spec, const RmsNormConfig& steps);

/// The kernel, size and type that a topology of one's own is put into: vLLM's, without a residual.
RmsNormConfig plain_norm(const NormOptions& options);

/// ε as --eps gives it: an f32 code, finite and not negative. Errors: UsageError.
Bits eps_option(const std::string& text);

/// The request without its second side. Errors: UsageError for inputs that cannot be opened.
NormRequest norm_request(const NormOptions& options, NormSide a);

}  // namespace whybits
