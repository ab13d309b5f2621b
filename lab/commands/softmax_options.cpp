#include "lab/commands/softmax_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/reduction.hpp"

namespace whybits {

void add_softmax_options(Command command, SoftmaxOptions& o) {
  add_count_option(command, "--cols", o.columns, std::uint64_t{1} << 24, "V, elements of a row")
      ->default_str("4096");
  command->add_option("--type", o.type, "Format of x and y: f32, f16 or bf16")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--x", o.x, "The rows, rows × V")->type_name("INPUT")->capture_default_str();
  command->add_flag("--log", o.log, "log_softmax");
  command->add_option("--functions", o.functions, "Where exp and log come from: mufu or correct")
      ->type_name("NAME")
      ->capture_default_str();
}

SoftmaxConfig plain_softmax(const SoftmaxOptions& o) {
  if (o.columns == 0) throw UsageError("--cols 0: a row has elements", "as in --cols 4096");
  return {softmax_kernels()[0], 1, o.columns, format_option("--type", o.type), o.log};
}

SoftmaxSide softmax_side(const std::string& option, const std::string& spec,
                         const SoftmaxConfig& plain) {
  SoftmaxSide side{spec, plain, {}, spec.find('(') != std::string::npos};
  if (side.own_topology) {
    side.order.sum = topology_option(option, spec);
    try {
      make_reduction(side.order.sum, plain.columns, {.a = formats::f32});
    } catch (const TopologyError& error) {
      throw UsageError(fmt::format("{} '{}': {}", option, spec, error.what()),
                       "it adds the V exponentials of a row, f32 values");
    }
    return side;
  }
  constexpr std::uint64_t most_rows = std::uint64_t{1} << 32;
  const std::size_t at = spec.find('@');
  const std::string name = spec.substr(0, at);
  const SoftmaxKernel* kernel = find_softmax_kernel(name);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const SoftmaxKernel& known : softmax_kernels()) names.emplace_back(known.name);
    const auto near = nearest_name(name, names);
    throw UsageError(
        fmt::format("{}: unknown kernel '{}'{}", option, name,
                    near ? "; did you mean " + *near + "?" : ""),
        fmt::format("kernels: {}; or a topology such as halves(f32)", fmt::join(names, " ")));
  }
  side.config.kernel = *kernel;
  if (at != std::string::npos)
    side.config.rows = index_option(option, spec.substr(at + 1), most_rows);
  try {
    side.order = softmax_order(side.config);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, spec, error.what()));
  }
  return side;
}

SoftmaxRequest softmax_request(const SoftmaxOptions& o, SoftmaxSide a) {
  SoftmaxRequest request;
  request.rows = o.rows;
  request.functions = element_functions("--functions", o.functions);
  request.x = open_tensor("--x", o.x, a.config.type, {o.rows, o.columns});
  request.a = std::move(a);
  return request;
}

}  // namespace whybits
