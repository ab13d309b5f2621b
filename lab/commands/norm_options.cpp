#include "lab/commands/norm_options.hpp"

#include <fmt/format.h>

#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/number_input.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {

Bits eps_option(const std::string& text) {
  const Format& f32 = formats::f32;
  const Bits code = input_code(parse_number(text), f32);
  const Unpacked eps = unpack(f32, code);
  if (!eps.finite() || eps.negative)
    throw UsageError(fmt::format("--eps '{}': must be finite and not negative", text),
                     "as in --eps 1e-6");
  return code;
}

void add_norm_options(Command command, NormOptions& o) {
  add_count_option(command, "--rows", o.rows, most_addends, "Rows that are compared")
      ->default_str("64");
  add_count_option(command, "--hidden", o.hidden, std::uint64_t{1} << 24, "h, elements of a row")
      ->default_str("4096");
  command.add_value("--type", o.type, "FORMAT", "Format of x, residual, w and y: f32, f16 or bf16");
  command.add_value("--x", o.x, "INPUT", "The rows, rows × h");
  command.add_value("--residual", o.residual, "INPUT",
                    "What fused-add kernels add to them, rows × h");
  command.add_value("--w", o.w, "INPUT", "The weights, 1 × h");
  command.add_value("--eps", o.eps, "NUMBER", "ε, rounded to f32");
  command.add_value("--functions", o.functions, "NAME", "Where 1/√ comes from: mufu or correct");
}

RmsNormConfig plain_norm(const NormOptions& o) {
  if (o.hidden == 0) throw UsageError("--hidden 0: a row has elements", "as in --hidden 4096");
  return {rms_norm_kernels()[0], 1, o.hidden, format_option("--type", o.type)};
}

NormSide norm_side(const std::string& option, const std::string& spec, const RmsNormConfig& steps) {
  constexpr std::uint64_t most_tokens = std::uint64_t{1} << 32;
  NormSide side{spec, steps, {}, spec.find('(') != std::string::npos};
  if (side.own_topology) {
    side.order.sum = topology_option(option, spec);
    try {
      make_reduction(side.order.sum, steps.hidden, {.a = steps.type, .b = steps.type});
    } catch (const TopologyError& error) {
      throw UsageError(fmt::format("{} '{}': {}", option, spec, error.what()),
                       "its leaves are the exact squares of a row: f32.fma adds them");
    }
    return side;
  }
  const std::size_t at = spec.find('@');
  const std::string name = spec.substr(0, at);
  const RmsNormKernel* kernel = find_rms_norm_kernel(name);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const RmsNormKernel& known : rms_norm_kernels()) names.emplace_back(known.name);
    const auto near = nearest_name(name, names);
    throw UsageError(
        fmt::format("{}: unknown kernel '{}'{}", option, name,
                    near ? "; did you mean " + *near + "?" : ""),
        fmt::format("kernels: {}; or a topology such as lanes(256, fold(f32.fma), pairs(f32))",
                    fmt::join(names, " ")));
  }
  side.config.kernel = *kernel;
  if (at != std::string::npos)
    side.config.tokens = index_option(option, spec.substr(at + 1), most_tokens);
  try {
    side.order = rms_norm_order(side.config);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, spec, error.what()));
  }
  return side;
}

NormRequest norm_request(const NormOptions& o, NormSide a) {
  const Format& type = a.config.type;
  NormRequest request;
  request.rows = o.rows;
  request.x = open_tensor("--x", o.x, type, {o.rows, o.hidden});
  if (a.config.kernel.residual)
    request.residual = open_tensor("--residual", o.residual, type, {o.rows, o.hidden});
  request.w = open_operand("--w", o.w, type, {o.hidden, {}});
  request.eps = eps_option(o.eps);
  request.functions = element_functions("--functions", o.functions);
  request.a = std::move(a);
  return request;
}

}  // namespace whybits
