// whybits layernorm: the same rows by two blocks of threads.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/norm_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/layer_norm_study.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace layernorm_command {
namespace {

struct Options {
  std::uint64_t rows = 64, hidden = 4096;
  std::string kernel = "torch", vs;
  std::string type = "bf16", x = "uniform:1", w = "uniform:2", bias = "uniform:3", eps = "1e-5";
  std::string functions{element_functions()[0].name};
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is torch (128 threads, vectors of 4, whatever the number of rows) or THREADSxVECTOR.

Examples:
  whybits layernorm --hidden 1000 --kernel torch --vs 256x4
  whybits layernorm --hidden 4096 --type f32 --kernel torch --vs 128x8
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

LayerNormConfig side_of(const Options& o, const std::string& option, const std::string& spec) {
  LayerNormConfig config{o.hidden, format_option("--type", o.type)};
  if (spec != "torch") {
    const std::size_t x = spec.find('x');
    if (x == std::string::npos)
      throw UsageError(fmt::format("{}: unknown kernel '{}'", option, spec),
                       "allowed: torch, or THREADSxVECTOR such as 256x4");
    constexpr std::uint64_t most = 1 << 20;
    config.threads = index_option(option, spec.substr(0, x), most);
    config.vector = index_option(option, spec.substr(x + 1), most);
  }
  try {
    check_layer_norm(config);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, spec, error.what()));
  }
  return config;
}

nlohmann::ordered_json side_json(const std::string& spec, const LayerNormConfig& config) {
  return {{"spec", spec}, {"threads", config.threads}, {"vector", config.vector}};
}

void run(const Options& o, CommandContext& context) {
  LayerNormRequest request;
  request.a = side_of(o, "--kernel", o.kernel);
  request.b = side_of(o, "--vs", o.vs);
  request.rows = o.rows;
  request.functions = element_functions("--functions", o.functions);
  request.eps = eps_option(o.eps);
  const Format& type = request.a.type;
  request.x = open_tensor("--x", o.x, type, {o.rows, o.hidden});
  request.w = open_operand("--w", o.w, type, {o.hidden, {}});
  request.bias = open_operand("--bias", o.bias, type, {o.hidden, {}});
  const std::vector<Stage> stages = run_layer_norm_study(request);
  if (stages.back().differ > 0) context.exit_code = 1;
  if (o.json) {
    context.out << json_text(nlohmann::ordered_json{
        {"whybits_layernorm", 1},
        {"rows", o.rows},
        {"hidden", o.hidden},
        {"type", o.type},
        {"eps", o.eps},
        {"inputs", {{"x", o.x}, {"w", o.w}, {"bias", o.bias}}},
        {"functions", request.functions.name},
        {"sides", {side_json(o.kernel, request.a), side_json(o.vs, request.b)}},
        {"same_order", one_order(request)},
        {"stages", stages_json(stages)}});
    return;
  }
  context.out << fmt::format("LayerNorm of {} of {}, eps {}, x={} w={} bias={}\n\n",
                             counted(o.rows, "row"), counted(o.hidden, o.type + " value"),
                             printable(o.eps), printable(o.x), printable(o.w), printable(o.bias));
  for (const auto& [letter, spec, config] :
       {std::tuple{"A", &o.kernel, &request.a}, {"B", &o.vs, &request.b}})
    context.out << fmt::format("  {}  {}: {} a row, vectors of {}\n", letter, *spec,
                               counted(config->threads, "thread"), config->vector);
  context.out << '\n' << stages_text(stages, o.rows);
  if (one_order(request))
    context.out << "\n  A and B are one computation: no bit may differ, whatever the data.\n";
  context.out << fmt::format("\n  1/√ is '{}': {}.\n", request.functions.name,
                             request.functions.evidence);
}

}  // namespace
}  // namespace layernorm_command

void add_layernorm_command(Command app, CommandContext& context) {
  using namespace layernorm_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  const Command command = app.add_subcommand(
      "layernorm", "LayerNorm of the same rows by two blocks of threads: what differs");
  command->add_option("--kernel", o.kernel, "How the rows are normalised")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with")->type_name("KERNEL")->required();
  add_count_option(command, "--rows", o.rows, most_addends, "Rows that are compared")
      ->default_str("64");
  add_count_option(command, "--hidden", o.hidden, std::uint64_t{1} << 24, "h, elements of a row")
      ->default_str("4096");
  command->add_value("--type", o.type, "FORMAT", "Format of x, w, bias and y: f32, f16 or bf16");
  command->add_value("--x", o.x, "INPUT", "The rows, rows × h");
  command->add_value("--w", o.w, "INPUT", "The weights, 1 × h");
  command->add_value("--bias", o.bias, "INPUT", "What is added, 1 × h");
  command->add_value("--eps", o.eps, "NUMBER", "ε, rounded to f32");
  command->add_value("--functions", o.functions, "NAME", "Where 1/√ comes from: mufu or correct");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
